"""Computes the numbers of values of a model's main graph, with onnxruntime and without its optimisations."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    import onnx

Array = np.ndarray[Any, Any]
Feed = dict[str, Array]
Item = TypeVar("Item")
LARGEST = 1 << 22  # numbers in a value; larger ones are not kept
FIRST_PORTION = 16  # values requested while their sizes are unknown
SMALLEST_PORTION = 8
_ALL_KEPT = 1 << 20  # limit for the number of elements if all values are kept
MEMORY = 1 << 28  # bytes of values that are in memory at once


class Runner:
    """Runs a model and returns some of its values at a time.

    onnxruntime keeps every requested value until a run ends, so each set of requested values is a session.
    One session is open at a time; only the session reads weights in other files.
    """

    def __init__(self, model: Path | bytes, outputs: Iterable[str]) -> None:
        self._model, self._graph_outputs = model, frozenset(outputs)
        self._names: tuple[str, ...] = ()
        self._session: Any = None

    def values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]:
        """Values by name; values that are not numeric, or too large, are left out."""
        wanted = tuple(dict.fromkeys(names))
        if self._session is None or wanted != self._names:
            self.release()
            more = _outputs(name for name in wanted if name not in self._graph_outputs)
            self._session = _extended_session(self._model, more)
            self._names = wanted
        inputs = {value.name: feed[value.name] for value in self._session.get_inputs() if value.name in feed}
        return _arrays(wanted, self._session.run(list(wanted), inputs)) if wanted else {}

    def release(self) -> None:
        """Frees the memory; a later request reads the model again."""
        self._session = None


class Portions:
    """Splits items into portions, sized by the memory that the last portion used."""

    def __init__(self, items: Sequence[Item], memory: int = MEMORY) -> None:
        self._items, self._memory, self._size = items, memory, FIRST_PORTION

    def __iter__(self) -> Iterator[Any]:
        first = 0
        while first < len(self._items):
            portion = self._items[first : first + self._size]
            first += len(portion)
            yield portion

    def record_memory(self, arrays: Iterable[Array], items: int) -> None:
        """Records the memory of the last portion."""
        each = sum(array.nbytes for array in arrays) // max(items, 1) + 1
        self._size = max(SMALLEST_PORTION, self._memory // each)


def numbers(model: onnx.ModelProto, feed: Feed) -> dict[str, Array]:
    """The outputs of nodes of the main graph, by name; values that cannot be computed are left out."""
    names = [name for node in model.graph.node for name in node.output if name]
    runner = Runner(model.SerializeToString(), (value.name for value in model.graph.output))
    found: dict[str, Array] = {}
    portions = Portions(names)
    for some in portions:
        got = runner.values(some, feed)
        portions.record_memory(got.values(), len(some))
        found |= {name: value for name, value in got.items() if value.size <= _ALL_KEPT}
    return found


def _outputs(names: Iterable[str]) -> bytes:
    """Bytes that, appended to a model's, make these values outputs of its graph."""
    import onnx

    more = onnx.ModelProto()
    more.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return more.SerializeToString() if more.graph.output else b""


def _extended_session(model: Path | bytes, more: bytes) -> Any:
    """Opens a session of the model with the bytes appended."""
    if isinstance(model, bytes):
        return open_session(model + more)
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        flat = None
        if data.find(b"pkg.thence") >= 0:  # perhaps folded: values in its functions cannot be outputs
            from ..folded import flat_bytes  # here, because only folded models need the core

            flat = flat_bytes(model)
        content = b"".join((data if flat is None else flat, more))  # the only copy
    return open_session(content, model.parent)


def open_session(model: bytes, folder: Path | None = None) -> Any:
    """Disables optimisations and uses one thread, so that every run gives the same numbers."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    settings.enable_cpu_mem_arena = False
    if folder is not None:
        where = str(folder.resolve())
        settings.add_session_config_entry("session.model_external_initializers_file_folder_path", where)
    return onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])


def _arrays(names: Sequence[str], values: Sequence[Any]) -> dict[str, Array]:
    pairs = zip(names, values, strict=True)
    return {name: value for name, value in pairs if isinstance(value, np.ndarray) and value.size <= LARGEST}
