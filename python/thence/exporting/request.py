"""The request to an exporter, and its result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from torch import nn

from ..capturing import ModulePaths
from .errors import Code, ExportError
from .inputs import Inputs

# A protobuf file is limited to 2 GiB. Weights that exceed this number of bytes go to a separate file.
INLINE_LIMIT = 1536 * 1024 * 1024


class Wrapping(Enum):
    """The wrappers around the exporter's call."""

    RECORDED = "recorded"  # hooks that record which module runs
    UNRECORDED = "unrecorded"  # the positional forward that names inputs and outputs, without hooks
    PLAIN = "plain"  # none: the call that a user would write


@dataclass
class Request:
    """One export by one exporter, into a file of the temporary folder."""

    model: nn.Module
    inputs: Inputs
    file: Path
    output: Path  # the final place of the file
    opset: int | None
    dynamic: dict[str, dict[int, str]]
    options: dict[str, Any]
    verbose: bool
    torchscript_context: Callable[[nn.Module], AbstractContextManager[Any]]
    in_memory: bool = False  # a single file may be returned unwritten, as `ExporterResult.content`
    wrapping: Wrapping = Wrapping.RECORDED
    paths: ModulePaths | None = None  # of the model's modules, if they are known
    static_inputs: Callable[[], Inputs] | None = None  # for a second attempt, if dynamic axes fail

    @property
    def names(self) -> list[str]:
        return list(self.inputs.tensors)

    @property
    def graph_names(self) -> list[str]:
        """The names of the graph's inputs."""
        return [self.inputs.graph_names.get(name, name) for name in self.inputs.tensors]

    @property
    def is_plain(self) -> bool:
        """Whether to make the call that a user would write. There is none for inputs that need a wrapper."""
        return self.wrapping is Wrapping.PLAIN and self.inputs.call is None

    def needs_external_data(self) -> bool:
        """Whether the weights go to a separate file: on request, or if one file cannot hold them."""
        requested = self.options.get("external_data")
        return bool(requested) if requested is not None else weight_bytes(self.model) > INLINE_LIMIT


@dataclass
class ExporterResult:
    """The result of an exporter: the names in the graph and, if there is one, its program."""

    input_names: Sequence[str]
    output_names: Sequence[str]
    program: Any = None
    content: bytes | None = None  # of the file, which is not written yet
    unrecorded: str | None = None  # why recording failed during the export, if it did
    static_inputs: Inputs | None = None  # the inputs of the second attempt, if dynamic axes failed
    not_dynamic: str = ""  # why they failed


def weight_bytes(model: nn.Module) -> int:
    """The size of all parameters and buffers; shared ones count once."""
    seen: dict[int, int] = {}
    for tensor in (*model.parameters(), *model.buffers()):
        seen[id(tensor)] = tensor.numel() * tensor.element_size()
    return sum(seen.values())


def check_options(exporter: str, options: dict[str, Any], known: set[str], ours: set[str]) -> None:
    """Rejects options that the exporter does not have, or that this program sets itself."""
    for name in options:
        if name in ours:
            raise ExportError(
                Code.OPTION, f"the option {name!r} is set by thence itself", "use the flag that stands for it"
            )
        if name not in known:
            raise ExportError(
                Code.OPTION,
                f"the {exporter} exporter has no option {name!r}",
                f"it has {', '.join(sorted(known - ours))}",
            )


def keyword_names(function: Any) -> set[str]:
    """The names of a function's keyword arguments."""
    return set(inspect.signature(function).parameters)
