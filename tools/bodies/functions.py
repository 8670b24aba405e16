"""Models whose modules TorchScript exports as functions: `FUNCTIONS` of a class names the classes.

It has no annotation, because the exporter takes annotated attributes for attributes of the function.
"""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, assignment"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

from torch import Tensor, nn

from .blocks import FeedForward, Gate, NormFirst, NormLast, Size, layers


class FunctionLayers(nn.Module):
    """All layers share one function."""

    SCRIPTED = ()
    FUNCTIONS = (NormFirst, NormLast)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first, self.layers = Gate(size), layers(size)
        self.head = nn.Linear(size.width, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for one in self.layers:
            x = one(x)
        return self.head(x)


class FunctionParts(FunctionLayers):
    """The same part of all layers is a function."""

    FUNCTIONS = (FeedForward, Gate)


class FunctionNested(FunctionLayers):
    """Functions call functions."""

    FUNCTIONS = (NormFirst, NormLast, FeedForward, Gate)


class FunctionOnce(nn.Module):
    """Each function has one caller."""

    SCRIPTED = ()
    FUNCTIONS = (NormFirst, NormLast, FeedForward, Gate)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.gate, self.mix = Gate(size), nn.Linear(size.width, size.width)
        self.layer = NormFirst(size) if size.norm_first else NormLast(size)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.mix(self.gate(x)) + x)


MODELS = {
    "function-layers": FunctionLayers,
    "function-parts": FunctionParts,
    "function-nested": FunctionNested,
    "function-once": FunctionOnce,
}
