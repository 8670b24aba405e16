"""The types of the rows of answers: mappings with the fields of the JSON schemas."""

from __future__ import annotations

from typing import Any, TypedDict

# TypedDict with a field `class` needs the functional form.
ModuleRow = TypedDict(
    "ModuleRow", {"path": str, "class": "str | None", "aliases": "list[str]", "calls": "int | None"}
)
ModuleRow.__doc__ = "A module of a map (schema/map.schema.json)."


class NodeContext(TypedDict):
    """Further fields of a node."""

    module_class: str | None
    semantic_classification: str | None
    scope_path: str | None


class NodeRow(TypedDict, total=False):
    """A node of a map (schema/map.schema.json).

    `proof` and `ancestor` are present only after a transfer.
    """

    graph: str
    index: int
    name: str
    op_type: str
    domain: str
    module: str | None
    module_class: str | None
    module_kind: str | None
    call: int | None
    modules: list[str]
    weight_owner: str | None
    hf_module: str | None
    hf_module_class: str | None
    tag: str | None
    semantic_type: str | None
    component: str | None
    layer_id: int | None
    layer_path: list[list[Any]]
    additional_context: NodeContext
    proof: str | None
    ancestor: Any
    source: str | None
    confidence: float
    level: str
    reason: str | None


class InitializerRow(TypedDict):
    """An initializer of a map (schema/map.schema.json)."""

    name: str
    module: str | None
    parameter: str | None
    modules: list[str]


class DiagnosticRow(TypedDict):
    """A diagnostic of a map."""

    code: str
    where: str
    text: str


class ModuleCounts(TypedDict):
    """The number of modules."""

    all: int
    executed: int


class MapSummary(TypedDict):
    """Counts of the nodes of a map."""

    nodes: int
    direct: int
    inferred: int
    unknown: int
    by_source: dict[str, int]
    modules: ModuleCounts


class Share(TypedDict):
    """Shares of the whole model, 0 to 1."""

    nodes: float
    parameters: float
    bytes: float
    flops: float | None


class Tally(TypedDict):
    """What a module contains (schema/tree.schema.json). A cost of symbolic sizes is text."""

    nodes: int
    own_nodes: int
    parameters: int
    buffers: int
    constants: int
    bytes: int
    dtypes: list[str]
    flops: int | str | None
    macs: int | str | None
    own_flops: int | str | None
    uncounted_nodes: int
    elementwise: int | str | None
    confidence: float | None
    share: Share


class TreeRow(Tally):
    """A module of a tree; it also has the field `class`."""

    path: str
    semantic_type: str | None
    component: str | None
    components: list[str]
    operation: str | None
    layer_id: int | None
    layer_path: list[list[Any]]
    depth: int


class AccountedParameter(TypedDict):
    """A parameter or buffer of the live model that no initializer holds as it is."""

    name: str
    buffer: bool
    elements: int


class TiedParameter(TypedDict):
    """A parameter that several modules own."""

    name: str
    aliases: list[str]
    elements: int


class Account(TypedDict):
    """Where the parameters of the live model are: live = in_file + folded + absent, in elements."""

    live: int
    in_file: int
    folded: int
    absent: int
    buffers: dict[str, int]
    folded_parameters: list[AccountedParameter]
    absent_parameters: list[AccountedParameter]
    tied_parameters: list[TiedParameter]


class UncountedOperator(TypedDict):
    """An operator whose multiplications are not counted."""

    operator: str
    nodes: int
    reason: str


class EvidenceRow(TypedDict):
    """A piece of evidence (schema/explanation.schema.json)."""

    source: str
    module: str
    call: int | None
    strength: str
    accepted: bool
    why: str


class NeighbourRow(TypedDict):
    """A node that is connected to an explained one."""

    side: str
    graph: str
    index: int
    op_type: str
    module: str | None


class DiffNode(TypedDict):
    """A node of a difference (schema/diff.schema.json)."""

    place: str
    name: str
    op_type: str


class DifferenceRow(TypedDict, total=False):
    """A difference. `moved_to` and `value` are present where they apply."""

    kind: str
    module: str | None
    moved_to: str
    value: str
    a: list[DiffNode]
    b: list[DiffNode]
    detail: str


class ModuleDifferences(TypedDict):
    """The differences of one module."""

    module: str | None
    nodes_a: int
    nodes_b: int
    by_kind: dict[str, int]


class StatNumbers(TypedDict):
    """Differences in numbers."""

    nodes_a: int
    nodes_b: int
    differences: int
    by_kind: dict[str, int]
    weights_compared: int
    weights_changed: int
    weights_not_measured: int
    relative_change: float | None


class ModuleStat(StatNumbers):
    """The differences of one module in numbers."""

    module: str | None


class StrategyRow(TypedDict, total=False):
    """A strategy. Counts are present if it was run; otherwise `needs` has the missing input."""

    strategy: str
    needs: str | None
    nodes: int
    direct: int
    inferred: int
    unknown: int
    high: int
    by_source: dict[str, int]


class VerificationRow(TypedDict):
    """What the numbers say about the matches of one step of a transfer."""

    ancestor: str
    descendant: str
    not_run: str | None
    claims: int
    confirmed: int
    refuted: int
    not_comparable: dict[str, int]
    refuted_claims: list[dict[str, Any]]


class TagFinding(TypedDict):
    """A tag that does not fit."""

    node: str
    op_type: str
    fault: str
    tag: str
    evidence: str


class SurvivalRow(TypedDict):
    """What a tool did to the ids of nodes."""

    model: str
    ids: int
    survived: int
    retyped: int
    copied: int
    merged: int
    vanished: int
    nodes: int
    fresh: int
