"""What came of the passes, as people read it: what has a truth and by which witness, and what failed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tools.accuracy.report import print_table

from .decide import ALONE, BOTH, BY_ID, BY_NUMBERS, ID_KEPT, ID_LOST, NEITHER
from .recipes import PASSES

KINDS = ("data", "shape", "constant")
WITNESSES = (BOTH, BY_ID, BY_NUMBERS, ID_KEPT, ID_LOST, NEITHER)
COLUMNS = ("made", "failed", "nodes", *(f"{kind} with truth" for kind in KINDS), *WITNESSES)


def print_report(outcomes: list[dict[str, Any]], markdown: bool = False) -> None:
    table = [["pass", *COLUMNS]]
    for what in PASSES:
        mine = [row for row in outcomes if row["pass"] == what]
        if mine:
            table.append([what, *_cells(mine)])
    print_table(table, 1, markdown)
    lost: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for row in outcomes:
        counts = row.get("counts", {})
        lost.update(counts.get("reasons", {}))
        alone.update({word: counts.get(word, 0) for word in ALONE})
    same, left_open, other = (alone[word] for word in ALONE)
    print(
        f"\nwhere both agree, numbers alone would have named the same module for {same} nodes, "
        f"none for {left_open}, another for {other}"
    )
    if lost:
        print("without truth: " + ", ".join(f"{count} {reason}" for reason, count in lost.most_common()))
    for row in outcomes:
        where = f"{row['name']} {row['exporter']} {row['pass']}"
        if not row["ok"]:
            print(f"failed: {where}: {row['said']}")
        elif row["counts"].get("not run"):
            print(f"numbers not compared: {where}: {row['counts']['not run']}")


def _cells(outcomes: list[dict[str, Any]]) -> list[str]:
    made = [row["counts"] for row in outcomes if row["ok"]]
    total: Counter[str] = Counter()
    for counts in made:
        total.update({key: value for key, value in counts.items() if isinstance(value, int)})
    shares = [share(total[f"{kind} told"], total[kind]) for kind in KINDS]
    numbers = [str(total[word]) for word in WITNESSES]
    return [str(len(made)), str(len(outcomes) - len(made)), str(total["nodes"]), *shares, *numbers]


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2%} of {whole}" if whole else "-"
