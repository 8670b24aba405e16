"""The plain call of torch.onnx.export that a user would write, without our wrappers."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from .request import Request


@dataclass(frozen=True)
class PlainCall:
    """The arguments of one plain call, in the order of forward's signature."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    names: list[str] | None  # of the graph's inputs; None if the exporter must choose them

    @classmethod
    def of(cls, request: Request) -> PlainCall:
        given = request.inputs.arguments
        parameters = list(inspect.signature(request.model.forward).parameters.values())
        if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
            leading = request.names
        else:
            leading = []
            for parameter in parameters:
                positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
                if not positional or parameter.name not in given:
                    break
                leading.append(parameter.name)
        rest = {name: value for name, value in given.items() if name not in leading}
        # An argument that is not a tensor may or may not become an input of the graph.
        names = None if request.inputs.fixed else [*leading, *rest]
        return cls(tuple(given[name] for name in leading), rest, names)

    def options(self) -> dict[str, Any]:
        """Keyword arguments of the exporter."""
        found: dict[str, Any] = {"kwargs": self.kwargs} if self.kwargs else {}
        return found if self.names is None else {**found, "input_names": self.names}
