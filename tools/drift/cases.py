"""One fault in one model, and what `thence drift` names for it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from .faults import FAULTS, Fault

NAMED, OTHER, MISSED, NOT_POSSIBLE = "named", "another module", "nothing", "not possible"
NO_EFFECT = 1e-6  # relative difference of the outputs below which a fault changes nothing: no fault


def truth_rows(path: Path) -> dict[int, dict[str, Any]]:
    """The rows of a truth file for nodes of the main graph with a known module, by index."""
    rows = json.loads(path.read_text())["nodes"]
    return {row["index"]: row for row in rows if row["graph"] == "" and row["module"] is not None}


def inputs_for(name: str, model: Path) -> dict[str, Any]:
    """The inputs with which the architecture was exported."""
    from tools.sample.architectures import inputs_of
    from tools.sample.choices import choice_of

    graph = onnx.load(model, load_external_data=False).graph
    wanted = {value.name for value in graph.input}
    return {key: value.numpy() for key, value in inputs_of(choice_of(name)).items() if key in wanted}


def has_effect(fault: Fault, inputs: dict[str, Any] | None) -> bool:
    """Whether the fault changes an output. A mask may already hide what it hides."""
    from thence.drifting.graph_parts import held
    from thence.verify.numbers import open_session

    if inputs is None:
        return True
    values = []
    for model in (fault.reference, fault.model):
        run = onnx.ModelProto()
        run.CopyFrom(model)
        del run.graph.node[:]
        run.graph.node.extend(held(model.graph.node))
        session = open_session(run.SerializeToString())
        wanted = {value.name for value in session.get_inputs()}
        values.append(session.run(None, {key: value for key, value in inputs.items() if key in wanted}))
    for theirs, ours in zip(*values, strict=True):
        if isinstance(theirs, np.ndarray) and theirs.dtype.kind == "f" and theirs.size:
            largest = float(np.abs(theirs).max()) or 1.0
            if not np.isfinite(ours).all() or float(np.abs(ours - theirs).max()) > NO_EFFECT * largest:
                return True
    return False


def score(
    fault: str, model: Path, truth: Path, inputs: dict[str, Any] | None, capture: Path | None = None
) -> dict[str, Any]:
    """The verdict for one fault, with the modules that were named and accepted."""
    import thence

    made = FAULTS[fault](onnx.load(model), truth_rows(truth))
    if made is None or not has_effect(made, inputs):
        return {"verdict": NOT_POSSIBLE}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("reference.onnx", "model.onnx")]
        for proto, path in zip((made.reference, made.model), paths, strict=True):
            onnx.save(proto, path)
        metadata = None if capture is None else str(capture)
        found = thence.drift(paths[0], paths[1], metadata, inputs=inputs, isolate=False)
    place = found.findings[0] if found.findings else found.first
    named = None if place is None else place.path
    verdict = MISSED if place is None else NAMED if named in made.accepted else OTHER
    return {"verdict": verdict, "named": named, "accepted": sorted(made.accepted)}


def score_as_json(name: str, fault: str, model: Path, truth: Path, capture: Path) -> str:
    """For a separate process."""
    known = capture if capture.exists() else None
    return json.dumps(score(fault, model, truth, inputs_for(name, model), known))
