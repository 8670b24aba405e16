"""Marked sections of a Markdown page, which tools write.

A section stands between `<!-- figures: NAME -->` and `<!-- end -->`; the text around it is written by hand.
"""

from __future__ import annotations

import re
from pathlib import Path


def read_section(path: Path, name: str) -> str:
    """The text of a section, without the markers."""
    page = path.read_text(encoding="utf-8")
    start, end = _find_section(page, path, name)
    return page[start:end].strip("\n") + "\n"


def replace_section(path: Path, name: str, text: str) -> None:
    """Replaces the text of a section. The markers and the rest of the page stay."""
    page = path.read_text(encoding="utf-8")
    start, end = _find_section(page, path, name)
    path.write_text(page[:start] + "\n" + text.strip("\n") + "\n\n" + page[end:], encoding="utf-8")


def _find_section(page: str, path: Path, name: str) -> tuple[int, int]:
    """The positions after the line of the first marker, and before the last marker."""
    begin = f"<!-- figures: {name} -->"
    found = list(re.finditer(rf"^{re.escape(begin)}\n(.*?)^<!-- end -->$", page, re.MULTILINE | re.DOTALL))
    if len(found) != 1 or "<!-- figures:" in found[0][1]:
        raise ValueError(f"{path}: expected one section from {begin!r} to '<!-- end -->'")
    return found[0].span(1)
