"""Writes a comparison as a table, CSV or node data of Model Explorer."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..messages import printable

Row = Mapping[str, Any]
_NUMBERS = ("sqnr_db", "cosine", "max_error", "relative_error", "received", "added")
_HEADINGS = ("SQNR dB", "cosine", "max error", "rel. error", "received", "added")
_CSV = ("outputs", *_NUMBERS, "nan", "inf", "over")
EXPLORER_SCALE = (-20.0, 200.0)
# A spreadsheet would compute a field that begins like this, also in the full-width forms.
_FORMULA = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20]")


def choose_rows(document: Row, depth: int | None, top: int) -> list[Row]:
    """The rows to print: groups or modules, to a depth, or those that add the most error."""
    rows = list(document["modules"] if document["by"] == "module" else document["groups"])
    if depth is not None and document["by"] == "module":
        rows = [row for row in rows if row["depth"] <= depth]
    if top:
        rows = sorted(rows, key=_weight, reverse=True)[:top]
    return rows


def _weight(row: Row) -> float:
    """By the error that a row adds; rows that cannot run alone by that of their outputs, after all others."""
    added, error = (float("inf") if row[key] == "inf" else row[key] for key in ("added", "relative_error"))
    return float(added) if added is not None else float(error or 0) * 1e-30


def table(document: Row, rows: Sequence[Row], *, is_tree: bool, width: int = 0) -> str:
    """The rows with headings, and numbers aligned to the right."""
    by = document["by"]
    head = ["module", "class"] if by == "module" else [by, "modules"]
    lines = [[*head, *_HEADINGS, ""]]
    paths = {row["path"] for row in rows} if by == "module" and is_tree else set()
    for row in rows:
        numbers = [_format(key, row[key]) for key in _NUMBERS]
        lines.append([*_names(row, by, paths), *numbers, _mark(document, row)])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = [_aligned(line, widths) for line in lines]
    if width:
        text = [line if len(line) <= width else line[: width - 1] + "…" for line in text]
    return "\n".join(text) + "\n"


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        cell.ljust(size) if column < 2 else cell.rjust(size)
        for column, (cell, size) in enumerate(zip(line[:-1], widths[:-1], strict=True))
    ]
    return "  ".join([*cells, line[-1]]).rstrip()


def _mark(document: Row, row: Row) -> str:
    if row.get("reason"):
        return f"({row['reason']})"
    marks = [word for word in ("nan", "inf") if row[word]]
    if document["by"] == "module" and _is_first(document, row):
        marks.insert(0, "first")
    return " ".join(marks) or ("over" if row["over"] else "")


def _is_first(document: Row, row: Row) -> bool:
    return document["first"] is not None and document["first"]["path"] == row["path"]


def _names(row: Row, by: str, tree: set[str]) -> list[str]:
    if by != "module":
        return [_line(str(row["key"] if row["key"] is not None else f"(no {by})")), str(row["modules"])]
    path = row["path"] or "(root)"
    shown = "  " * row["depth"] + _below(path, tree) if tree and row["path"] else path
    return [_line(shown), _line((row["class"] or "").rpartition(".")[2])]


def _below(path: str, tree: set[str]) -> str:
    """The path below the nearest module around it that has a row."""
    above = path.rpartition(".")[0]
    while above and above not in tree:
        above = above.rpartition(".")[0]
    return path.removeprefix(f"{above}.") if above else path


def _format(key: str, value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    if key == "sqnr_db":
        return f"{value:.1f}"
    return f"{value:.6f}" if key == "cosine" else f"{value:.3g}"


def summary(document: Row) -> str:
    """The first module over the threshold, the findings, and the outputs of the model, as lines."""
    total, first = document["total"], document["first"]
    threshold = f"{document['threshold_db']:g} dB ({document['precision']})"
    lines = [f"no tensor is below {threshold}"]
    if first is not None:
        lines = [f"first below {threshold}: {_place(first)}, {_format('sqnr_db', first['sqnr_db'])} dB"]
    words = {"nan": "NaN", "inf": "infinity"}
    lines += [f"first {words[found['kind']]}: {_place(found)}" for found in document["findings"]]
    lines.append(
        f"{total['compared']} of {total['pairs']} pairs of tensors compared, {total['over']} over; "
        f"outputs of the model: {_format('sqnr_db', total['sqnr_db'])} dB"
    )
    return "\n".join(lines)


def _place(found: Row) -> str:
    path = "(unknown module)" if found["path"] is None else found["path"] or "(root)"
    return _line(f"{path} (tensor {found['value']})")


def csv_text(document: Row, rows: Iterable[Row], *, escape: bool) -> str:
    """The rows as CSV. With `escape`, fields that a spreadsheet would compute begin with an apostrophe."""
    keys = ("path", "class", "layer", "role") if document["by"] == "module" else ("key", "modules")
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow([*keys, *_CSV])
    for row in rows:
        writer.writerow([_field(row[key], escape) for key in (*keys, *_CSV)])
    return made.getvalue()


def _field(value: Any, escape: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    text = _line(value)
    is_number = text in ("inf", "-inf")
    return f"'{text}" if escape and not is_number and _FORMULA.match(text) else text


def model_explorer(values: Mapping[int, float]) -> str:
    """Node data for the main graph of `thence convert --to model-explorer`: the SQNR of each node. Infinite
    ones are shown as the ends of the scale, because Model Explorer reads only numbers."""
    low, high = EXPLORER_SCALE
    results = {
        f"#{index}": {"value": float(f"{min(max(value, low), high):.6g}")} for index, value in values.items()
    }
    gradient = [{"stop": 0, "bgColor": "red"}, {"stop": 1, "bgColor": "white"}]
    return (
        json.dumps({"main": {"name": "SQNR dB", "results": results, "gradient": gradient}}, indent=1) + "\n"
    )


def _line(text: str) -> str:
    """Text from a file, without line ends."""
    return printable(text).replace("\n", "\\n")
