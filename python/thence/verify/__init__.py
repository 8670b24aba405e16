"""Claims that a tensor of one model is a tensor of another, held against numbers: both models are run on
the same inputs, and what they compute is compared.

    verdicts = verify(Path("model.onnx"), Path("optimised.onnx"), claims)

It needs onnx and onnxruntime, which are imported when it is called.
"""

from __future__ import annotations

from .claims import Claim, NotRun, Verdict
from .rounds import verify

__all__ = ["Claim", "NotRun", "Verdict", "verify"]
