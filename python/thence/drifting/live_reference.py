"""A live PyTorch model as the reference: the outputs of its modules, by path, call and number.

The tensors of the ONNX model that leave a module are paired with the tensors that the module's forward
returned. Which of them is which follows from their sizes and numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from .. import _core
from ..capturing import ModulePaths
from ..capturing.tensors import tensors_in
from ..errors import BAD_INPUT, Error, translate_errors
from ..exporting import LOCK, derive_inputs, load, preserved_state
from ..exporting.quiet import quiet
from ..given import MapOptions, core_model
from ..observe import capture_live_model
from ..verify.numbers import Array, Feed
from .find import DriftRequest
from .graph_parts import Model
from .matched import Matched, ModuleFacts, Pair, enclosing, is_inside, read_modules
from .sides import NotAccepted, OnnxSide

MOST_FORMS = 6  # tensors that leave a module and are tried as one that it returned


@dataclass(frozen=True)
class Returned:
    """A tensor that a call of a module returned."""

    path: str
    call: int
    name: str


def open_live_reference(
    request: DriftRequest, model: OnnxSide, feeds: Feed | None
) -> tuple[LiveSide, Matched, Iterator[Feed]]:
    """Loads the model, runs it once, and pairs its modules' outputs with tensors of the ONNX model."""
    loaded = load(request.reference, trust_remote_code=request.trust_remote_code)
    loaded.model.eval()
    if loaded.inputs is not None:
        inputs = loaded.inputs
    else:
        inputs = derive_inputs(loaded.model, loaded.config, hints=loaded.hints)
    names = [value.name for value in model.graph.inputs]
    side = LiveSide(loaded.model, {**inputs.arguments}, [*inputs.tensors], names)
    feed = side.feed if feeds is None else feeds
    metadata = request.metadata
    if metadata is None:
        metadata = capture_live_model(loaded.model, inputs.arguments, needed=["execution_trace"])
    with MapOptions(metadata, request.strategy).in_core() as options, translate_errors():
        document = json.loads(_core.map(core_model(model.model.path), options))
    try:
        returned = side.record(feed)
    except NotAccepted as error:
        hint = "give inputs that both models accept with --inputs FILE.npz"
        raise Error(BAD_INPUT, "K008", str(error), hint) from error
    return side, _match(returned, document, model), iter([feed])


class LiveSide:
    """Runs a PyTorch model and keeps the requested outputs of its modules."""

    def __init__(
        self, model: torch.nn.Module, arguments: dict[str, Any], tensors: list[str], names: list[str]
    ) -> None:
        self._model, self._arguments = model, arguments
        # An exporter may have renamed inputs; then they are in the same order.
        self._graph_names = {
            name: name if name in names or len(names) != len(tensors) else names[at]
            for at, name in enumerate(tensors)
        }

    @property
    def feed(self) -> Feed:
        """The inputs of the model, by the names of the ONNX model's."""
        return {
            name: self._arguments[argument].detach().cpu().numpy()
            for argument, name in self._graph_names.items()
        }

    def record(self, feed: Feed) -> list[Returned]:
        """The tensors that modules returned, in order."""
        recorder = _Recorder(None)
        self._run(feed, recorder)
        return recorder.order

    def values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]:
        recorder = _Recorder({*names})
        self._run(feed, recorder)
        return recorder.values

    def _run(self, feed: Feed, recorder: _Recorder) -> None:
        arguments = dict(self._arguments)
        for argument, name in self._graph_names.items():
            if name in feed:
                arguments[argument] = torch.from_numpy(feed[name]).to(arguments[argument].dtype)
        config = getattr(self._model, "config", None)
        with LOCK, preserved_state(self._model, config), quiet(), torch.no_grad(), recorder.on(self._model):
            try:
                self._model(**arguments)
            except Exception as error:
                message = " ".join(str(error).split())[:300] or type(error).__name__
                raise NotAccepted(f"the PyTorch model cannot be run: {message}") from error


class _Recorder:
    """Hooks that keep the wanted tensors; all are listed, and only those are copied."""

    def __init__(self, wanted: set[str] | None) -> None:
        self.order: list[Returned] = []
        self.values: dict[str, Array] = {}
        self._wanted = wanted
        self._calls: dict[str, int] = {}

    @contextmanager
    def on(self, model: torch.nn.Module) -> Iterator[None]:
        handles = []
        try:
            for named in ModulePaths(model):
                handles.append(named.module.register_forward_hook(self._hook(named.path)))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _hook(self, path: str) -> Callable[[Any, Any, Any], None]:
        def keep(_module: Any, _arguments: Any, result: Any) -> None:
            call = self._calls[path] = self._calls.get(path, -1) + 1
            for number, tensor in enumerate(tensors_in(result)):
                name = f"{path or '(root)'} call {call} output {number}"
                self.order.append(Returned(path, call, name))
                if self._wanted is not None and name in self._wanted:
                    self.values[name] = _numbers(tensor)

        return keep


def _numbers(tensor: torch.Tensor) -> Array:
    """A copy: the model may write into the tensor later."""
    value = tensor.detach().cpu()
    if value.dtype == torch.bfloat16:
        value = value.float()
    return value.clone().contiguous().numpy()


def _match(returned: list[Returned], document: dict[str, Any], model: OnnxSide) -> Matched:
    """Pairs each returned tensor with the tensors that leave the nodes of its module, the last one first."""
    rows = [row for row in document["nodes"] if row["graph"] == ""]
    modules = read_modules(document, rows)
    leaving = _leaving(rows, modules, model.model)
    pairs = []
    for order, each in enumerate(returned):
        calls = leaving.get(each.path, {})
        names = calls.get(each.call, []) or calls.get(None, [])
        if names:
            pairs.append(Pair(tuple(names), (each.name,), each.path, order))
    matched = Matched(pairs, modules)
    for at, pair in enumerate(pairs):
        assert pair.path is not None
        matched.outputs[pair.path].append(at)
    _add_received(matched, rows, model.model)
    return matched


def _leaving(
    rows: list[dict[str, Any]], modules: dict[str, ModuleFacts], model: Model
) -> dict[str, dict[int | None, list[str]]]:
    """By module and call: the tensors that its nodes write and others read. The call of a module inside
    another one is not that of the other, so that with several calls only own nodes have one."""
    found: dict[str, dict[int | None, list[str]]] = {path: {} for path in modules}
    for index in range(len(model.nodes) - 1, -1, -1):
        row = rows[index]
        for path in () if row["module"] is None else enclosing(row["module"]):
            for name in model.nodes[index].output:
                readers = model.readers.get(name, [])
                leaves = any(not is_inside(rows[reader]["module"], path) for reader in readers)
                if name and (leaves or name in model.outputs):
                    for call in {row["call"] if path == row["module"] else None, None}:
                        names = found[path].setdefault(call, [])
                        if len(names) < MOST_FORMS:
                            names.append(name)
    return found


def _add_received(matched: Matched, rows: list[dict[str, Any]], model: Model) -> None:
    """The pairs that nodes of a module read and that other modules return."""
    by_name: dict[str, int] = {}
    for at, pair in enumerate(matched.pairs):
        by_name.setdefault(pair.ours[0], at)
    for index, names in enumerate(model.reads):
        path = rows[index]["module"]
        for name in names & by_name.keys():
            at = by_name[name]
            for module in () if path is None else enclosing(path):
                own = matched.received[module]
                if not is_inside(matched.pairs[at].path, module) and at not in own:
                    own.append(at)
