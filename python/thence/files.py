"""The results of functions that make a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .documents import Map
from .notebook import html_table
from .tables import arrow_table, pandas_table

if TYPE_CHECKING:
    from onnx import ModelProto


@dataclass(frozen=True)
class MadeFile:
    """A file that was written, or its content.

    `path` is the file, if an output was given; otherwise `content` has its bytes. `replaced` is whether a
    file was there before.
    """

    path: Path | None
    content: bytes | None = field(repr=False)
    replaced: bool

    def read(self) -> bytes:
        """The content, also if it was written to a file."""
        if self.content is not None:
            return self.content
        assert self.path is not None
        return self.path.read_bytes()

    def to_dict(self) -> dict[str, Any]:
        """All fields but the content, as values that JSON has."""
        return {
            one.name: _plain(getattr(self, one.name))
            for one in fields(self)
            if one.repr and not isinstance(getattr(self, one.name), Map)
        }

    def to_pandas(self) -> Any:
        """The fields as a pandas DataFrame of one row."""
        return pandas_table([self.to_dict()])

    def to_arrow(self) -> Any:
        """The fields as a pyarrow Table of one row."""
        return arrow_table([self.to_dict()])

    def _repr_html_(self) -> str:
        rows = list(self.to_dict().items())
        return html_table(type(self).__name__, ["field", "value"], rows, len(rows))


@dataclass(frozen=True)
class MadeModel(MadeFile):
    """A model that was written, or its bytes."""

    def to_proto(self) -> ModelProto:
        """The model as a ModelProto, with its external data if it was written to a file."""
        import onnx

        if self.path is not None:
            return onnx.load(str(self.path))
        return onnx.load_from_string(self.read())


@dataclass(frozen=True)
class TaggedModel(MadeModel):
    """A model with its answers as tags."""

    nodes: int
    tagged: int  # nodes whose module is known
    map: Map = field(repr=False)


@dataclass(frozen=True)
class StrippedModel(MadeModel):
    """A model as it was before it was tagged."""

    had_tags: bool


@dataclass(frozen=True)
class ExtractedModel(MadeModel):
    """One module, cut out as a separate model."""

    module: str
    nodes: int
    of_nodes: int  # of the whole model
    initializers: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    call: int  # for a module that runs several times
    calls: int
    untyped: tuple[str, ...]  # inputs and outputs whose types could not be found


@dataclass(frozen=True)
class FoldedModel(MadeModel):
    """A model whose modules are functions."""

    modules: int
    functions: int
    nodes: int  # of the main graph
    of_nodes: int  # of the main graph before
    in_pieces: tuple[str, ...]  # modules that are several functions
    unused: tuple[str, ...]  # not folded: no node reads their outputs
    only_bodies: tuple[str, ...]  # not folded: their nodes are in bodies of other nodes
    is_exact: bool  # `unfold` restores all bytes


@dataclass(frozen=True)
class UnfoldedModel(MadeModel):
    """A model whose functions are nodes again."""

    is_restored: bool  # byte by byte, as it was before `fold`
    kept: tuple[str, ...]  # functions that could not be expanded


@dataclass(frozen=True)
class Converted(MadeFile):
    """A map in the format of another program."""

    to: str

    @property
    def text(self) -> str:
        """The content of a text format."""
        return self.read().decode()


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
