"""Converts a table of nodes, one per line, to ONNX. README.md in this folder shows the syntax.

The text syntax of ONNX is also accepted, but it cannot express names with slashes or node metadata.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import helper
from tests.cases.blocks import Line, parse_blocks, split_at, words
from tests.cases.onnx_values import attribute, initializer, value_info

DEFAULT_OPSET = 17
METADATA_IR = 10  # the first version whose nodes may have metadata


def model_bytes(text: str) -> bytes:
    """The bytes of the model that a `.onnxtxt` file describes."""
    return bytes(read_model(text).SerializeToString(deterministic=True))


def read_model(text: str) -> onnx.ModelProto:
    if text.lstrip().startswith("<"):
        return onnx.parser.parse_model(text)
    return TableReader(parse_blocks(text)).model


class TableReader:
    """Parses the lines of one table; the result is `model`."""

    def __init__(self, lines: list[Line]) -> None:
        self.model = onnx.ModelProto(ir_version=METADATA_IR)
        self.model.opset_import.add(domain="", version=DEFAULT_OPSET)
        self.model.graph.name = "main_graph"
        for line in lines:
            keyword, *rest = words(line.text)
            if keyword == "producer":
                self.model.producer_name, self.model.producer_version = rest
            elif keyword == "ir":
                self.model.ir_version = int(rest[0])
            elif keyword == "opset" and len(rest) == 1:
                self.model.opset_import[0].version = int(rest[0])
            elif keyword == "function":
                self.model.functions.append(self.function(line))
            elif keyword != "invalid":  # read by the test that checks the models of cases
                self.add_to_graph(self.model.graph, line)

    def add_to_graph(self, graph: onnx.GraphProto, line: Line) -> None:
        keyword, *rest = words(line.text)
        if keyword == "input":
            graph.input.append(value_info(*rest))
        elif keyword == "output":
            graph.output.append(value_info(*rest))
        elif keyword == "init":
            graph.initializer.append(initializer(*rest))
        else:
            graph.node.append(self.node(line))

    def node(self, line: Line) -> onnx.NodeProto:
        """`Op name : inputs -> outputs {attribute=value}`; below it metadata and bodies."""
        text, _, attributes = line.text.partition(" {")
        parts = words(text)
        if len(parts) < 3 or parts[2] != ":":
            raise line.error("is no node, which is 'Op name : inputs -> outputs'")
        inputs, outputs = split_at(parts[3:], "->")
        domain, _, op_type = parts[0].rpartition("::")
        self.import_domain(domain)
        node = onnx.NodeProto(name=parts[1], op_type=op_type, domain=domain, input=inputs, output=outputs)
        for pair in attributes.removesuffix("}").split():
            node.attribute.append(attribute(*pair.split("=", 1)))
        for inner in line.inside:
            if inner.text.endswith(":"):
                node.attribute.append(helper.make_attribute(inner.text[:-1], self.body(inner)))
            else:
                add_metadata(node, inner)
        return node

    def body(self, line: Line) -> onnx.GraphProto:
        graph = onnx.GraphProto(name=line.text[:-1])
        for inner in line.inside:
            self.add_to_graph(graph, inner)
        return graph

    def function(self, line: Line) -> onnx.FunctionProto:
        """`function domain Name : inputs -> outputs`, its nodes below it."""
        head, rest = split_at(words(line.text), ":")
        inputs, outputs = split_at(rest, "->")
        _, domain, name, *overload = head
        self.import_domain(domain)
        function = onnx.FunctionProto(domain=domain, name=name, overload="".join(overload))
        function.input.extend(inputs)
        function.output.extend(outputs)
        function.node.extend(self.node(inner) for inner in line.inside)
        function.opset_import.extend(self.model.opset_import)
        return function

    def import_domain(self, domain: str) -> None:
        if all(known.domain != domain for known in self.model.opset_import):
            self.model.opset_import.add(domain=domain, version=1)


def add_metadata(node: onnx.NodeProto, line: Line) -> None:
    """`key = value` is stored unchanged; `stack = path:class ... name:op` in the dynamo exporter's form."""
    key, equals, value = line.text.partition(" = ")
    if not equals:
        raise line.error("is neither metadata ('key = value') nor a body ('name:')")
    if key != "stack":
        node.metadata_props.add(key=key, value=value)
        return
    entries = [word.rpartition(":")[::2] for word in words(value)]
    names, classes = [list(column) for column in zip(*entries, strict=True)]
    space = "/".join(f"{name}: {kind}" for name, kind in entries)
    node.metadata_props.add(key="namespace", value=space)
    node.metadata_props.add(key="pkg.torch.onnx.class_hierarchy", value=repr(classes))
    node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=repr(names))


if __name__ == "__main__":
    table, target = sys.argv[1:]
    Path(target).write_bytes(model_bytes(Path(table).read_text()))
