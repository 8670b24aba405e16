"""Indented text as a tree of lines, and a line as words: what `.onnxtxt` files are made of."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

# A word is anything without spaces, or anything at all in double quotes, written as in JSON.
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


class TextError(ValueError):
    """A line that cannot be understood; says which."""


@dataclass
class Line:
    """A line and the lines that are indented below it."""

    text: str
    number: int
    inside: list[Line] = field(default_factory=list)

    def error(self, what: str) -> TextError:
        return TextError(f"line {self.number}: {what}: {self.text}")


def parse_blocks(text: str) -> list[Line]:
    """The lines of a text as a tree, without comments (`# ...`) and blank lines."""
    top = Line("", 0)
    open_lines: list[tuple[int, Line]] = [(-1, top)]
    for number, raw in enumerate(text.splitlines(), start=1):
        stripped = raw.strip()
        if not stripped or stripped == "#" or stripped.startswith("# "):
            continue
        indent = len(raw) - len(raw.lstrip(" "))
        while open_lines[-1][0] >= indent:
            open_lines.pop()
        line = Line(stripped, number)
        open_lines[-1][1].inside.append(line)
        open_lines.append((indent, line))
    return top.inside


def words(text: str) -> list[str]:
    """The words of a line; those in quotes without them."""
    return [unquote(word) for word in WORD.findall(text)]


def unquote(word: str) -> str:
    if len(word) < 2 or not (word.startswith('"') and word.endswith('"')):
        return word
    value = json.loads(word)
    assert isinstance(value, str)
    return value


def split_at(parts: list[str], separator: str) -> tuple[list[str], list[str]]:
    """What stands before and after the first separator; the second is empty when there is none."""
    if separator not in parts:
        return parts, []
    at = parts.index(separator)
    return parts[:at], parts[at + 1 :]
