"""The totals of the answers on files of builders, and the table of the documentation."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from tools.accuracy.total import Total
from tools.figures.measurement import Measurement
from tools.figures.tables import format_table

Row = dict[str, Any]
KEYS = ("tool", "variant", "given", "side")
HEAD = (
    *(*KEYS, "types", "nodes", "exact", "exact %", "wrong", "wrong at 0.9", "in another layer"),
    *("invented", "unknown %", "ECE", "fused complete", "weights", "named"),
)


def totals(scores: list[Row]) -> list[Row]:
    """One row for each tool, variant, given reference and side; `all` sums the variants."""
    found: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for score in scores:
        for variant in (score["variant"], "all"):
            found[score["tool"], variant, score["given"], score["side"]].append(score)
    rows = []
    for key in sorted(found):
        counts: Counter[str] = Counter()
        answers: defaultdict[float, list[int]] = defaultdict(lambda: [0, 0])
        for score in found[key]:
            counts.update(score["counts"])
            for confidence, count, right in score["answers"]:
                answers[confidence][0] += count
                answers[confidence][1] += right
        counts["types"] = len({score["type"] for score in found[key]})
        histogram = [[confidence, *both] for confidence, both in sorted(answers.items())]
        rows.append(dict(zip(KEYS, key, strict=True)) | {"counts": dict(counts), "answers": histogram})
    return rows


def render(measurement: Measurement) -> str:
    text = format_table(HEAD, [_cells(row) for row in measurement.rows if "counts" in row], len(KEYS))
    lost = [row for row in measurement.rows if "failed" in row]
    if lost:
        variants: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
        for row in lost:
            variants[row["tool"], row["type"], row["failed"]].append(row["variant"])
        rows = [[tool, kind, ", ".join(names), why] for (tool, kind, why), names in variants.items()]
        text += "\nNot made or not measured:\n\n" + format_table(
            ("tool", "type", "variants", "reason"), rows, 4
        )
    return text


def _cells(row: Row) -> list[str]:
    counts: Counter[str] = Counter(row["counts"])
    nodes, cross = counts["nodes"], counts["cross-layer"]
    total = Total.from_json({"models": 0, "counts": {}, "answers": row["answers"]})
    return [
        *(row[key] for key in KEYS),
        *map(str, (counts["types"], nodes, counts["exact"])),
        _share(counts["exact"], nodes),
        *map(str, (counts["wrong"] + cross, counts["wrong at 0.9"], cross, counts["invented"])),
        _share(counts["unknown"], nodes),
        f"{total.calibration_error:.4f}",
        _share(counts["complete"], counts["fused"]),
        str(counts["initializers"]),
        _share(counts["named"], counts["initializers"]),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "-"
