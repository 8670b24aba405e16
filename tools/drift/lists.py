"""Quantises a model again with lists of nodes to exclude, and measures what they improve."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import onnx

from .cases import inputs_for

LISTS = 10
_SEED = 11


def random_lists(
    model: Path, quantised: Path, budget: float, count: int, inputs: dict[str, Any] | None = None
) -> list[list[str]]:
    """Lists of the same budget, of modules in a random order."""
    from thence.drifting import DriftRequest, find_drift
    from thence.drifting.keep import Candidates, excluded_names, fill_budget

    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "inputs.npz"
        if inputs is not None:
            np.savez(given, **inputs)
        request = DriftRequest(
            str(model), str(quantised), inputs=None if inputs is None else str(given), isolate=False
        )
        candidates = Candidates(find_drift(request))
    shuffled = random.Random(_SEED)
    found = []
    for _ in range(count):
        order = candidates.unmeasured()
        shuffled.shuffle(order)
        found.append(excluded_names(fill_budget(order, budget * candidates.all_bytes)))
    return found


def score_list_as_json(name: str, model: Path, how: str, budget: float) -> str:
    """The SQNR of the model's outputs in dB: quantised, with the proposed list, and with random lists."""
    import thence

    feed = inputs_for(name, model)
    with tempfile.TemporaryDirectory() as folder:
        made = quantise(model, Path(folder) / "quantised.onnx", how, [], feed)
        plain = thence.drift(model, made, inputs=feed, isolate=False)
        proposed = plain.nodes_to_exclude(budget)

        def sqnr(exclude: list[str]) -> float:
            again = quantise(model, Path(folder) / "again.onnx", how, exclude, feed)
            found = thence.drift(model, again, inputs=feed, isolate=False).total["sqnr_db"]
            return float(found)

        lists = random_lists(model, made, budget, LISTS, feed)
        return json.dumps(
            {
                "quantised": float(plain.total["sqnr_db"]),
                "proposed": sqnr(proposed),
                "random": median(sqnr(names) for names in lists),
            }
        )


def quantise(model: Path, target: Path, how: str, exclude: list[str], feed: dict[str, Any]) -> Path:
    """Quantises to 8 bits with onnxruntime: dynamic, qdq or qoperator. Given a path, it writes beside it."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static

    class Once(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._feeds = iter([feed])

        def get_next(self) -> dict[str, Any] | None:
            return next(self._feeds, None)

    given = onnx.load(model)
    if how == "dynamic":
        quantize_dynamic(given, target, nodes_to_exclude=exclude)
    else:
        form = QuantFormat.QDQ if how == "qdq" else QuantFormat.QOperator
        quantize_static(given, target, Once(), form, nodes_to_exclude=exclude)
    return target
