"""Labels of mobius: its metadata has the scope of each node, in its own module tree.

Decoders have the paths of the Hugging Face model, other models often have not. So a node belongs to the
module whose parameter it reads; else to its scope, if the Hugging Face model has it and computes the same
numbers in it; else to the module that computes the same numbers, if there is one.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import onnx
from tools.sample.walk import Place
from tools.weights.truth import Truth

from .labels import Label, Tree
from .values import Recorded

_SCOPES = "pkg.onnxscript.name_scopes"
_POSITIONS = re.compile(r"mask|position|cache_length|seq_?len")
_SIZES = ("Shape", "Size")
_VIEWS = ("Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze")


def scope_of(node: onnx.NodeProto) -> str | None:
    for entry in node.metadata_props:
        if entry.key == _SCOPES:
            return ".".join(name for name in ast.literal_eval(entry.value) if name)
    return None


@dataclass
class Evidence:
    """What decides the labels of one file; without `values`, those of another file by scope and operator."""

    tree: Tree
    weights: dict[str, Truth]
    recorded: Recorded
    values: dict[str, Any]


def labels(model: onnx.ModelProto, rows: Sequence[Place], given: Evidence) -> list[Label]:
    # Constants of one element are equal in all layers: they tell none.
    single = {each.name for each in model.graph.initializer if max(each.dims, default=1) == 1}
    given = replace(given, weights={name: row for name, row in given.weights.items() if name not in single})
    data = _data_values(model)
    owners = [_owners(place.node, given) for place in rows]
    # By scope: where parameters are read in it, and the modules that have them.
    below: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for place, found in zip(rows, owners, strict=True):
        scope = scope_of(place.node) or ""
        parts = scope.split(".")
        for end in range(len(parts) + 1):
            below[".".join(parts[:end])] += [(scope, owner) for owner in found]
    made = []
    for place, found in zip(rows, owners, strict=True):
        is_data = any(name in data for name in place.node.input)
        made.append(_label(place, found, is_data, below, given) if not place.graph else Label())
    return _with_inner(rows, made, given)


def _with_inner(rows: Sequence[Place], made: list[Label], given: Evidence) -> list[Label]:
    """Moves steps of what PyTorch computes at once (a sigmoid of SiLU) to the module of the next step."""
    readers: defaultdict[str, list[Label]] = defaultdict(list)
    for place, label in zip(rows, made, strict=True):
        for name in place.node.input:
            readers[name].append(label)
    found = []
    for place, label in zip(rows, made, strict=True):
        output = place.node.output[0]
        after = {each.parts[0] for each in readers[output] if each.parts}
        is_step = len(label.parts) == 1 and output in given.values and not _owners(place.node, given)
        if is_step and len(after) == 1 and not given.recorded.modules(given.values[output]):
            inner = after.pop()
            if inner.startswith(f"{label.parts[0]}.") and inner not in given.tree.with_parameters:
                label = Label((inner,)).accepting(label.parts[0], *label.accept)
        found.append(label)
    return found


def _label(
    place: Place, owners: list[str], is_data: bool, below: dict[str, list[tuple[str, str]]], given: Evidence
) -> Label:
    node, scope = place.node, scope_of(place.node)
    if node.op_type in ("Constant", *_SIZES) or not (owners or is_data or given.tree.is_leaf(scope)):
        return Label()
    if scope is None:
        return Label(tuple(owners)) if owners else Label(reason="no scope")
    if owners:
        if "Skip" in node.op_type:  # inputs: two summands, then the parameters of the norm
            norm = _owners(onnx.NodeProto(input=node.input[2:], metadata_props=node.metadata_props), given)
            return Label((*norm, *owners)).with_parts(*_sum_of_skip(node, norm[0], given))
        return Label(tuple(owners)).accepting(*_around(scope, owners[0], given.tree), *_tied(node, given))
    computed = given.recorded.modules(given.values.get(node.output[0]))
    inside = {owner for _, owner in below[scope]}
    has_own_paths = all(owner == at for at, owner in below[scope])
    if scope in given.tree and (scope in computed if computed else has_own_paths):
        inner = [path for path in computed if path.startswith(f"{scope}.")]  # it returned the same numbers
        if inside and node.op_type in _VIEWS:  # layers make none
            inner.append(scope.rpartition(".")[0])
        return Label((scope,)).accepting(*(inner or _activations(scope, given.tree)))
    mapped = _common([*inside]) if inside else scope
    if computed:  # those after the first made views of it
        primary = mapped if mapped in computed else computed[0]
        views = computed if node.op_type in _VIEWS else []  # any of them may have made the view
        named = (scope,) if scope in given.tree and not inside else ()  # numbers in another layout
        return Label((primary,)).accepting(*_around(scope, primary, given.tree), *views, *named)
    # One of several modules that are one in the model, or a module whose children have these parameters.
    reads_in_scope = any(at == scope for at, _ in below[scope])
    are_siblings = all(owner.rpartition(".")[0] == mapped for owner in inside)
    if inside and ((len(inside) == 1 and reads_in_scope) or are_siblings):
        views = [mapped.rpartition(".")[0]] if node.op_type in _VIEWS else []
        return Label((mapped,)).accepting(*_activations(mapped, given.tree), *views)
    return Label(reason=f"scope {scope} has no module of this path, and no module computes the numbers")


def _common(paths: list[str]) -> str:
    """The nearest module around all."""
    common = paths[0].split(".")
    for path in paths:
        parts = path.split(".")
        common = common[
            : next((i for i, (a, b) in enumerate(zip(common, parts, strict=False)) if a != b), len(parts))
        ]
    return ".".join(common)


def _activations(path: str, tree: Tree) -> tuple[str, ...]:
    """The activation function of a module, which may be the right answer where numbers do not tell."""
    children = (each for each in tree.classes if each.rpartition(".")[0] == path)
    return tuple(
        each for each in children if ".activation" in tree.classes[each] or tree.is_named_activation(each)
    )


def _around(scope: str, path: str, tree: Tree) -> tuple[str, ...]:
    """The scope as another right answer, if the model has it and it contains the module."""
    return (scope,) if scope in tree and path.startswith(f"{scope}." if scope else "") else ()


def _owners(node: onnx.NodeProto, given: Evidence) -> list[str]:
    """The modules whose parameters the node reads; of tied ones, that which is its scope."""
    found = []
    for name in node.input:
        for names in given.weights[name].parameters if name in given.weights else ():
            paths = [path.rpartition(".")[0] for path in names]
            found.append(next((path for path in paths if path == scope_of(node)), paths[0]))
    return list(dict.fromkeys(path for path in found if path in given.tree))


def _tied(node: onnx.NodeProto, given: Evidence) -> list[str]:
    """The modules that have a parameter of the node: one looks a table up, another multiplies by it."""
    paths = (
        path.rpartition(".")[0]
        for name in node.input
        for names in (given.weights[name].parameters if name in given.weights else ())
        for path in names
    )
    return [path for path in paths if path in given.tree]


def _sum_of_skip(node: onnx.NodeProto, norm: str, given: Evidence) -> list[str]:
    """The module that sums what a skip norm sums: its parent, if it does."""
    if not all(name in given.values for name in node.input[:2]):
        return []
    found = given.recorded.modules(given.values[node.input[0]] + given.values[node.input[1]])
    inner = [path for path in found if path == norm.rpartition(".")[0]]
    return inner or sorted(found, key=lambda path: -path.count("."))[:1]


def _data_values(model: onnx.ModelProto) -> set[str]:
    """The values that depend on data, not only on sizes, masks and positions."""
    found = {value.name for value in model.graph.input if not _POSITIONS.search(value.name)}
    for node in model.graph.node:
        if node.op_type not in _SIZES and any(name in found for name in node.input):
            found.update(node.output)
    return found


def keys(rows: Sequence[Place]) -> list[tuple[str | None, str, int]]:
    """Identifies nodes of one model in several files: scope, operator, and how many of them came before."""
    seen: Counter[tuple[str | None, str]] = Counter()
    found = []
    for place in rows:
        key = (scope_of(place.node), place.node.op_type)
        found.append((*key, seen[key]))
        seen[key] += 1
    return found
