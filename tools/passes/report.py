"""Prints the scores of the passes, the share of nodes with a truth, and the failures."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tools.accuracy.bars import findings
from tools.accuracy.report import print_findings, print_table
from tools.accuracy.total import CALLS, format_ranking

from .bars import transfer_bars
from .decide import ALONE, BOTH, BY_ID, BY_NUMBERS, ID_KEPT, ID_LOST, NEITHER
from .evaluate import FILES
from .recipes import PASSES
from .tally import EVERY, Key, Tally, tallies, with_sums

KINDS = ("data", "shape", "constant")
AGREEMENTS = (BOTH, BY_ID, BY_NUMBERS, ID_KEPT, ID_LOST, NEITHER)
TRUTH_COLUMNS = ("made", "failed", "nodes", *(f"{kind} with truth" for kind in KINDS), *AGREEMENTS)
MEMBERS = ("nodes", "complete", "expected", "missing", "extra", "shared")
MEMBER_COLUMNS = ("fused nodes", "complete", "members", "missing", "extra", "shared")
SCORE_COLUMNS = (
    "models",
    "with truth",
    "data",
    "exact",
    "unknown",
    "wrong",
    "cross-layer",
    "shape",
    "shape exact",
    "wrong at 0.9",
    "AUROC",
)


def print_scores(scores: list[dict[str, Any]], markdown: bool = False) -> bool:
    """Prints the scores, and returns whether all bars are met."""
    totals = with_sums(tallies(scores))
    table = [["pass", "names", *SCORE_COLUMNS]]
    for what in (EVERY, *PASSES):
        for names in FILES:
            if (what, names) in totals:
                table.append([what, names, *score_cells(totals[what, names])])
    print_table(table, 2, markdown)
    print_members(totals, markdown)
    found = findings(totals, transfer_bars())
    missed = [one for one in found if not one.met]
    print(f"\n{len(found) - len(missed)} of {len(found)} bars met\n")
    if missed:
        print_findings(missed, ["pass", "names"], markdown)
    return not missed


def print_members(totals: dict[Key, Tally], markdown: bool) -> None:
    """Prints how complete the modules of fused nodes are, and the calls."""
    table = [["pass", "names", *MEMBER_COLUMNS, *(f"call {what}" for what in CALLS)]]
    for what in PASSES:
        for names in FILES:
            if (tally := totals.get((what, names))) is not None:
                cells = [str(tally.members[column]) for column in MEMBERS]
                table.append([what, names, *cells, *(str(tally.calls[call]) for call in CALLS)])
    print("\nModules of fused nodes, and calls\n")
    print_table(table, 2, markdown)


def score_cells(tally: Tally) -> list[str]:
    data, shape = tally.kinds["data"], tally.kinds["shape"]
    return [
        str(tally.models),
        f"{tally.with_truth:.2%}",
        str(data["told"]),
        *(_percent(tally.share("data", verdict)) for verdict in ("exact", "unknown", "wrong")),
        str(data["cross_layer"]),
        str(shape["told"]),
        _percent(tally.share("shape", "exact")),
        f"{tally.wrong_at_high:.3%}",
        format_ranking(tally.ranking),
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"


def print_truth(outcomes: list[dict[str, Any]], markdown: bool = False) -> None:
    table = [["pass", *TRUTH_COLUMNS]]
    for what in PASSES:
        mine = [row for row in outcomes if row["pass"] == what]
        if mine:
            table.append([what, *_truth_cells(mine)])
    print_table(table, 1, markdown)
    lost: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for row in outcomes:
        counts = row.get("counts", {})
        lost.update(counts.get("reasons", {}))
        alone.update({problem: counts.get(problem, 0) for problem in ALONE})
    same, left_open, other = (alone[problem] for problem in ALONE)
    print(
        f"\nwhere both agree, numbers alone would have named the same module for {same} nodes, "
        f"none for {left_open}, another for {other}"
    )
    if lost:
        print("without truth: " + ", ".join(f"{count} {reason}" for reason, count in lost.most_common()))


def _truth_cells(outcomes: list[dict[str, Any]]) -> list[str]:
    made = [row["counts"] for row in outcomes if row["ok"]]
    total: Counter[str] = Counter()
    for counts in made:
        total.update({key: value for key, value in counts.items() if isinstance(value, int)})
    shares = [_share(total[f"{kind} told"], total[kind]) for kind in KINDS]
    numbers = [str(total[problem]) for problem in AGREEMENTS]
    return [str(len(made)), str(len(outcomes) - len(made)), str(total["nodes"]), *shares, *numbers]


def _share(part: int, total_count: int) -> str:
    return f"{part / total_count:.2%} of {total_count}" if total_count else "-"


def print_failures(outcomes: list[dict[str, Any]]) -> None:
    """Prints each tool's error messages, with their number and one model."""
    failed: dict[tuple[str, str], list[str]] = {}
    for row in outcomes:
        message = row["counts"].get("not run", "") if row["ok"] else row["message"]
        if message:
            problem = "numbers not compared" if row["ok"] else "failed"
            failed.setdefault((f"{row['pass']} {problem}", message), []).append(
                f"{row['name']}.{row['exporter']}"
            )
    for (where, message), models in sorted(failed.items()):
        more = f" and {len(models) - 1} more" if len(models) > 1 else ""
        print(f"{where}: {models[0]}{more}: {message}")
