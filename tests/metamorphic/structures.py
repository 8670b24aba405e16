"""Valid and nearly valid structures, by seed: functions, overloads, versions, nested bodies, cycles of calls, names
that repeat or are empty. Every model decodes; onnx's checker accepts some of them.

A structure is drawn from a grammar:

    model    -> graph, up to six functions, imports of up to three domains
    graph    -> up to twelve nodes, initializers, inputs, outputs
    node     -> a plain operator | a call of a function, by any overload, also of the function that it is in
              | If, Loop, Scan with graphs | Constant
    name     -> empty | one of a few, so that they repeat | a scope | a path of a parameter
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import onnx
from onnx import TensorProto, helper

NAMES = ("", "", "x", "/a/x", "/layer.0/fc/MatMul", "/layer.1/fc/MatMul", "layer.0.fc.weight", "a.b", "#0", "node_1")
DOMAINS = ("", "own", "pkg.more", "ai.onnx.ml")
OVERLOADS = ("", "", "one", "two")
OPERATORS = ("Add", "Relu", "MatMul", "Split", "Clip", "Identity", "Reshape", "Cast", "Shape", "Unknown")
SCOPES, NAMESPACE = "pkg.torch.onnx.name_scopes", "namespace"
DEEPEST = 5


@dataclass
class Maker:
    """Draws one model."""

    choose: random.Random
    functions: list[tuple[str, str, str]] = field(default_factory=list)  # domain, name, overload
    values: list[str] = field(default_factory=lambda: ["in0", "in1"])
    count: int = 0

    def name(self) -> str:
        return self.choose.choice(NAMES)

    def value(self) -> str:
        """A new value, or, rarely, one that has another writer."""
        if self.choose.random() < 0.05:
            return self.choose.choice(self.values)
        self.count += 1
        name = f"{self.name() if self.choose.random() < 0.3 else 'v'}_{self.count}"
        self.values.append(name)
        return name

    def read(self) -> str:
        """A value of any graph so far, none, or one that nothing writes."""
        chance = self.choose.random()
        return "" if chance < 0.06 else "nowhere" if chance < 0.08 else self.choose.choice(self.values[-20:])

    def node(self, depth: int) -> onnx.NodeProto:
        kind = self.choose.random()
        inputs = [self.read() for _ in range(self.choose.randint(0, 3))]
        outputs = [self.value() for _ in range(self.choose.choice((1, 1, 1, 2)))]
        if kind < 0.3 and self.functions:
            domain, name, overload = self.choose.choice(self.functions)
            node = helper.make_node(name, inputs, outputs, self.name(), domain=domain, overload=overload)
        elif kind < 0.5 and depth < DEEPEST:
            node = self.with_bodies(depth, inputs, outputs)
        elif kind < 0.6:
            node = helper.make_node("Constant", [], outputs[:1], self.name(), value=self.tensor(""))
        else:
            op = self.choose.choice(OPERATORS)
            domain = self.choose.choice(DOMAINS) if self.choose.random() < 0.1 else ""
            node = helper.make_node(op, inputs, outputs, self.name(), domain=domain)
        self.describe(node)
        return node

    def describe(self, node: onnx.NodeProto) -> None:
        if self.choose.random() < 0.3:
            path = self.choose.choice(("a", "layer.0", "layer.1", "layer.0.fc"))
            value = f"['', '{path}', 'op']"
            node.metadata_props.add(key=SCOPES, value=value)
        if self.choose.random() < 0.1:
            node.metadata_props.add(key=NAMESPACE, value=": pkg.Net/a: pkg.Part/op: aten.add")

    def with_bodies(self, depth: int, inputs: list[str], outputs: list[str]) -> onnx.NodeProto:
        match self.choose.randrange(3):
            case 0:
                branches = {"then_branch": self.graph(depth + 1, 0), "else_branch": self.graph(depth + 1, 0)}
                return helper.make_node("If", [self.read()], outputs, self.name(), **branches)
            case 1:
                body = self.graph(depth + 1, 3)
                return helper.make_node("Loop", ["", "", *inputs], outputs, self.name(), body=body)
            case _:
                body = self.graph(depth + 1, 2)
                return helper.make_node("Scan", inputs, outputs, self.name(), body=body, num_scan_inputs=1)

    def graph(self, depth: int, inputs: int) -> onnx.GraphProto:
        """A body, which may read what is outside of it, and may repeat its names."""
        given = [self.value() for _ in range(inputs)]
        nodes = [self.node(depth) for _ in range(self.choose.randint(1, 12 if depth == 0 else 4))]
        last = [node.output[0] for node in nodes[-2:]]
        return helper.make_graph(
            nodes,
            self.choose.choice(("", "g")),
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, "n"]) for name in given],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in last],
            [self.tensor(self.value()) for _ in range(self.choose.choice((0, 0, 1, 2)))],
        )

    def tensor(self, name: str) -> onnx.TensorProto:
        return helper.make_tensor(name, TensorProto.FLOAT, (2, 2), [self.choose.random() for _ in range(4)])

    def function(self, domain: str, name: str, overload: str) -> onnx.FunctionProto:
        """Its body may call any function, also itself, directly or in a circle."""
        outer, self.values = self.values, ["p", "q"]
        nodes = [self.node(2) for _ in range(self.choose.randint(0, 5))]
        outputs = [nodes[-1].output[0]] if nodes else ["p"]
        self.values = outer
        versions = [helper.make_opsetid("", self.choose.choice((13, 18, 21)))]
        made = helper.make_function(domain, name, ["p", "q"], outputs, nodes, versions, overload=overload)
        if self.choose.random() < 0.3:
            made.value_info.append(helper.make_tensor_value_info("p", TensorProto.FLOAT, [2]))
        return made


def make_structure(seed: int) -> onnx.ModelProto:
    maker = Maker(random.Random(f"structure {seed}"))
    choose = maker.choose
    for _ in range(choose.randint(0, 6)):
        made = (choose.choice(DOMAINS), choose.choice(("F", "F", "G", "Relu", "")), choose.choice(OVERLOADS))
        maker.functions.append(made)
    distinct = list(dict.fromkeys(maker.functions)) if choose.random() < 0.7 else maker.functions
    functions = [maker.function(*each) for each in distinct]
    graph = maker.graph(0, 2)
    graph.name = choose.choice(("", "main"))
    imports = [helper.make_opsetid(domain, choose.choice((1, 17, 21))) for domain in DOMAINS]
    if choose.random() < 0.1:
        imports.append(helper.make_opsetid("", 13))  # a second version of one domain
    model = helper.make_model(graph, functions=functions, opset_imports=imports)
    model.ir_version = choose.choice((3, 8, 10, 11))
    return model
