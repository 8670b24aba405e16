"""schema/rules.schema.json, which editors use, agrees with the program on the rules files of the cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cases.case_file import read_case
from tests.cases.schemas import problems

tomllib = pytest.importorskip("tomllib")  # since Python 3.11

FOLDER = Path(__file__).parent / "rules"
PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
# Rules that a schema cannot express: the stars of a pattern, and that they are whole names.
BEYOND = ("stands for a star", "stands for whole names")


def rules_files() -> dict[str, tuple[str, str]]:
    """By case and name: the text, and the program's error; empty if it had none."""
    found = {}
    for path in sorted(FOLDER.glob("*.case")):
        case = read_case(path)
        printed = "\n".join(line for command in case.commands for line in command.expected)
        for name, text in case.files.items():
            if name.endswith(".toml"):
                error = re.search(rf"^! error\[R00[1-4]\]: {re.escape(name)}:.*", printed, re.MULTILINE)
                found[f"{path.stem} {name}"] = text, error[0] if error else ""
    return found


FILES = rules_files()


@pytest.mark.parametrize("name", FILES)
def test_schema_accepts_what_the_program_accepts(name: str) -> None:
    text, error = FILES[name]
    if "[R001]" in error:
        with pytest.raises(tomllib.TOMLDecodeError):
            tomllib.loads(text)
    elif not any(words in error for words in BEYOND):
        assert bool(problems(tomllib.loads(text), "thence.rules/1")) == bool(error), error


def test_there_are_valid_and_invalid_rules_files() -> None:
    assert sum(not error for _, error in FILES.values()) > 5
    assert sum("[R002]" in error or "[R003]" in error for _, error in FILES.values()) > 10


def test_examples_of_the_page_conform() -> None:
    for fence in re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL):
        assert problems(tomllib.loads(fence), "thence.rules/1") == []
