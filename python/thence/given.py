"""The arguments that most functions take: a model, and the options of its map."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from . import _core
from .errors import BAD_INPUT, USAGE, Error, translate_errors

if TYPE_CHECKING:
    from onnx import ModelProto

# A path, the bytes of a file, or a ModelProto. A path may be given as a Path or a str.
AnyPath: TypeAlias = Union[str, "os.PathLike[str]"]
AnyModel: TypeAlias = Union[AnyPath, bytes, "ModelProto"]


@dataclass(frozen=True)
class SavedModel:
    """A saved model in place of a capture: a folder that `save_pretrained` wrote, or its config.json.

    It is described without running it: modules, classes and shapes by the configuration, weights by the
    headers of its safetensors files. Their content is read only where it must be compared.
    """

    path: AnyPath


# A capture: the result of `capture` or `TracingHierarchyBuilder`, or the path of a capture file or of a saved
# program (`.pt2`). Or a saved model.
Metadata: TypeAlias = Mapping[str, Any] | AnyPath | SavedModel

_MOST_BYTES = 2**31 - 1  # of a ModelProto in memory, a limit of protobuf


@dataclass(frozen=True)
class MapOptions:
    """How a model is mapped; the fields are the arguments of `thence.map`."""

    metadata: Metadata | None = None
    strategy: str = "auto"
    torch_nn_exceptions: Sequence[str] | None = None
    tag_format: str = "ordinal"
    rules: AnyPath | None = None
    granularity: str | None = None
    ignore_tags: bool = False

    @contextmanager
    def in_core(self) -> Iterator[_core.Options]:
        """The options for the core. A capture that is a Python value is in a file as long as this lasts.

        Errors of the core are raised as `Error`.
        """
        exceptions = self.torch_nn_exceptions
        checkpoint, description = _describe(self.metadata)
        with capture_file(self.metadata) as capture, translate_errors(self._temporary(capture), "metadata"):
            yield _core.Options(
                checkpoint=checkpoint,
                description=description,
                capture=capture,
                strategy=self.strategy,
                exceptions=None if exceptions is None else list(exceptions),
                tag_format=self.tag_format,
                rules="" if self.rules is None else os.fspath(self.rules),
                granularity=self.granularity or "",
                ignore_tags=self.ignore_tags,
            )

    def _temporary(self, capture: str) -> str:
        """The path of the capture, if the user does not know it."""
        return capture if isinstance(self.metadata, Mapping) else ""


@contextmanager
def capture_file(metadata: Metadata | None) -> Iterator[str]:
    """Yields the path of a capture. A capture that is a Python value is written to a temporary file."""
    if isinstance(metadata, SavedModel):
        yield ""
    elif isinstance(metadata, Mapping):
        with tempfile.TemporaryDirectory(prefix="thence.") as folder:
            path = Path(folder) / "model.capture.json"
            path.write_text(json.dumps(metadata), encoding="utf-8")
            yield str(path)
    else:
        yield "" if metadata is None else os.fspath(metadata)


def _describe(metadata: Metadata | None) -> tuple[str, str]:
    """The path and the description of a saved model; two empty strings if it is something else."""
    if not isinstance(metadata, SavedModel):
        return "", ""
    with translate_errors():
        from .saved_models import describe

        return os.fspath(metadata.path), json.dumps(describe(metadata.path))


def core_model(model: AnyModel) -> _core.Model:
    """The model for the core.

    >>> core_model(3)
    Traceback (most recent call last):
        ...
    TypeError: a model is a path, bytes or an onnx.ModelProto, not int
    """
    if isinstance(model, (str, os.PathLike)):
        return _core.Model(os.fspath(model), None)
    return _core.Model("", model_bytes(model))


def model_bytes(model: bytes | ModelProto) -> bytes:
    """The bytes of a model in memory."""
    if isinstance(model, bytes):
        return model
    if not hasattr(model, "SerializeToString"):
        raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(model).__name__}")
    if model.ByteSize() > _MOST_BYTES:
        hint = "save it with onnx.save(..., save_as_external_data=True), and give the path"
        raise Error(BAD_INPUT, "L005", "a ModelProto of more than 2 GiB cannot be read", hint)
    return bytes(model.SerializeToString())


def check_choice(argument: str, value: str, choices: Sequence[str]) -> None:
    """Raises Error if the value of an argument is not one of its choices.

    >>> check_choice("sort", "flop", ["nodes", "flops"])
    Traceback (most recent call last):
        ...
    thence.errors.Error: error[U026]: sort: 'flop' is not one of its values
      help: values: nodes, flops
    """
    if value not in choices:
        text = f"{argument}: {value!r} is not one of its values"
        raise Error(USAGE, "U026", text, f"values: {', '.join(choices)}")


@dataclass(frozen=True)
class Output:
    """A file to be written, or none: then the content is returned."""

    path: Path | None
    existed: bool

    @classmethod
    def of(cls, output: AnyPath | None, *inputs: Any) -> Output:
        """Raises Error if the output is one of the `inputs`, such as the capture."""
        if output is None:
            return cls(None, False)
        path = Path(output)
        files = [given for given in inputs if isinstance(given, (str, os.PathLike)) and os.path.exists(given)]
        if path.exists() and any(path.samefile(given) for given in files):
            text = f"{path}: the output would replace an input file"
            raise Error(USAGE, "U011", text, "give another path as output")
        return cls(path, path.is_file())

    @property
    def text(self) -> str:
        """The path for the core; empty if there is none."""
        return "" if self.path is None else str(self.path)
