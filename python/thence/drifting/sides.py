"""The two sides of a comparison: each computes some of its tensors on given inputs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..errors import BAD_INPUT, Error
from ..limits import raise_if_out_of_memory
from ..verify.graph import Graph
from ..verify.inputs import input_dtype
from ..verify.numbers import Array, Feed, open_session
from .graph_parts import Model, make_part, needed_for
from .quantised import Quantisation, find_quantisation, without_scale


@dataclass
class Timings:
    """Seconds by kind of work."""

    sessions: float = 0.0  # creating InferenceSessions
    runs: float = 0.0
    comparing: float = 0.0
    alone: float = 0.0  # sessions and runs of modules alone


class NotAccepted(Exception):
    """A model did not accept the inputs; the text names the model and the reason."""


class Side(Protocol):
    """A model that computes tensors by name."""

    def values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]: ...


class OnnxSide:
    """A model that onnxruntime runs. Only the nodes that the requested tensors need are in a session."""

    def __init__(self, model: Model, timings: Timings) -> None:
        self.model = model
        self.graph = Graph(model.proto)
        self.unscaled = without_scale(model)
        self.timings = timings
        self._quantisations: dict[str, Quantisation | None] = {}

    def values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]:
        """Real numbers by name: quantised ones are dequantised. Values that are not numbers are left out."""
        raw = self.raw_values(names, feed)
        for name, value in raw.items():
            if value.dtype.kind in "iu" and value.dtype.itemsize == 1:
                quantisation = self.quantisation(name)
                if quantisation is not None:
                    raw[name] = quantisation.dequantise(value)
        return raw

    def raw_values(self, names: Iterable[str], feed: Feed) -> dict[str, Array]:
        wanted = [*dict.fromkeys(names)]
        needed = needed_for(self.model, wanted)
        nodes = [self.model.nodes[index] for index in needed.nodes]
        part = make_part(self.model, nodes, needed.given, wanted)
        return run_part(self.model, part, self.cast(feed), self.timings)

    def quantisation(self, name: str) -> Quantisation | None:
        if name not in self._quantisations:
            self._quantisations[name] = find_quantisation(self.model, name)
        return self._quantisations[name]

    def cast(self, feed: Feed) -> Feed:
        """Inputs in the types of this model."""
        found = {}
        for value in self.graph.inputs:
            if value.name in feed:
                found[value.name] = feed[value.name].astype(input_dtype(value))
        return found


def run_part(model: Model, part: Any, feed: Feed, timings: Timings) -> dict[str, Array]:
    """Runs a part of a model once, and returns the outputs that are numbers."""
    try:
        begin = time.monotonic()
        session = open_session(part.SerializeToString(), model.path.parent)
        opened = time.monotonic()
        needed = {value.name: feed[value.name] for value in session.get_inputs() if value.name in feed}
        names = [value.name for value in session.get_outputs()]
        values = session.run(names, needed) if names else []
    except Exception as error:  # the exceptions of onnxruntime have no common base class
        raise_if_out_of_memory(error)
        message = " ".join(str(error).split())[:300] or type(error).__name__
        raise NotAccepted(f"{model.path}: onnxruntime cannot run the model: {message}") from error
    timings.sessions += opened - begin
    timings.runs += time.monotonic() - opened
    return {
        name: value
        for name, value in zip(names, values, strict=True)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
    }


def not_run(error: NotAccepted) -> Error:
    hint = "give inputs that both models accept with --inputs FILE.npz"
    return Error(BAD_INPUT, "K008", str(error), hint)
