"""`map`, `compare_strategies`, `show` and `explain`: functions with answers about one model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from . import _core
from .comparison_documents import Strategies
from .documents import Explanation, Map, Tree
from .errors import NOTHING_FOUND, Error
from .given import AnyModel, AnyPath, MapOptions, Metadata, check_choice, core_model
from .viewing import Shown

if TYPE_CHECKING:
    from onnx import NodeProto

_SORTS = ("none", "params", "bytes", "nodes", "flops", "confidence")
_MOST_DEPTH = 64


def map_model(model: AnyModel, options: MapOptions) -> Map:
    """Like `map`, with the options as one object."""
    with options.in_core() as core_options:
        document = json.loads(_core.map(core_model(model), core_options))
        return Map(document, shown=Shown(model, options))


def map(
    model: AnyModel,
    metadata: Metadata | None = None,
    *,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
    rules: AnyPath | None = None,
    granularity: str | None = None,
    ignore_tags: bool = False,
) -> Map:
    """The module that produced each node of a model, as `thence map` prints it.

    `model` is a path, the bytes of a file, or a ModelProto. `metadata` is a capture: the result of `capture`,
    or the path of a capture file or of a saved program (`.pt2`). `rules` is the path of a rules file, and
    `granularity`, one of "hf", "nn" and "custom", chooses which modules are reported (docs/rules.md).
    `ignore_tags` reads a tagged model as if it had no tags.

    >>> found = map("examples/tiny.onnx", "examples/tiny.capture.json")
    >>> found
    <Map of examples/tiny.onnx: 11 nodes, 100.0% with a module, 10 modules, strategy auto>
    >>> found["/layers.0/act/Relu"]["module"]
    'layers.0.act'
    """
    return map_model(
        model,
        MapOptions(metadata, strategy, torch_nn_exceptions, tag_format, rules, granularity, ignore_tags),
    )


def compare_strategies(
    model: AnyModel,
    metadata: Metadata | None = None,
    *,
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
) -> Strategies:
    """All strategies on one model, side by side, as `thence map --strategy all` prints them.

    A strategy that needs a section which `metadata` lacks has the reason in `needs`. Tags that thence wrote
    are not read, because they are the answer of one strategy. The arguments are those of `map`.

    >>> compare_strategies("examples/tiny.onnx", "examples/tiny.capture.json")["auto"]["unknown"]
    0
    """
    options = MapOptions(metadata, "auto", torch_nn_exceptions, rules=rules, granularity=granularity)
    with options.in_core() as core_options:
        document, text = _core.compare_strategies(core_model(model), core_options)
    return Strategies(json.loads(document), text.decode())


def show(
    model: AnyModel,
    metadata: Metadata | None = None,
    *,
    depth: int | None = None,
    order: str = "tree",
    sort: str = "none",
    sizes: Mapping[str, int] | None = None,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
) -> Tree:
    """The module tree with nodes, parameters and FLOPs, as `thence show` prints it.

    `depth` is the number of levels below the root. `order` is "tree" or "execution". `sort` sorts the modules
    of each parent by "params", "bytes", "nodes", "flops" (largest first) or "confidence" (lowest first).
    `sizes` gives values for symbolic sizes: `{"batch": 1}`. The others are those of `map`.

    >>> tree = show("examples/tiny.onnx")
    >>> tree["layers.0"]["nodes"], tree.total["parameters"]
    (4, 251)
    """
    check_choice("order", order, ("tree", "execution"))
    check_choice("sort", sort, _SORTS)
    options = MapOptions(metadata, strategy, torch_nn_exceptions, rules=rules, granularity=granularity)
    with options.in_core() as core_options:
        document, text = _core.show(
            core_model(model),
            core_options,
            _MOST_DEPTH if depth is None else depth,
            order == "execution",
            sort,
            dict(sizes or {}),
        )
    return Tree(json.loads(document), text.decode())


def explain(
    model: AnyModel,
    node: NodeProto | str,
    metadata: Metadata | None = None,
    *,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
    ignore_tags: bool = False,
) -> Explanation:
    """The evidence for the module of a node, and its alternatives, as `thence explain` prints them.

    `node` is a node, its name, or its location (`"#61"`, `"12.then_branch#3"`). If several nodes have the
    name, `Error` lists their locations. The others are those of `map`.

    >>> explain("examples/tiny.onnx", "#0")
    <Explanation of Gather /embed/Gather: embed, strongest_source>
    >>> print(explain("examples/tiny.onnx", "#0").evidence[0]["why"])
    its scope is /embed
    """
    options = MapOptions(
        metadata,
        strategy,
        torch_nn_exceptions,
        rules=rules,
        granularity=granularity,
        ignore_tags=ignore_tags,
    )
    name = node if isinstance(node, str) else _location(model, node)
    with options.in_core() as core_options:
        found = _core.explain(core_model(model), core_options, name)
    explanations = [Explanation(json.loads(document), text.decode()) for document, text in found]
    if len(explanations) > 1:
        rows = [one.to_dict() for one in explanations[:5]]
        locations = ", ".join(f"{row['graph']}#{row['index']}" for row in rows)
        text = f"{len(explanations)} nodes have the name {name!r}"
        raise Error(NOTHING_FOUND, "U006", text, f"use a location: {locations}")
    return explanations[0]


def _location(model: AnyModel, node: NodeProto) -> str:
    """The location of a node: its name may be missing, or that of several nodes."""
    from .node_finder import locate

    return locate(model, node)
