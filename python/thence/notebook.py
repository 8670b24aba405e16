"""HTML for notebooks: tables, and trees of modules with bars. All text from models is escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

MOST_ROWS = 100  # rows of a table; a page with more is slow, and nobody reads them
_LONGEST = 120  # characters of a cell

_BAR = (
    '<span style="display:inline-block;width:6em;height:.7em;background:#8882;vertical-align:middle">'
    '<span style="display:block;width:{:.0f}%;height:100%;background:#4c78a8"></span></span>'
)
_CELL = ' style="text-align:left;white-space:nowrap;padding:0 .8em 0 0"'


@dataclass(frozen=True)
class TreeLine:
    """A module: its path, class, and measures, each as a number or text and a share of the whole."""

    path: str
    class_name: str | None
    measures: Sequence[tuple[int | str | None, float]]

    @property
    def depth(self) -> int:
        return self.path.count(".") + 1 if self.path else 0


def html_tree(title: str, measures: Sequence[str], lines: Sequence[TreeLine]) -> str:
    """A tree of modules in depth-first order, with a bar per measure; as many levels as fit.

    >>> "&lt;b&gt;" in html_tree("t", ["nodes"], [TreeLine("<b>", None, [(1, 1.0)])])
    True
    """
    deepest = _levels_that_fit(lines)
    shown = [line for line in lines if line.depth <= deepest][:MOST_ROWS]
    head = "".join(f"<th{_CELL}>{escape(name)}</th>" for name in ("module", "class", *measures))
    body = "".join(_tree_row(line) for line in shown)
    more = len(lines) - len(shown)
    rest = f"<div>{more} more modules inside these</div>" if more else ""
    return f"<div><b>{_text(title)}</b></div><table><tr>{head}</tr>{body}</table>{rest}"


def _levels_that_fit(lines: Sequence[TreeLine]) -> int:
    """The number of levels whose modules fit into one table; at least the root and the level below it."""
    count, deepest = 0, 0
    for depth, modules in sorted(Counter(line.depth for line in lines).items()):
        count += modules
        if depth > 1 and count > MOST_ROWS:
            break
        deepest = depth
    return deepest


def _tree_row(line: TreeLine) -> str:
    name = line.path.rpartition(".")[2] if line.path else "(model)"
    indent = "&nbsp;" * (4 * min(line.depth, 20))
    kind = (line.class_name or "").rpartition(".")[2]
    cells = [f"{indent}{_text(name)}", f"<i>{_text(kind)}</i>"]
    cells += [f"{bar(share)} {_text(value)}" for value, share in line.measures]
    return f"<tr>{''.join(f'<td{_CELL}>{cell}</td>' for cell in cells)}</tr>"


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], count: int) -> str:
    """A table of the first rows; `count` is the number of all."""
    shown = [row for row, _ in zip(rows, range(MOST_ROWS), strict=False)]
    head = "".join(f"<th{_CELL}>{_text(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td{_CELL}>{_text(cell)}</td>' for cell in row)}</tr>" for row in shown)
    rest = f"<div>{count - len(shown)} more rows</div>" if count > len(shown) else ""
    return f"<div><b>{_text(title)}</b></div><table><tr>{head}</tr>{body}</table>{rest}"


def html_bars(title: str, counts: Mapping[str, float], whole: float) -> str:
    """A table of names and numbers, with a bar for the share of `whole`, which is not 0."""
    body = "".join(
        f"<tr><td{_CELL}>{_text(name)}</td><td{_CELL}>{bar(value / whole)} {value:g}</td></tr>"
        for name, value in counts.items()
    )
    return f"<div><b>{_text(title)}</b></div><table>{body}</table>"


def html_text(text: str) -> str:
    """Text as it is."""
    return f"<pre>{escape(text)}</pre>"


def bar(share: float) -> str:
    """A bar for a share of 0 to 1."""
    return _BAR.format(100 * max(0.0, min(1.0, share)))


def module_lines(nodes: Iterable[Mapping[str, Any]], classes: Mapping[str, str | None]) -> list[TreeLine]:
    """A tree of the modules of nodes, with the number of nodes in each."""
    counts: Counter[str] = Counter()
    total = 0
    for node in nodes:
        total += 1
        if node["module"] is not None:
            counts.update(_enclosing(node["module"]))
    order = {path: index for index, path in enumerate(classes)}
    paths = sorted(counts, key=lambda path: (order.get(path, len(order)), path))
    return [TreeLine(p, classes.get(p), [(counts[p], counts[p] / total if total else 0)]) for p in paths]


def _enclosing(path: str) -> list[str]:
    """The path and those of all modules around it: a.b -> a.b, a, root."""
    parts = path.split(".") if path else []
    return [".".join(parts[:length]) for length in range(len(parts), -1, -1)]


def _text(value: Any) -> str:
    text = "" if value is None else str(value)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 3 :]}"
    return escape(text)
