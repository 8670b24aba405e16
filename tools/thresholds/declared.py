"""The thresholds that the headers of src declare with THENCE_THRESHOLD (src/base/threshold.h)."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.compare.bad_input import BadInput

MACRO = "THENCE_THRESHOLD"
DEFINED_IN = "src/base/threshold.h"

_DECLARATION = re.compile(
    rf"^[ \t]*{MACRO}\s+(?P<type>[\w:]+)\s+\w+\s*=\s*(?:\w+::)*tuned(?:<[^>]*>)?"
    r"\(\s*\"(?P<name>\w+)\"\s*,(?P<value>[^;]*)\)\s*;[ \t]*(?://[/!<]*(?P<beside>.*))?$",
    re.MULTILINE,
)
_USE = re.compile(rf"^[ \t]*{MACRO}\b", re.MULTILINE)
_FLOATS = ("double", "float")


@dataclass(frozen=True)
class Threshold:
    """A number that a decision depends on."""

    name: str  # begins with its room
    value: int | float
    comment: str
    file: str
    line: int

    @property
    def room(self) -> str:
        return Path(self.file).parent.name

    def half(self) -> int | float:
        """Integers round away from zero: half of 1 is 1."""
        if isinstance(self.value, float):
            return self.value / 2
        return (self.value + 1) // 2 if self.value > 0 else -((1 - self.value) // 2)

    def double(self) -> int | float:
        return self.value * 2


def declared(root: Path) -> list[Threshold]:
    """All thresholds, by file. Raises BadInput if a declaration cannot be parsed."""
    found: list[Threshold] = []
    for path in sorted((root / "src").glob("*/*")):
        file = path.relative_to(root).as_posix()
        if path.suffix == ".h" and file != DEFINED_IN:
            found += in_header(path.read_text(encoding="utf-8"), file)
        elif path.suffix == ".cpp" and _USE.search(path.read_text(encoding="utf-8")):
            raise BadInput(f"{file}: declares a threshold; move it to a header with its siblings")
    first: dict[str, Threshold] = {}
    for one in found:
        other = first.setdefault(one.name, one)
        if other is not one:
            raise BadInput(
                f"{one.file}:{one.line}: {other.file}:{other.line} declares a threshold {one.name!r}, too; "
                "rename one of them"
            )
    return found


def in_header(text: str, file: str) -> Iterator[Threshold]:
    """The thresholds of one header."""
    comment, room = "", Path(file).parent.name
    for use in _USE.finditer(text):
        line = text.count("\n", 0, use.start()) + 1
        match = _DECLARATION.match(text, use.start())
        if match is None:
            raise BadInput(
                f"{file}:{line}: a declaration that cannot be read; write "
                f'{MACRO} TYPE NAME = base::tuned("{room}_NAME", VALUE);'
            )
        name = match["name"]
        if not name.startswith(f"{room}_"):
            raise BadInput(f"{file}:{line}: {name!r} does not begin with its room; call it {room}_...")
        comment = (match["beside"] or "").strip() or _comment_above(text[: use.start()], comment)
        value = _value(match["value"].strip(), f"{file}:{line}")
        yield Threshold(name, float(value) if match["type"] in _FLOATS else value, comment, file, line)


def _comment_above(text: str, otherwise: str) -> str:
    """The comment directly above a declaration; directly below another declaration, that one's comment."""
    lines: list[str] = []
    for line in reversed(text.splitlines()):
        comment = re.fullmatch(r"\s*//[/!]?\s?(.*)", line)
        if comment is None:
            break
        lines.insert(0, comment[1].strip())
    above = text.splitlines()[-1:]
    if not lines and above and above[0].strip():
        return otherwise
    return " ".join(lines)


_OPERATORS: dict[type[ast.AST], Callable[..., int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: operator.lshift,
    ast.USub: operator.neg,
}


def _value(expression: str, where: str) -> int | float:
    """The value of a C++ constant: literals, casts such as std::size_t{1}, limits, arithmetic."""
    plain = re.sub(r"std::numeric_limits<std::u?int(\d+)_t>::max\(\)", _largest, expression)
    plain = re.sub(r"(?<=\d)'(?=\d)", "", plain)
    plain = re.sub(r"\b[\w:]+\{([^{}]*)\}", r"(\1)", plain)
    plain = re.sub(r"\b(\d[\d.]*(?:e[-+]?\d+)?)[uUlLfF]+\b", r"\1", plain)
    try:
        return _evaluate_node(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, ZeroDivisionError):
        raise BadInput(
            f"{where}: the value {expression!r} cannot be read; write a number, or arithmetic of numbers"
        ) from None


def _largest(match: re.Match[str]) -> str:
    signed = "uint" not in match[0]
    return str(2 ** (int(match[1]) - int(signed)) - 1)


def _evaluate_node(node: ast.AST) -> int | float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_evaluate_node(node.operand))
    if isinstance(node, ast.BinOp):
        left, right = _evaluate_node(node.left), _evaluate_node(node.right)
        if isinstance(node.op, ast.Div):  # integer division rounds towards zero
            are_integers = isinstance(left, int) and isinstance(right, int)
            return int(left / right) if are_integers else left / right
        if type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](left, right)
    raise ValueError("not arithmetic of numbers")
