"""Compares the answers of `thence weights` with the truth."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from tools.accuracy.evaluate import PROGRAM

from .truth import PARAMETER, ROLE, UNDECIDED

QUANTISATION = ("scale of", "zero point of")
# right: the first name is the parameter, and no name is false. unnamed: there is no name.
RIGHT, WRONG, UNNAMED = "right", "wrong", "unnamed"
FALSE_NAME, SCALE_RIGHT, SCALE_WRONG = "false name", "scale right", "scale wrong"
SAME_TRANSFORM = "same transform"  # of those that are right
FOLDED_NORM = "folded norm"  # of those that are unnamed: biases that only a folded norm gave numbers


def answers(model: Path, *flags: str) -> list[dict[str, Any]]:
    command = [PROGRAM, "weights", str(model), "--format", "json", "-q", "--no-rules", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return list(json.loads(done.stdout)["initializers"])


def score(model: Path, truth: Path, *flags: str) -> dict[str, Any]:
    """Counts by verdict, and the initializers that are not right."""
    return compare(answers(model, *flags), truth)


def compare(said_rows: list[dict[str, Any]], truth: Path) -> dict[str, Any]:
    """The same for answers that are known."""
    counts: Counter[str] = Counter()
    misses = []
    rows = json.loads(truth.read_text())
    given = {row["name"]: row for row in said_rows if row["graph"] == ""}
    known = {name for row in rows for names in row["parameters"] for name in names}
    for row in rows:
        answer = given[row["name"]]
        verdict = _verdict(row, answer, known)
        counts[verdict] += 1
        if verdict == RIGHT and row["transform"] == answer["transform"]:
            counts[SAME_TRANSFORM] += 1
        if verdict == UNNAMED and row["transform"] == "folded with":
            counts[FOLDED_NORM] += 1
        if verdict in (WRONG, UNNAMED, FALSE_NAME, SCALE_WRONG):
            said = (answer["parameters"], answer["transform"], answer["source"])
            misses.append([verdict, row["name"], row["transform"], [n[0] for n in row["parameters"]], said])
    return {"counts": counts, "misses": misses}


def _verdict(row: dict[str, Any], answer: dict[str, Any], known: set[str]) -> str:
    said = answer["parameters"]
    is_role = answer["transform"] in QUANTISATION
    if row["verdict"] == ROLE:
        if said and not is_role:
            return FALSE_NAME
        if not row["parameters"]:
            return "scale of unknown"
        return SCALE_RIGHT if _names(row) & set(said) else SCALE_WRONG
    if row["verdict"] == UNDECIDED or (row["verdict"] == PARAMETER and not row["counts"]):
        return "not counted"
    if row["verdict"] != PARAMETER:
        # A buffer of few different numbers keeps its name.
        return FALSE_NAME if said and not row["name"].startswith(said[0]) else "none"
    if not said:
        return UNNAMED
    false_names = set(said) & known - _names(row)
    return RIGHT if said[0] in row["parameters"][0] and not false_names and not is_role else WRONG


def _names(row: dict[str, Any]) -> set[str]:
    return {name for names in row["parameters"] for name in names}
