"""The table of limits in docs/errors.md has the values of the code.

A constant that users can meet has a comment above it that names its row: `errors.md: ROW`. The value of such
a constant is in that row, and each number of a row is the value of one, or is listed here with the reason."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MARKED = re.compile(
    r"((?:^ *(?://|#) errors\.md: .*\n)+)((?:^(?! *(?://|#) errors\.md: ).*\n?){1,4})", re.MULTILINE
)
ROW = re.compile(r"errors\.md: (.*)")
TUNED = re.compile(r"base::tuned<[^>]*>\(\"\w+\", (.*)\)")
DECLARED = re.compile(r"\b(\w+) = ([^;,#]+)")
NUMBER = re.compile(r"2\^\d+|[\d,]*\d(?: (?:[KMGT]iB|MB)\b)?")
UNITS = {" KiB": 10, " MiB": 20, " GiB": 30, " TiB": 40}

# Numbers that no constant of the code has.
ELSEWHERE = {
    ("header of a safetensors file", "1024"): "the limit of the parser of JSON, simdjson",
}


@cache
def documented() -> dict[str, str]:
    """The limits by row."""
    section = (ROOT / "docs" / "errors.md").read_text().split("\n## Limits\n")[1]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {row[0]: row[1] for row in rows if row[0] not in ("what", "---")}


def declarations() -> Iterator[tuple[list[str], str, str]]:
    """The rows, the name and the expression of each marked constant."""
    files = [*(ROOT / "src").rglob("*.h"), *(ROOT / "src").rglob("*.cpp"), *(ROOT / "python").rglob("*.py")]
    for path in sorted(files):
        for found in MARKED.finditer(path.read_text()):
            code = found[2].split(";")[0] if path.suffix != ".py" else found[2].splitlines()[0]
            for name, expression in DECLARED.findall(TUNED.sub(r"\1", code)):
                yield ROW.findall(found[1]), name, expression


def evaluate(expression: str, known: dict[str, int]) -> int | None:
    """The value of a constant expression of C++ or Python."""
    text = re.sub(r"std::\w+\{(\d+)\}", r"\1", expression).replace("'", "")
    text = re.sub(r"\b(0x[\da-f]+|\d[\d_]*)u?\b", r"\1", text)
    text = re.sub(r"(?:\w+::)*(\w+)", lambda word: str(known.get(word[1], word[0])), text)
    if not re.fullmatch(r"[\d\sa-fx_()<*+-]+", text):
        return None
    value: int = eval(text)
    return value


@cache
def values() -> dict[str, dict[str, int]]:
    """The numbers of the constants of each row, by name. Sizes in MiB are bytes here."""
    pending, known = list(declarations()), dict[str, int]()
    rows: dict[str, dict[str, int]] = defaultdict(dict)
    for _ in range(2):  # a constant may be used before its file is read
        for names, name, expression in pending:
            if (value := evaluate(expression, known)) is not None:
                known[name] = value
                for row in names:
                    rows[row][f"{name} = {expression}"] = value << 20 if name.endswith("mebibytes") else value
    return rows


def number(text: str) -> int:
    """The value of a number as the table writes it."""
    if text.startswith("2^"):
        return 1 << int(text[2:])
    if text.endswith(" MB"):
        return int(text[:-3]) * 1_000_000
    for unit, bits in UNITS.items():
        if text.endswith(unit):
            return int(text.removesuffix(unit)) << bits
    return int(text.replace(",", ""))


def test_every_marked_constant_has_a_row() -> None:
    found = values()
    assert len(found) > 25
    assert found.keys() <= documented().keys(), "a comment names a row that is not in docs/errors.md"


def test_every_marked_constant_has_a_value() -> None:
    have = {one for row in values().values() for one in row}
    assert have == {f"{name} = {expression}" for _, name, expression in declarations()}


@pytest.mark.parametrize("row", documented())
def test_row_has_the_values_of_the_code(row: str) -> None:
    written = {number(text) for text in NUMBER.findall(documented()[row])}
    elsewhere = {number(text) for name, text in ELSEWHERE if name == row}
    constants = values().get(row, {})
    # The largest index is one less than the number of things.
    for name, value in constants.items():
        assert {value, value + 1} & written, f"{name} is {value}, and the row says {documented()[row]!r}"
    given = {value + extra for value in constants.values() for extra in (0, 1)}
    assert written - elsewhere <= given, f"no constant is {written - elsewhere - given}"
