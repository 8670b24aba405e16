"""Finds dummy inputs for any model, from its forward's signature and its configuration.

This is a best-first search over plans. The first plan follows the configuration. A plan is judged by running
forward. If that fails, plans that differ from it in one respect are queued (`refine.py`). The next one tried
is the child of the plan whose forward entered the most modules before it failed; among siblings, it is the
one that the error message suggests. A change that does not change the error is not pursued. Half of the
attempts go to the model with all its media. If those are optional and the search fails, the other half goes
to text alone. The search ends with the first forward that returns a tensor, or after `attempts` forwards or
`seconds`, whichever comes first.
"""

from __future__ import annotations

import heapq
import inspect
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks

from ..capturing.compiler import is_dynamo_tracing
from .errors import Code, ExportError, summarise_error
from .facts import Facts
from .flat import Call, fixed_arguments, flat_forward, tensors_in
from .lock import LOCK
from .plan import Plan, first_plan, medium_of, without_media
from .preserved_state import preserved_state
from .quiet import quiet
from .refine import refinements, reports_missing_argument
from .rules import build
from .tokens import has_placeholder


@dataclass
class Inputs:
    """Arguments for forward: the inputs of the graph, and the fixed ones."""

    tensors: dict[str, torch.Tensor]
    fixed: dict[str, Any] = field(default_factory=dict)
    attempts: int = 1  # number of forwards that the search ran
    changes: tuple[str, ...] = ()  # the changes to the first plan
    dynamic: dict[str, dict[int, str]] = field(default_factory=dict)  # input -> axis -> name
    call: Call | None = None  # how the model is called, if not by `forward(**arguments)`
    graph_names: dict[str, str] = field(default_factory=dict)  # of inputs that have another name in the graph

    @property
    def arguments(self) -> dict[str, Any]:
        """All keyword arguments of one call."""
        return {**self.tensors, **self.fixed}

    @contextmanager
    def callable_model(self, model: nn.Module) -> Iterator[dict[str, Any]]:
        """Inside the block, `model(**arguments)` runs it on these inputs; yields the arguments."""
        if self.call is None:
            yield self.arguments
            return
        with flat_forward(model, list(self.tensors), self.fixed, self.call):
            yield dict(self.tensors)


def derive_inputs(
    model: nn.Module,
    config: Any = None,
    *,
    hints: Mapping[str, Any] | None = None,
    batch: int = 1,
    attempts: int = 150,
    seconds: float = 120.0,
) -> Inputs:
    """Finds inputs that the model's forward accepts, by the search that the head of this file describes.

    `hints` are values from a processor's settings, such as `image_size`. If the search finds nothing, it
    raises ExportError X010 with the error that came closest.
    """
    facts = Facts(model, config, hints)
    search = _Search(facts, time.monotonic() + seconds)
    start = first_plan(facts, batch=batch)
    plain = without_media(start, facts)
    with LOCK, preserved_state(model, config), quiet():
        # If text alone is possible, the search with pictures may not use all attempts.
        first = attempts if plain.arguments in (start.arguments, frozenset()) else attempts // 2
        found = search.run(start, first) or search.run(plain, attempts - search.tried)
    if found is not None:
        return found
    raise ExportError(
        Code.NO_INPUTS,
        f"no inputs were found that {type(model).__name__}.forward accepts ({search.tried} tried)",
        "describe them with --input-spec FILE",
        f"the attempt that came furthest ended with {summarise_error(search.closest, 400)}"
        if search.closest is not None
        else "forward has no argument that a rule knows",
    )


def check_inputs(model: nn.Module, inputs: Inputs, config: Any = None) -> None:
    """Runs forward once. Raises ExportError X011 if it fails on these inputs."""
    with LOCK, preserved_state(model, config), quiet():
        try:
            with torch.no_grad(), inputs.callable_model(model) as arguments:
                output = model(**arguments)
        except Exception as error:
            raise forward_failure(model, error) from error
    if not tensors_in(output):
        raise ExportError(
            Code.FORWARD,
            f"{type(model).__name__}.forward returns no tensor",
            "a graph needs an output: return tensors from forward",
        )


def forward_failure(model: nn.Module, error: Exception) -> ExportError:
    """The error X011: forward fails on the inputs."""
    return ExportError(
        Code.FORWARD,
        f"{type(model).__name__}.forward fails on the inputs: {summarise_error(error)}",
        "correct the inputs (--input-spec FILE), or the model",
        summarise_error(error, 4000),
    )


class _Search:
    def __init__(self, facts: Facts, deadline: float) -> None:
        self.facts = facts
        self.deadline = deadline
        self.tried = 0
        self.closest: BaseException | None = None
        self._furthest = -1
        self._shapes: set[str] = set()

    def run(self, start: Plan, attempts: int) -> Inputs | None:
        """Searches best-first from `start`, with at most `attempts` forwards."""
        last = self.tried + attempts
        queue: list[tuple[int, int, int, Plan, str]] = [(0, 0, 0, start, "")]
        seen = {start}
        while queue and self.tried < last and time.monotonic() < self.deadline:
            _, _, _, plan, last_error = heapq.heappop(queue)
            answer = self._attempt(_with_feature_placeholders(plan, self.facts))
            if isinstance(answer, Inputs):
                return answer
            entered, error = answer
            if error is None or (str(error) == last_error and not reports_missing_argument(last_error)):
                continue  # the change made no difference, so a further one would not either
            for likely, child in refinements(plan, error, self.facts):
                if child not in seen:
                    seen.add(child)
                    rank = -entered - 2 * likely
                    heapq.heappush(queue, (rank, len(child.changes), len(seen), child, str(error)))
        return None

    def _attempt(self, plan: Plan) -> Inputs | tuple[int, Exception | None]:
        """Returns the inputs if forward returns; otherwise the number of modules it entered, and its error.

        The error is None if the same inputs were tried before.
        """
        fixed = fixed_arguments(self.facts.model)
        with _count_entered_modules() as count:
            try:
                arguments = build(plan, self.facts)
                given = {name: value for name, value in arguments.items() if isinstance(value, torch.Tensor)}
                shapes = repr([(name, t.dtype, t.shape, plan.placeholders) for name, t in given.items()])
                if shapes in self._shapes:
                    return 0, None
                self._shapes.add(shapes)
                self.tried += 1
                fixed |= {name: value for name, value in arguments.items() if name not in given}
                with torch.no_grad():
                    output = self.facts.model(**{k: v.clone() for k, v in given.items()}, **fixed)
                if tensors_in(output):
                    return Inputs(given, fixed, self.tried, plan.changes)
                error = Exception("forward returned no tensor")
            except Exception as caught:
                error = caught
        error.__traceback__ = None  # it references the activations of the whole forward
        if count[0] > self._furthest:
            self._furthest, self.closest = count[0], error
        return count[0], error


def _with_feature_placeholders(plan: Plan, facts: Facts) -> Plan:
    """The plan with one placeholder for each feature of the media, if the model can compute their number."""
    if "input_ids" not in plan.arguments:
        return plan
    known = dict(plan.placeholders)
    for name in plan.arguments:
        medium = medium_of(name)
        if medium and medium not in known and has_placeholder(facts, medium):
            count = _feature_count(plan, facts, medium)
            if count:
                known[medium] = count
    return replace(plan, placeholders=tuple(sorted(known.items())))


def _feature_count(plan: Plan, facts: Facts, medium: str) -> int:
    """The number of features of the picture or sound in a row, computed by the model's own method."""
    method = getattr(facts.model, f"get_{medium}_features", None)
    inner = getattr(facts.model, "model", None)
    method = method or getattr(inner, f"get_{medium}_features", None)
    if method is None:
        return 0
    try:
        accepted = inspect.signature(method).parameters
        tensors = build(plan, facts)
        with torch.no_grad():
            answer = method(**{name: value for name, value in tensors.items() if name in accepted})
    except Exception:  # forward reports the problem
        return 0
    features = getattr(answer, "pooler_output", answer)
    found = features if isinstance(features, (list, tuple)) else [features]
    rows = [
        t.numel() // t.shape[-1] for t in found if isinstance(t, torch.Tensor) and t.dim() > 0 and t.numel()
    ]
    return int(sum(rows)) // plan.batch


@contextmanager
def _count_entered_modules() -> Iterator[list[int]]:
    """Counts the modules entered while the block runs."""
    count = [0]

    def enter(_module: nn.Module, _arguments: Any) -> None:
        if not is_dynamo_tracing():  # Dynamo allows no side effects in branches and loop bodies
            count[0] += 1

    handle = hooks.register_module_forward_pre_hook(enter)
    try:
        yield count
    finally:
        handle.remove()
