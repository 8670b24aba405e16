"""Every code of an error or a diagnostic in the source is in docs/errors.md, and vice versa."""

from __future__ import annotations

import re
from pathlib import Path

from tests.hostile.program import ROOT

CODE = re.compile(r'"([A-Z]\d{3})"|error\[([A-Z]\d{3})\]')
DOCUMENTED = re.compile(r"^\| `([A-Z]\d{3})` \| (.*) \| (.*) \|$", re.MULTILINE)


def source() -> list[Path]:
    native, package = ROOT / "src", ROOT / "python/thence"
    return [*native.rglob("*.cpp"), *native.rglob("*.h"), *package.rglob("*.py")]


def in_source() -> dict[str, str]:
    """The codes, each with a file that contains it."""
    found: dict[str, str] = {}
    for path in sorted(source()):
        for match in CODE.finditer(path.read_text()):
            found.setdefault(match[1] or match[2], path.relative_to(ROOT).as_posix())
    return found


def documented() -> dict[str, tuple[str, str]]:
    page = (ROOT / "docs/errors.md").read_text()
    rows = DOCUMENTED.findall(page)
    assert len({code for code, _, _ in rows}) == len(rows), "a code is listed twice"
    return {code: (meaning, advice) for code, meaning, advice in rows}


def test_every_code_is_documented() -> None:
    missing = {code: path for code, path in in_source().items() if code not in documented()}
    assert not missing, f"not in docs/errors.md: {missing}"


def test_every_documented_code_exists() -> None:
    assert sorted(set(documented()) - set(in_source())) == []


def test_every_code_has_advice() -> None:
    for code, (meaning, advice) in documented().items():
        assert len(meaning) > 10, code
        assert len(advice) > 10, code
