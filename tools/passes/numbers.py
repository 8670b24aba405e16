"""What a model computes: the numbers of every value of its main graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from .ids import outputs_of

Array = np.ndarray[Any, Any]
AT_A_TIME = 256  # values asked for in one run, so that a large model need not hold all at once
LARGEST = 1 << 20  # numbers in a value; larger ones are not kept


def numbers(model: onnx.ModelProto, feed: dict[str, Array]) -> dict[str, Array]:
    """By name, the values that nodes of the main graph give; those that cannot be had are left out."""
    import onnxruntime

    names = list(outputs_of(model.graph.node))
    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    shown = {value.name for value in model.graph.output}
    open_model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in shown)
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        open_model.SerializeToString(), settings, providers=["CPUExecutionProvider"]
    )
    wanted = {value.name: feed[value.name] for value in session.get_inputs()}
    found: dict[str, Array] = {}
    for first in range(0, len(names), AT_A_TIME):
        some = names[first : first + AT_A_TIME]
        for name, value in zip(some, session.run(some, wanted), strict=True):
            if isinstance(value, np.ndarray) and value.size <= LARGEST:
                found[name] = value
    return found
