"""What an exporter is asked for, and what it gives back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from torch import nn

from .errors import Code, ExportError
from .inputs import Inputs

# A protobuf file ends at 2 GiB; above this many bytes of weights, they go to a file of their own.
INLINE_LIMIT = 1536 * 1024 * 1024


class How(Enum):
    """What surrounds the exporter's call."""

    RECORDED = "recorded"  # hooks that record which module runs
    UNRECORDED = "unrecorded"  # the positional forward that names inputs and outputs, and no hooks
    PLAIN = "plain"  # nothing: the call is the one that a user would write


@dataclass
class Request:
    """One export by one exporter, into a file of the workplace."""

    model: nn.Module
    inputs: Inputs
    file: Path
    output: Path  # where the file goes in the end
    opset: int | None
    dynamic: dict[str, dict[int, str]]
    options: dict[str, Any]
    verbose: bool
    around: Callable[[nn.Module], AbstractContextManager[Any]]
    in_memory: bool = False  # one file's bytes may be handed over unwritten, as `Made.content`
    how: How = How.RECORDED

    @property
    def names(self) -> list[str]:
        return list(self.inputs.tensors)

    def weights_apart(self) -> bool:
        """Whether the weights go to a file of their own: on demand, or when one file cannot hold them."""
        asked = self.options.get("external_data")
        return bool(asked) if asked is not None else weight_bytes(self.model) > INLINE_LIMIT


@dataclass
class Made:
    """What an exporter wrote: the names in the graph and, if it has one, its program."""

    input_names: Sequence[str]
    output_names: Sequence[str]
    program: Any = None
    content: bytes | None = None  # of the file, which is still to be written
    unrecorded: str | None = None  # why nothing was recorded while it was exported, if that failed


def weight_bytes(model: nn.Module) -> int:
    """Bytes of all parameters and buffers, tied ones once."""
    seen: dict[int, int] = {}
    for tensor in (*model.parameters(), *model.buffers()):
        seen[id(tensor)] = tensor.numel() * tensor.element_size()
    return sum(seen.values())


def check_options(exporter: str, options: dict[str, Any], known: set[str], ours: set[str]) -> None:
    """Refuses options that the exporter does not have, or that are this program's to set."""
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


def keywords_of(function: Any) -> set[str]:
    """The names of a function's keyword arguments."""
    return set(inspect.signature(function).parameters)
