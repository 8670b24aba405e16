"""Valid graphs whose nodes are named after random modules."""

from __future__ import annotations

import random

import onnx
from onnx import TensorProto, helper

SHAPE = (2, 3)


def random_model(seed: int) -> onnx.ModelProto:
    chance = random.Random(seed)
    paths = random_paths(chance)
    values = ["x0", "x1", "w0", "w1"]
    nodes = [make_node(chance, i, chance.choice(paths), values) for i in range(chance.randint(5, 60))]
    nodes.append(helper.make_node("Relu", [values[-1]], ["last"], f"{paths[-1]}/Relu"))  # so that one is used
    outputs = ["last", *chance.sample(values[4:], chance.randint(1, 4))]
    floats = TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "random",
        [helper.make_tensor_value_info(name, floats, SHAPE) for name in ("x0", "x1")]
        + [helper.make_tensor_value_info("flag", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info(name, floats, SHAPE) for name in outputs],
        [helper.make_tensor(name, floats, SHAPE, range(i, i + 6)) for i, name in enumerate(("w0", "w1"))],
    )
    own = helper.make_function(
        "own",
        "Twice",
        ["a"],
        ["b"],
        [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 17)],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=[own])
    model.ir_version = chance.choice((8, 10))
    return model


def random_paths(chance: random.Random) -> list[str]:
    """Scopes in TorchScript's format; the empty one is the root."""
    paths = [""]
    for _ in range(chance.randint(1, 8)):
        paths.append(f"{chance.choice(paths)}/{chance.choice('abc')}{chance.randint(0, 2)}")
    return paths


def make_node(chance: random.Random, number: int, scope: str, values: list[str]) -> onnx.NodeProto:
    op = chance.choice(("Relu", "Neg", "Add", "Mul", "Clip", "If", "Twice", "Constant", "Dropout"))
    inputs = [chance.choice(values[-12:]) for _ in range(2)]
    out, name = f"v{number}", f"{scope}/{op}_{number}"
    values.append(out)
    match op:
        case "Add" | "Mul":
            return helper.make_node(op, inputs, [out], name)
        case "Clip":  # the minimum is left out
            return helper.make_node("Min", inputs, [out], name)
        case "Dropout":  # the mask is left out
            return helper.make_node(op, [inputs[0]], [out, ""], name)
        case "Twice":
            return helper.make_node(op, inputs[:1], [out], name, domain="own")
        case "Constant":
            return helper.make_node(op, [], [out], name, value=helper.make_tensor("", 1, SHAPE, range(6)))
        case "If":
            return helper.make_node(
                op,
                ["flag"],
                [out],
                name,
                then_branch=branch("Relu", inputs[0], number),
                else_branch=branch("Neg", inputs[1], number),
            )
        case _:
            return helper.make_node(op, inputs[:1], [out], name)


def branch(op: str, outer: str, number: int) -> onnx.GraphProto:
    result = f"{op}{number}"
    given = helper.make_tensor_value_info(result, TensorProto.FLOAT, SHAPE)
    return helper.make_graph([helper.make_node(op, [outer], [result])], result, [], [given])
