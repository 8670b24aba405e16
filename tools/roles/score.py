"""Compares the answers of `thence show` with the labels."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

PROGRAM = os.environ.get("THENCE_BIN") or "build/release/bin/thence"
LABELS = Path(__file__).with_name("labels.jsonl")
LINEAR = "linear_projection"
# What is measured: linear layers, the role attention, components.
QUESTIONS = ("linear", "attention", "component")
Row = dict[str, Any]


def labels() -> dict[str, Row]:
    """By architecture."""
    rows = map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())
    return {row["architecture"]: row for row in rows}


def answers(model: Path, capture: Path | None) -> dict[str, Row]:
    """By path: the modules of a model."""
    flags = ["--capture", str(capture)] if capture else []
    command = [PROGRAM, "show", str(model), "-q", "--format", "jsonl", *flags]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {row["path"]: row for row in map(json.loads, printed.splitlines())}


def components(answer: Row) -> list[str]:
    if answer.get("components") is not None:
        return list(answer["components"])
    component = answer["component"]
    return ["query", "key", "value"] if component == "qkv" else [component] if component else []


def is_linear(answer: Row) -> bool:
    return LINEAR in (answer["semantic_type"], answer.get("operation"))


def score(wanted: Row, given: dict[str, Row]) -> tuple[Counter[str], list[str]]:
    """For each question: answers given, wanted and right. A file alone does not have every module."""
    found: Counter[str] = Counter()
    wrong = []
    nothing: Row = {"semantic_type": None, "component": None}

    def count(question: str, path: str, right: Any, answer: Any) -> None:
        found[f"{question} wanted"] += bool(right)
        found[f"{question} given"] += bool(answer)
        found[f"{question} right"] += bool(right) and right == answer
        if right != answer:
            wrong.append(f"{question}: {wanted['architecture']} {path}: {answer}, not {right}")

    for kind in ("linear", "other"):
        for path in wanted[kind]:
            count("linear", path, kind == "linear", is_linear(given.get(path, nothing)))
    for path in wanted["attention"]:
        count("attention", path, "attention", given.get(path, nothing)["semantic_type"])
    for path, right in wanted["components"].items():
        count("component", path, right, components(given.get(path, nothing)))
    return found, wrong
