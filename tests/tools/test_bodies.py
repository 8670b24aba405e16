"""The truth in bodies: marks, constants, parts, and small models whose modules are known by construction."""

# mypy: disable-error-code="no-any-return, union-attr"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import warnings
from typing import Any

import onnx
import pytest
import torch
from onnx import TensorProto, helper
from tools.bodies import by_dynamo, by_torchscript
from tools.bodies.blocks import Gate, Size
from tools.bodies.branches import CondLambdas
from tools.bodies.constants import settle_constants, without_constants
from tools.bodies.marks import BEGIN, END, Unbalanced, add_marks, owners
from tools.bodies.models import DEEPEST, FUNCTIONS, MODELS, Model
from tools.bodies.parts import part_of_each, restricted
from tools.bodies.scripted import Choice, IfModules
from tools.sample.align import Misaligned
from tools.sample.walk import places

SMALL = Size(width=4, hidden=4)


def run(*events: Any) -> list[tuple[str, int]]:
    """The owners of a graph; an event is an operation's name or a mark."""
    return list(owners([(one, None if isinstance(one, str) else one) for one in events], 0))


def test_an_operation_belongs_to_the_innermost_module() -> None:
    assert run("a", (1, BEGIN), "b", (2, BEGIN), "c", (2, END), "d", (1, END), "e") == [
        *(("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 0))
    ]
    assert run((1, BEGIN), (1, END), (1, BEGIN), "again", (1, END)) == [("again", 1)]


@pytest.mark.parametrize(
    "events", [[(1, END)], [(1, BEGIN)], [(1, BEGIN), (2, BEGIN), (1, END), (2, END)]], ids=str
)
def test_marks_that_are_not_nested_are_refused(events: list[Any]) -> None:
    with pytest.raises(Unbalanced):
        run(*events)


def graph(nodes: list[Any], outputs: list[str], inputs: list[str] | None = None) -> Any:
    def info(name: str) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)

    return helper.make_graph(
        nodes, "g", [info(name) for name in inputs or []], [info(name) for name in outputs]
    )


def constant(name: str, value: float) -> Any:
    return helper.make_node("Constant", [], [name], value_float=value)


def branching() -> onnx.ModelProto:
    """Constants of the main graph that one branch reads, both read, and none reads."""
    then = graph(
        [helper.make_node("Add", ["x", "one"], ["a"]), helper.make_node("Mul", ["a", "two"], ["b"])], ["b"]
    )
    other = graph([helper.make_node("Sub", ["x", "two"], ["c"])], ["c"])
    choose = helper.make_node("If", ["p"], ["y"], then_branch=then, else_branch=other)
    nodes = [constant("one", 1), constant("two", 2), constant("unread", 3), choose]
    return helper.make_model(graph(nodes, ["y"], ["p", "x"]))


def test_a_constant_belongs_to_its_readers() -> None:
    numbers = {("", 3): [0], ("3.then_branch", 0): [1], ("3.then_branch", 1): [1], ("3.else_branch", 0): [2]}
    settle_constants(branching(), numbers)
    assert numbers["", 0] == [1]
    assert ("", 1) not in numbers
    assert ("", 2) not in numbers
    assert numbers["3.else_branch", 0] == [2]


def test_constants_are_compared_by_content() -> None:
    bare = without_constants(branching())
    found = {place.node.op_type: place.node for place in places(bare)}
    assert sorted(found) == ["Add", "If", "Mul", "Sub"]
    assert found["Mul"].input[1] == found["Sub"].input[1] != found["Add"].input[1]


def test_parts_are_the_innermost_bodies() -> None:
    inner = helper.make_node("If", ["p"], ["z"], then_branch=graph([constant("q", 1)], ["q"]))
    loop = helper.make_node("Loop", ["n", "p"], ["y"], body=graph([inner], ["z"]))
    model = helper.make_model(graph([loop], ["y"]))
    model.functions.append(
        helper.make_function("d", "F", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], [])
    )
    parts = part_of_each(model)
    assert parts == ["main graph", "Loop", "If", "function"]
    truth = {"nodes": [{"graph": "", "index": i, "module": "m"} for i in range(4)]}
    assert [row["module"] for row in restricted(truth, parts, "If")["nodes"]] == [None, None, "m", None]
    assert restricted(truth, parts, "all") is truth


def test_the_list_has_every_kind() -> None:
    assert len(MODELS) >= 100
    assert {one.exporter for one in MODELS.values()} == {"torchscript", "dynamo"}
    assert all(f"{name}-12" in MODELS for name in DEEPEST)
    assert all(MODELS[f"{name}-functions"].functions for name in FUNCTIONS)
    one = MODELS["if-stacks-3"]
    first, second = (dict(one.live().named_parameters()) for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    biases = [tensor for name, tensor in first.items() if name.endswith("query.bias")]
    assert len({tuple(tensor.tolist()) for tensor in biases}) == len(biases) == 6


def truth_by_operator(rows: list[dict[str, Any]], model: onnx.ModelProto) -> dict[str, list[tuple[str, str]]]:
    """The nodes of each graph: operator and module."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row, place in zip(rows, places(model), strict=True):
        found.setdefault(place.graph, []).append((place.node.op_type, row["module"]))
    return found


def weight_readers(rows: list[dict[str, Any]], model: onnx.ModelProto) -> set[tuple[str, str]]:
    """Each bias that a node reads, with the true module of the node."""
    return {
        (name, row["module"])
        for row, place in zip(rows, places(model), strict=True)
        for name in place.node.input
        if name.endswith(".bias")
    }


class Two(torch.nn.Module):
    """A scripted choice between two linear layers, which also runs operations itself."""

    SCRIPTED = ("choice",)

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.choice = Choice(size)
        self.choice.yes = torch.nn.Linear(size.width, size.width)
        self.choice.no = torch.nn.Linear(size.width, size.width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.choice(x) * 3.0


def test_scripted_branches() -> None:
    one = Model("two", "torchscript", Two, SMALL)
    model, _, rows = by_torchscript.export(one.live(), one.compiled, one.inputs(), False)
    found = truth_by_operator(rows, model)
    branch = next(name for name in found if name.endswith("then_branch"))
    other = branch.replace("then", "else")
    assert found[branch] == [("MatMul", "choice.yes"), ("Add", "choice.yes"), ("Add", "choice")]
    assert [one for one in found[other] if one[0] != "Constant"] == [
        *(("Mul", "choice"), ("MatMul", "choice.no"), ("Add", "choice.no"))
    ]
    assert ("If", "choice") in found[""]
    assert found[""][-1] == ("Mul", "")


def test_scripted_layers_read_their_own_weights() -> None:
    one = Model("layers", "torchscript", IfModules, SMALL)
    model, _, rows = by_torchscript.export(one.live(), one.compiled, one.inputs(), False)
    read = weight_readers(rows, model)
    assert len(read) == 3 * 8 + 1
    assert all(name == f"{module}.bias" for name, module in read)


def captured(marked: bool) -> torch.fx.GraphModule:
    one = Model("lambdas", "dynamo", CondLambdas, SMALL)
    model = one.live()
    if marked:
        add_marks(model, compiled=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return by_dynamo._program(model, one.inputs()).graph_module


def test_branches_of_cond() -> None:
    """What the root does in a branch is the root's; layers in a branch read their own weights."""
    plain, twin = captured(False), captured(True)
    paths = [path for path, _ in Model("lambdas", "dynamo", CondLambdas, SMALL).live().named_modules()]
    found = [(node, paths[number]) for node, number in by_dynamo.paired(plain, twin, 0)]
    inside = [(node, path) for node, path in found if node.graph.owning_module is not plain]
    own = [str(node.target) for node, path in inside if path == ""]
    assert own == ["aten.add.Tensor", "aten.mul.Tensor", "aten.sub.Tensor"]
    linear = [path for node, path in inside if "linear" in str(node.target)]
    parts = [
        *(f"attention.{name}" for name in ("query", "key", "value", "out")),
        "feed_forward.up",
        "feed_forward.down",
    ]
    assert linear == [f"{branch}.{part}" for branch in ("yes", "no") for part in parts]


def test_a_twin_that_differs_is_refused() -> None:
    plain, twin = captured(False), captured(True)
    node = next(node for node in twin.true_graph_0.graph.nodes if "softmax" in str(node.target))
    node.target = torch.ops.aten.log_softmax.int
    with pytest.raises(Misaligned, match="softmax"):
        list(by_dynamo.paired(plain, twin, 0))


def test_marks_do_not_change_the_result() -> None:
    torch.manual_seed(0)
    block, x = Gate(SMALL).eval(), torch.randn(2, 3, 4)
    expected = block(x)
    add_marks(block, compiled=True)
    assert torch.equal(block(x), expected)
