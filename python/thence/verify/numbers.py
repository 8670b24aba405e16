"""What a model computes: the numbers of values of its main graph, by onnxruntime as the file has it."""

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
AT_FIRST = 16  # values asked for while it is not known how large they are
AT_LEAST = 8
_ALL_KEPT = 1 << 20  # the same where all values are kept
MEMORY = 1 << 28  # bytes of values that are held at once


class Runner:
    """A model that shows some of its values at a time.

    onnxruntime keeps every value that is shown until a run ends, so that those asked for together are a
    session of their own. One session is held at a time; weights in other files are read by it alone.
    """

    def __init__(self, model: Path | bytes, shown: Iterable[str]) -> None:
        self._model, self._shown = model, frozenset(shown)
        self._names: tuple[str, ...] = ()
        self._session: Any = None

    def values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]:
        """By name; those that are not numbers, or too many, are left out."""
        wanted = tuple(dict.fromkeys(names))
        if self._session is None or wanted != self._names:
            self.release()
            more = _outputs(name for name in wanted if name not in self._shown)
            self._session = _opened(self._model, more)
            self._names = wanted
        given = {value.name: feed[value.name] for value in self._session.get_inputs() if value.name in feed}
        return _arrays(wanted, self._session.run(list(wanted), given)) if wanted else {}

    def release(self) -> None:
        """Gives its memory back; asked once more, it reads the model anew."""
        self._session = None


class Portions:
    """The items in portions, as large as the memory that the last one took allows for."""

    def __init__(self, items: Sequence[Item], memory: int = MEMORY) -> None:
        self._items, self._memory, self._size = items, memory, AT_FIRST

    def __iter__(self) -> Iterator[Any]:
        first = 0
        while first < len(self._items):
            portion = self._items[first : first + self._size]
            first += len(portion)
            yield portion

    def took(self, arrays: Iterable[Array], items: int) -> None:
        """What the last one took."""
        each = sum(array.nbytes for array in arrays) // max(items, 1) + 1
        self._size = max(AT_LEAST, self._memory // each)


def numbers(model: onnx.ModelProto, feed: Feed) -> dict[str, Array]:
    """By name, the values that nodes of the main graph give; those that cannot be had are left out."""
    names = [name for node in model.graph.node for name in node.output if name]
    runner = Runner(model.SerializeToString(), (value.name for value in model.graph.output))
    found: dict[str, Array] = {}
    portions = Portions(names)
    for some in portions:
        got = runner.values(some, feed)
        portions.took(got.values(), len(some))
        found |= {name: value for name, value in got.items() if value.size <= _ALL_KEPT}
    return found


def _outputs(names: Iterable[str]) -> bytes:
    """Bytes that, appended to a model's, make these values outputs of its graph."""
    import onnx

    more = onnx.ModelProto()
    more.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return more.SerializeToString() if more.graph.output else b""


def _opened(model: Path | bytes, more: bytes) -> Any:
    """A session of the model and some bytes more."""
    if isinstance(model, bytes):
        return _session(model + more)
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        whole = b"".join((data, more))  # the one copy
    return _session(whole, model.parent)


def _session(model: bytes, folder: Path | None = None) -> Any:
    """As the model is written, on one thread: the same numbers in every run."""
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
