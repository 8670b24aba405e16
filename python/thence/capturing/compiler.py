"""Recording in the presence of TorchDynamo, which traces Python code: control flow such as `torch.cond`
starts it.

Dynamo cannot trace our hooks, so the hooks do nothing in code that it traces. A recorded run avoids Dynamo,
so that branches and loop bodies are recorded as they run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch

_Result = TypeVar("_Result")

_DYNAMO = "torch._dynamo"


# Dynamo recognises this function and replaces a call of it by True. PyTorch has it since 2.1.
is_dynamo_tracing: Callable[[], bool] = torch.compiler.is_dynamo_compiling


@contextmanager
def without_compilation() -> Iterator[None]:
    """Runs compiled functions uncompiled. Nothing is compiled unless Dynamo was imported."""
    stance = getattr(torch.compiler, "set_stance", None)
    if stance is None or _DYNAMO not in sys.modules:
        yield
        return
    with stance("force_eager"):
        yield


def run_uncompiled(run: Callable[[], _Result]) -> _Result:
    """Calls `run`, which uses `without_compilation`; calls it twice if the first call imports Dynamo.

    The first call then ran with Dynamo: it fails, or lacks what ran in branches and loop bodies. To import
    Dynamo beforehand would cost seconds for the many models that never need it.
    """
    imported = _DYNAMO in sys.modules
    try:
        result = run()
    except Exception:
        if imported or _DYNAMO not in sys.modules:
            raise
    else:
        if imported or _DYNAMO not in sys.modules:
            return result
    # Dynamo remembers functions that it failed to trace, and would skip them in a later export. Everything
    # that it compiled was compiled in `run`, so a reset loses nothing of the user's.
    dynamo: Any = sys.modules[_DYNAMO]
    dynamo.reset()
    return run()
