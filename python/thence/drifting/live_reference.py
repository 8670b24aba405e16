"""A live PyTorch model as the reference: what its modules returned and received in one run.

These values are paired with the tensors of the ONNX model. Which of several tensors a value is, its size and
numbers decide.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import torch

from .. import _core
from ..errors import NOTHING_FOUND, Error, translate_errors
from ..exporting import LOCK, Loaded, load, preserved_state
from ..exporting.quiet import quiet
from ..given import MapOptions, core_model
from ..npz import read_npz
from ..observe import capture_live_model
from ..verify.numbers import Array, Feed, Portions
from .boundaries import Tensor
from .find import DriftRequest
from .graph_parts import Model
from .joined import Joined, Split, expose_sums, split_joined
from .live_inputs import LiveInputs, choose_live_inputs
from .live_pairs import LivePairs, describe_modules, match_values
from .matched import Matched
from .recorded import Recorder
from .sides import NotAccepted, OnnxSide, not_run
from .thresholds import MEMORY


def open_live_reference(
    request: DriftRequest, model: OnnxSide
) -> tuple[LiveSide, OnnxSide, Matched, Iterator[Feed]]:
    """Loads the model, runs it once, and pairs its values with tensors of the ONNX model.

    Fused nodes of the ONNX model get more outputs, so that it is another object afterwards.
    """
    loaded = _load(request)
    given = request.live_inputs if request.inputs is None else read_npz(Path(request.inputs))
    inputs, feed = choose_live_inputs(loaded, given, model.graph)
    live = LiveInputs(loaded.model, inputs, model)
    side, feed = LiveSide(loaded.model, live), live.feed(feed)
    metadata = request.metadata
    if metadata is None:
        metadata = capture_live_model(loaded.model, inputs.arguments, needed=["execution_trace"])
    with MapOptions(metadata, request.strategy).in_core() as options, translate_errors():
        document = json.loads(_core.map(core_model(request.model), options))
    expose_sums(model.model)
    model = OnnxSide(Model(model.model.path, model.model.proto), model.timings)
    try:
        recorder = side.record(feed)
        tensors = _tensors(model, feed)
    except NotAccepted as error:
        raise not_run(error) from error
    rows = [row for row in document["nodes"] if row["graph"] == ""]
    pairs = LivePairs(recorder.values, tensors, rows, model.model)
    split_joined(model.model.proto, pairs.joined)
    side.joined = {each.values_name: each for each in pairs.joined}
    side.split = {name: each for each in pairs.split for _, name in each.names}
    modules = describe_modules(document, recorder.classes)
    matched = match_values(recorder.values, pairs, modules)
    if not matched.pairs:
        text = f"{request.model}: no tensor is an output of a module of {request.reference}"
        raise Error(NOTHING_FOUND, "D001", text, "give the PyTorch model that the ONNX model was made from")
    model = OnnxSide(Model(model.model.path, model.model.proto), model.timings)
    return side, model, matched, iter([feed])


def _load(request: DriftRequest) -> Loaded:
    if request.live is not None:
        return Loaded(request.live, getattr(request.live, "config", None))
    return load(request.reference, trust_remote_code=request.trust_remote_code)


def _tensors(model: OnnxSide, feed: Feed) -> dict[str, Tensor]:
    """The shapes of all tensors that are numbers, in a run of the ONNX model."""
    found: dict[str, Tensor] = {}
    portions = Portions([*model.model.producer], MEMORY)
    for names in portions:
        values = model.values(names, feed)
        portions.record_memory(values.values(), len(names))
        found |= {name: Tensor(value.shape, value.dtype.kind == "f") for name, value in values.items()}
    return found


class LiveSide:
    """Runs a PyTorch model and keeps the requested values."""

    def __init__(self, model: torch.nn.Module, inputs: LiveInputs) -> None:
        self._model, self._inputs = model, inputs
        self.joined: dict[str, Joined] = {}
        self.split: dict[str, Split] = {}

    def record(self, feed: Feed) -> Recorder:
        """All values in order, without their numbers."""
        return self._run(feed, set())

    def values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]:
        wanted = {*names}
        joined = [self.joined[name] for name in wanted & self.joined.keys()]
        parts = {part.name for each in joined for part in each.parts}
        parts |= {self.split[name].value.name for name in wanted & self.split.keys()}
        found = self._run(feed, wanted | parts).numbers
        for each in joined:
            numbers = [found[part.name] for part in each.parts if part.name in found]
            if len(numbers) == len(each.parts):
                found[each.values_name] = np.concatenate(numbers, axis=-1)
        for name in wanted & self.split.keys():
            if self.split[name].value.name in found:
                found |= self.split[name].cut(found[self.split[name].value.name])
        return {name: found[name] for name in wanted & found.keys()}

    def _run(self, feed: Feed, wanted: set[str]) -> Recorder:
        arguments, recorder = self._inputs.arguments(feed), Recorder(wanted)
        config = getattr(self._model, "config", None)
        with LOCK, preserved_state(self._model, config), quiet(), torch.no_grad(), recorder.on(self._model):
            try:
                self._model(**arguments)
            except Exception as error:
                message = " ".join(str(error).split())[:300] or type(error).__name__
                raise NotAccepted(f"the PyTorch model cannot be run: {message}") from error
        return recorder
