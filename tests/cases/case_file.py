"""A `.case` file: comments, files, commands and their output. README.md in this folder shows the syntax.

Reading keeps every line, so that rewriting the expectations changes nothing else.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from pathlib import Path

FILE = "file "
COMMAND = "$ "
ERROR = "! "


@dataclass
class Command:
    """A command line and its expected output."""

    line: str
    number: int
    expected: list[str] = field(default_factory=list)
    blank_after: int = 0  # blank lines after it


@dataclass
class Case:
    """The parts in order: raw lines of text, and commands."""

    path: Path
    parts: list[str | Command]
    files: dict[str, str]

    @property
    def commands(self) -> list[Command]:
        return [part for part in self.parts if isinstance(part, Command)]

    def text(self) -> str:
        lines: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                lines.append(part)
            else:
                lines += [part.line, *part.expected, *[""] * part.blank_after]
        return "\n".join(lines) + "\n"


def read_case(path: Path) -> Case:
    """Reads a case, and the models in its folder that it names."""
    text = path.read_text()
    beside = [model for model in path.parent.glob("*.onnxtxt") if f" {model.name}" in text]
    case = Case(path, [], {model.name: model.read_text() for model in beside})
    content: list[str] | None = None  # of the current file block
    name = ""

    def close_file() -> None:
        if content is not None:
            case.files[name] = textwrap.dedent("\n".join(content)).strip("\n") + "\n"

    for number, line in enumerate(text.splitlines(), start=1):
        last = case.parts[-1] if case.parts else None
        if content is not None and (not line or line.startswith("  ")):
            content.append(line)
            case.parts.append(line)
        elif starts_part(line):
            close_file()
            content = [] if line.startswith(FILE) else None
            name = line.removeprefix(FILE).removesuffix(":")
            case.parts.append(Command(line, number) if line.startswith(COMMAND) else line)
        elif isinstance(last, Command):
            last.expected.append(line)
        elif line:
            raise ValueError(f"{path.name}:{number}: neither a comment, a file nor a command: {line}")
        else:
            case.parts.append(line)
    close_file()
    for command in case.commands:
        while command.expected and not command.expected[-1]:
            command.expected.pop()
            command.blank_after += 1
    return case


def starts_part(line: str) -> bool:
    return line == "#" or line.startswith(("# ", FILE, COMMAND))


def printed_lines(stdout: str, stderr: str, exit_code: int) -> list[str]:
    """The output of a command in the format of a case: output, `! ` errors, `[exit N]`."""
    lines = stdout.splitlines()
    while lines and not lines[-1]:
        lines.pop()
    for line in lines:
        if starts_part(line) or line.startswith((ERROR, "[exit ")):
            raise ValueError(f"a case cannot expect this line, which would mean something else in it: {line}")
    lines += [(ERROR + line).rstrip() for line in stderr.splitlines()]
    return lines + ([f"[exit {exit_code}]"] if exit_code else [])
