"""The passes by name, and the tolerances of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from thence.verify.thresholds import SAME

from . import optimisers, quantisers
from .optimisers import Feed

Run = Callable[[Path, Path, Feed], None]
HALF, BYTES = 3e-2, 0.1  # tolerance of numbers with 16 bits and with 8 bits


@dataclass(frozen=True)
class Step:
    """One run of one tool."""

    run: Run
    tolerance: float | None = SAME  # None: its numbers are too coarse to distinguish layers
    splits_nodes: bool = False  # replaces one node by several
    finer: Run | None = None  # makes the same graph with finer numbers, which is compared instead


BASIC = Step(optimisers.onnxruntime_saved("ENABLE_BASIC"))
EXTENDED = Step(optimisers.onnxruntime_saved("ENABLE_EXTENDED"))
ALL = Step(optimisers.onnxruntime_saved("ENABLE_ALL"))
ONNXSIM = Step(optimisers.onnxsim)
ONNXSLIM = Step(optimisers.onnxslim)
ONNXSCRIPT = Step(optimisers.onnxscript)
FLOAT16 = Step(optimisers.float16, HALF)
OPSET = Step(optimisers.next_opset)
INLINED = Step(optimisers.inlined, splits_nodes=True)
DYNAMIC = Step(quantisers.dynamic, BYTES)
FOUR_BIT = Step(quantisers.four_bit, None)
PREPARED = Step(quantisers.prepared)
QDQ = Step(quantisers.static("QDQ"), HALF, finer=quantisers.static("QDQ", bits=16))
QOPERATOR = Step(quantisers.static("QOperator"), None)

PASSES: dict[str, tuple[Step, ...]] = {
    "ort-basic": (BASIC,),
    "ort-extended": (EXTENDED,),
    "ort-all": (ALL,),
    "transformers-0": (Step(optimisers.onnxruntime_transformers(0)),),
    "transformers-1": (Step(optimisers.onnxruntime_transformers(1)),),
    "transformers-2": (Step(optimisers.onnxruntime_transformers(2)),),
    "onnxsim": (ONNXSIM,),
    "onnxslim": (ONNXSLIM,),
    "onnxscript": (ONNXSCRIPT,),
    "opset": (OPSET,),
    "inlined": (INLINED,),
    "float16": (FLOAT16,),
    "dynamic": (DYNAMIC,),
    "matmul-4bit": (FOUR_BIT,),
    "qdq": (QDQ,),
    "prepared-qdq": (PREPARED, QDQ),
    "qoperator": (QOPERATOR,),
    "prepared-qoperator": (PREPARED, QOPERATOR),
    "ort-extended-dynamic": (EXTENDED, DYNAMIC),
    "onnxsim-float16": (ONNXSIM, FLOAT16),
    "onnxslim-ort-all": (ONNXSLIM, ALL),
    "onnxscript-opset-ort-extended": (ONNXSCRIPT, OPSET, EXTENDED),
    "onnxsim-ort-basic-qdq": (ONNXSIM, BASIC, QDQ),
}


def quantises(what: str) -> bool:
    return any(step in (DYNAMIC, FOUR_BIT, QDQ, QOPERATOR) for step in PASSES[what])
