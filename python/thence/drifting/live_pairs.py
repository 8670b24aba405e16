"""Pairs the values of a PyTorch model with the tensors of an ONNX model of it.

The map of the ONNX model says which nodes are a module's. A tensor that leaves them may be what the module
returned, and one that enters them what it received. Most values pass several modules, each of which votes.
A value without votes is looked for by its size between the values before and after it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .boundaries import Boundaries, Tensor, sum_of
from .graph_parts import WEIGHT_VIEWS, Model
from .joined import Joined, Split
from .matched import Matched, ModuleFacts, Pair, enclosing, is_inside, read_modules
from .recorded import Call, Value
from .thresholds import MOST_FORMS

_CERTAIN = 1 << 20  # votes for outputs of the graph: what the model returns


class LivePairs:
    """Finds the tensors of each value. Several are forms of which the nearest will be compared."""

    def __init__(
        self,
        values: Sequence[Value],
        tensors: Mapping[str, Tensor],
        rows: Sequence[Mapping[str, Any]],
        model: Model,
    ) -> None:
        self._values, self._tensors, self._model = values, tensors, model
        self._boundaries = Boundaries(model, rows)
        # The order in which the nodes compute; a sum comes before the norm of the same node.
        self._place = {
            name: 2 * index + (name != sum_of(model, index)) for name, index in model.producer.items()
        }
        self.found: dict[int, list[str]] = {}  # by the order of the value
        self.guessed: set[int] = set()
        self._votes: dict[int, int] = {}
        for value in values:
            self._vote(value)
        self._keep_one_value_each()
        self._choose_by_order()
        self.joined = [*self._find_joined()]
        self.split = [*self._find_split()]
        self._find_by_order()

    def _vote(self, value: Value) -> None:
        votes: Counter[str] = Counter()
        for call in value.returned:
            votes.update(self._boundaries.leaving(call))
        for call in value.received:
            votes.update(self._boundaries.entering(call))
        if any(not path for path, _ in value.returned):
            votes.update(dict.fromkeys(self._model.outputs, _CERTAIN))
        fitting = [name for name in votes if self._fits(value, name)]
        if fitting:
            most = self._votes[value.order] = max(votes[name] for name in fitting)
            chosen = [name for name in fitting if votes[name] == most]
            self.found[value.order] = sorted(chosen, key=self._place.__getitem__, reverse=True)

    def _keep_one_value_each(self) -> None:
        """A tensor that is the only one of several values is that of the value with the most votes."""
        claims: dict[str, list[Value]] = defaultdict(list)
        for value in self._values:
            if len(names := self.found.get(value.order, [])) == 1:
                claims[names[0]].append(value)
        owner = {
            name: max(claimants, key=lambda each: self._votes[each.order]).memory
            for name, claimants in claims.items()
        }
        for value in self._values:
            names = self.found.get(value.order, [])
            kept = [name for name in names if owner.get(name, value.memory) == value.memory]
            if kept:
                self.found[value.order] = kept
            else:
                self.found.pop(value.order, None)

    def _choose_by_order(self) -> None:
        """Of several tensors with as many votes, keeps those between the tensors of the values around it."""
        between = self._between()
        for order, names in [*self.found.items()]:
            if len(names) > 1:
                low, high = between(order)
                self.found[order] = [name for name in names if low < self._place[name] < high][:MOST_FORMS]
                if not self.found[order]:
                    del self.found[order]

    def _between(self) -> Callable[[int], tuple[int, int]]:
        """The places before and after a value: those of values that have one tensor.

        Branches may be computed in another order, so that only the longest sequence of such values that
        agrees with the order of the tensors counts.
        """
        single = [(order, names[0]) for order, names in sorted(self.found.items()) if len(names) == 1]
        chosen = longest_increasing([self._place[name] for _, name in single])
        orders = [single[at][0] for at in chosen]
        places = [-1, *(self._place[single[at][1]] for at in chosen), 2 * len(self._model.nodes)]
        return lambda order: (places[bisect_left(orders, order)], places[bisect_left(orders, order) + 1])

    def _fits(self, value: Value, name: str) -> bool:
        tensor = self._tensors.get(name)
        return tensor is not None and (tensor.size, tensor.is_real) == (value.size, value.is_real)

    def _find_joined(self) -> Iterator[Joined]:
        """Projections of one value that the ONNX model computes as one, such as those of an attention."""
        returned: dict[Call, list[Value]] = defaultdict(list)
        for value in self._values:
            for call in value.returned:
                if value.path == call[0]:
                    returned[call].append(value)
        for value in self._values:
            siblings: dict[str, list[Value]] = defaultdict(list)
            for call in value.received:
                results = returned.get(call, [])
                if len(results) == 1 and results[0].is_real and results[0].order not in self.found:
                    siblings[call[0].rpartition(".")[0]].append(results[0])
            for parent, parts in siblings.items():
                name = self._joined_tensor(value, parts)
                if name is not None:
                    self.found |= {part.order: [name] for part in parts}
                    yield Joined(name, parent, tuple(parts))

    def _find_split(self) -> Iterator[Split]:
        """Values that the ONNX model computes in parts, such as one product for gate and value."""
        for value in self._values:
            if value.order in self.found or not value.is_real or len(value.shape) < 2:
                continue
            candidates = (self._parts_of(value, call) for call in value.returned)
            parts = next(filter(None, candidates), None)
            if parts is not None:
                yield Split(value, tuple(parts))

    def _parts_of(self, value: Value, call: Call) -> list[tuple[str, int]]:
        """The tensors, with their sizes in the last axis, in the order of the graph."""
        width, rows = value.shape[-1], value.size // max(value.shape[-1], 1)
        parts, used = [], 0
        for name in sorted(self._boundaries.leaving(call), key=self._place.__getitem__):
            tensor = self._tensors.get(name)
            if tensor is None or not tensor.is_real or not tensor.shape:
                continue
            if tensor.size == rows * tensor.shape[-1] and tensor.shape[-1] < width:
                parts.append((name, tensor.shape[-1]))
                used += tensor.shape[-1]
        return parts if used == width and len(parts) > 1 else []

    def _joined_tensor(self, value: Value, parts: Sequence[Value]) -> str | None:
        """The tensor of the parts beside each other in the last axis."""
        if len(parts) < 2 or len({part.shape[:-1] for part in parts}) > 1 or not parts[0].shape:
            return None
        size = sum(part.size for part in parts)
        width = sum(part.shape[-1] for part in parts)
        for source in self.found.get(value.order, []):
            for index in self._model.readers.get(source, []):
                for name in self._model.nodes[index].output:
                    tensor = self._tensors.get(name)
                    if tensor is not None and tensor.size == size and tensor.shape[-1:] == (width,):
                        return self._with_bias(name)
        return None

    def _with_bias(self, name: str) -> str:
        readers = self._model.readers.get(name, [])
        node = self._model.nodes[readers[0]] if len(readers) == 1 else None
        if node is None or node.op_type != "Add":
            return name
        others = [each for each in node.input if each != name]
        is_bias = len(others) == 1 and others[0] in self._model.initializers
        return node.output[0] if is_bias else name

    def _find_by_order(self) -> None:
        """Looks for the values that are left, between the tensors of the values before and after them.

        If as many tensors as values have a size, they are in one order. Otherwise numbers will decide.
        """
        known = {value.memory for value in self._values if value.order in self.found}
        known |= {each.value.memory for each in self.split}
        between, left = self._between(), defaultdict(list)
        for value in self._values:
            if value.is_real and value.memory not in known:
                left[between(value.order)].append(value)
        free = self._free_tensors()
        for (low, high), values in left.items():
            part = free[bisect_left(free, (low + 1, "")) : bisect_left(free, (high, ""))]
            self._pair_in_order(values, [name for _, name in part])

    def _free_tensors(self) -> list[tuple[int, str]]:
        """Tensors that are no value yet, with their places."""
        taken = {name for names in self.found.values() for name in names}
        return sorted(
            (place, name)
            for name, place in self._place.items()
            if name not in taken and name in self._tensors and self._may_be_a_value(name)
        )

    def _pair_in_order(self, values: Sequence[Value], names: Sequence[str]) -> None:
        for size in {value.size for value in values}:
            alike = [value for value in values if value.size == size]
            fitting = [name for name in names if self._fits(alike[0], name)]
            are_as_many = len(alike) == len(fitting)
            if not fitting or not (are_as_many or len(fitting) <= MOST_FORMS):
                continue
            for at, value in enumerate(alike):
                self.guessed.add(value.order)
                self.found[value.order] = [fitting[at]] if are_as_many else fitting

    def _may_be_a_value(self, name: str) -> bool:
        """Whether it is computed from inputs, and no product in front of a bias, which is inside a module."""
        node = self._model.nodes[self._model.producer[name]]
        is_view = node.op_type in WEIGHT_VIEWS and node.input[0] in self._model.initializers
        return bool(node.input) and not is_view and self._with_bias(name) == name


def longest_increasing(numbers: Sequence[int]) -> list[int]:
    """The indices of a longest strictly increasing subsequence, by patience sorting; of equal numbers the
    first.

    >>> longest_increasing([5, 1, 2, 9, 3])
    [1, 2, 4]
    """
    ends: list[int] = []  # the smallest last number of a subsequence, by its length
    last: list[int] = []  # its index
    before: list[int | None] = []
    for index, number in enumerate(numbers):
        at = bisect_left(ends, number)
        before.append(last[at - 1] if at else None)
        if ends[at : at + 1] != [number]:
            ends[at : at + 1], last[at : at + 1] = [number], [index]
    found = []
    index_or_none = last[-1] if last else None
    while index_or_none is not None:
        found.append(index_or_none)
        index_or_none = before[index_or_none]
    return found[::-1]


def match_values(values: Sequence[Value], pairs: LivePairs, modules: dict[str, ModuleFacts]) -> Matched:
    """The pairs in the order of the PyTorch model, and the modules that return and receive them."""
    matched = Matched([], modules)
    names_of = {order: tuple(names) for order, names in pairs.found.items()}
    joined = {each.parts[0].order: each for each in pairs.joined}
    for each in pairs.joined:
        names_of |= {part.order: (name,) for part, name in zip(each.parts, each.part_names, strict=True)}
    known = {value.memory: value.order for value in reversed(values) if value.order in names_of}
    split = {each.value.order: each.names for each in pairs.split}
    for value in values:
        if value.order in joined:
            matched.pairs.append(_joined_pair(joined[value.order]))
        begin = len(matched.pairs)
        order = value.order if value.order in names_of else known.get(value.memory)
        if order is not None:
            pair = Pair(names_of[order], (value.name,), value.path, value.order, (), order in pairs.guessed)
            matched.pairs.append(pair)
        else:
            parts = split.get(value.order, [])
            matched.pairs += [Pair((name,), (its,), value.path, value.order) for name, its in parts]
        _add_boundaries(matched, value, range(begin, len(matched.pairs)))
    return matched


def _joined_pair(joined: Joined) -> Pair:
    """The whole tensor, which other modules are given."""
    inside = tuple(part.path for part in joined.parts)
    return Pair((joined.name,), (joined.values_name,), joined.parent, joined.parts[0].order, inside)


def _add_boundaries(matched: Matched, value: Value, at: Sequence[int]) -> None:
    for path, _ in value.returned:
        if value.is_real and is_inside(value.path, path):
            matched.returning.setdefault(path, value.order)
            known = matched.outputs[path]
            known += [index for index in at if index not in known]
    for path, _ in value.received:
        if not is_inside(value.path, path):
            known = matched.received[path]
            known += [index for index in at if index not in known]


def describe_modules(document: Mapping[str, Any], classes: Mapping[str, type]) -> dict[str, ModuleFacts]:
    """The modules that ran. Those without a node have the class of the object, and the layer around them."""
    rows = [row for row in document["nodes"] if row["graph"] == ""]
    known = read_modules(document, rows)
    layers = {facts.layer for facts in known.values() if facts.layer is not None}
    found = {}
    for path, kind in classes.items():
        layer = next((each for each in enclosing(path) if each in layers), None)
        name = f"{kind.__module__}.{kind.__qualname__}"
        found[path] = known.get(path) or ModuleFacts(path, name, layer, None)
    return found
