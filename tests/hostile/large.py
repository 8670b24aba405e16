"""Large models for the memory limit: 64 MB, three times the bytes that are not tensor data, 112 bytes per node, and
1 KiB per module. Each is written to a file piece by piece, with the numbers that the limit depends on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.hostile import pb


class Large(NamedTuple):
    nodes: int
    data: int = 0  # bytes of tensor data
    modules: int = 0  # that names of nodes have; at most two per node count
    refused: bool = False  # exceeds a documented limit: an error, within the same memory


Make = Callable[[Path], Large]
CASES: dict[str, Make] = {}


def case(make: Make) -> Make:
    CASES[make.__name__] = make
    return make


def write(path: Path, pieces: Iterator[bytes]) -> None:
    """A model with these fields in its graph. The graph is written in many pieces, as protobuf allows, so
    that its size need not be known in advance."""
    with path.open("wb") as file:
        file.write(pb.number(1, 10) + pb.message(8, pb.number(2, 20)))
        while piece := b"".join(itertools.islice(pieces, 100_000)):
            file.write(pb.message(7, piece))


def nodes(path: Path, count: int, make: Callable[[int], bytes], rest: bytes = b"") -> Large:
    write(path, itertools.chain((pb.message(1, make(i)) for i in range(count)), [rest]))
    return Large(count)


@case
def ten_million_empty_nodes(path: Path) -> Large:
    write(path, (b"\n\0" * 100_000 for _ in range(100)))
    return Large(10_000_000)


@case
def a_million_nodes(path: Path) -> Large:
    """Nodes with TorchScript names."""
    scope = "/encoder/layer.{}/attention/self"
    return nodes(
        path, 1_000_000,
        lambda i: pb.node("MatMul", f"{scope.format(i // 50)}/MatMul_{i % 50}", [f"{scope.format((i - 1) // 50)}/MatMul_{(i - 1) % 50}_output_0"], [f"{scope.format(i // 50)}/MatMul_{i % 50}_output_0"]),
    )  # fmt: skip


@case
def a_million_scopes(path: Path) -> Large:
    """Every node is in a separate module."""
    made = nodes(path, 1_000_000, lambda i: pb.node("Op", f"/m{i}/x", [f"v{i}"], [f"v{i + 1}"]))
    return made._replace(modules=1_000_000)


def nodes_of_experts(path: Path, count: int) -> Large:
    """Three modules for ten nodes, and a module around every three, as in a large mixture of experts."""

    def make(i: int) -> bytes:
        layer, expert, part = (
            i * 3 // 9000,
            i * 3 // 30 % 300,
            ("gate_proj", "up_proj", "down_proj")[i * 3 // 10 % 3],
        )
        scope = f"/model/layers.{layer}/mlp/experts.{expert}/{part}"
        return pb.node("MatMul", f"{scope}/MatMul_{i % 10}", [f"v{i}"], [f"v{i + 1}"])

    return nodes(path, count, make)._replace(modules=count // 10 * 4 + count // 3000 + 10)


@case
def a_million_nodes_of_experts(path: Path) -> Large:
    return nodes_of_experts(path, 1_000_000)


@case
def many_scopes_a_node(path: Path) -> Large:
    """Sixty separate modules for every node, with two bytes of name each."""
    return nodes(path, 100_000, lambda i: pb.node("Op", f"/m{i}{'/a' * 58}/x"))._replace(modules=5_900_000)


@case
def long_paths(path: Path) -> Large:
    return nodes(path, 20_000, lambda i: pb.node("Op", f"/m{i}{'/abcdefghijklmno' * 55}/x"))._replace(
        modules=1_120_000
    )


@case
def a_million_stacks(path: Path) -> Large:
    """Nodes with the metadata of the dynamo exporter."""

    def make(i: int) -> bytes:
        layer = f"encoder.layers.{i // 20}"
        scopes = f"['', 'encoder', '{layer}', '{layer}.attention', 'node_{i}']"
        classes = "['pkg.Net', 'pkg.Encoder', 'pkg.Layer', 'pkg.Attention', 'aten.matmul.default']"
        metadata: dict[str, pb.Text] = {
            "pkg.torch.onnx.name_scopes": scopes,
            "pkg.torch.onnx.class_hierarchy": classes,
        }
        return pb.node("MatMul", f"node_{i}", [f"v{i}"], [f"v{i + 1}"], metadata=metadata)

    return nodes(path, 1_000_000, make)


@case
def weights(path: Path) -> Large:
    """200 MB of weights: tensor data does not count, because it is not read."""
    data = bytes(2_000_000)
    write(
        path,
        itertools.chain(
            [pb.message(1, pb.node("Op", "/a/x", ["a.w0"]))],
            (pb.tensor(f"a.w{i}", [1000, 500], data) for i in range(100)),
        ),
    )
    return Large(1, 200_000_000)


@case
def ten_million_empty_inputs(path: Path) -> Large:
    return nodes(path, 1, lambda _: pb.node("Op", "/a/x", [b""] * 10_000_000))


@case
def a_million_initializers(path: Path) -> Large:
    write(
        path,
        itertools.chain(
            [pb.message(1, pb.node("Op", "/a/x"))],
            (pb.tensor(f"layer.{i}.fc.weight", [2, 2]) for i in range(1_000_000)),
        ),
    )
    return Large(1)


@case
def parameters_of_many_modules(path: Path) -> Large:
    names = [f"m{i}.w" for i in range(300_000)]
    return nodes(path, 2, lambda _: pb.node("Op", "", names), b"".join(pb.tensor(name) for name in names))


@case
def a_million_consumers(path: Path) -> Large:
    """One value that a million nodes read."""
    return nodes(
        path,
        1_000_000,
        lambda i: pb.node("Op", f"/m.{i % 999}/x", ["hub"], [f"v{i}"]),
        pb.value_info(11, "hub"),
    )


@case
def distinct_values(path: Path) -> Large:
    return nodes(path, 2_000_000, lambda i: pb.node("", "", [f"{i - 1}"], [f"{i}"]))


@case
def shared_by_many(path: Path) -> Large:
    """Nodes without a name, each read by sixty modules."""
    count = 40_000
    producers = (pb.message(1, pb.node("", "", [], [f"{i}"])) for i in range(count))
    consumers = (pb.message(1, pb.node("Op", f"/m{j}/x", [f"{i}" for i in range(count)])) for j in range(60))
    write(path, itertools.chain(producers, consumers))
    return Large(count + 60)


@case
def properties(path: Path) -> Large:
    return nodes(path, 1, lambda _: pb.node("Op", "/a/x") + b"J\0" * 10_000_000)


@case
def dimensions(path: Path) -> Large:
    head = pb.message(8, "a.w") + pb.message(1, b"\1" * 20_000_000)
    return nodes(path, 1, lambda _: pb.node("Op", "/a/x", ["a.w"]), pb.message(5, head))


@case
def long_names(path: Path) -> Large:
    return nodes(path, 20, lambda i: pb.node("Op", f"/{i}" + "x" * 1_000_000, [f"v{i}" + "y" * 1_000_000]))


@case
def functions(path: Path) -> Large:
    """A million nodes in functions that call each other, and two callers for all."""
    count = 1000
    body = pb.texts(7, [pb.node("Add", "", ["x"], ["y"])] * 999)
    with path.open("wb") as file:
        file.write(pb.model([pb.node("f0", "/a/f", domain="f"), pb.node("f0", "/b/f", domain="f")]))
        for i in range(count):
            call = pb.message(7, pb.node(f"f{(i + 1) % count}", domain="f"))
            file.write(pb.message(25, pb.message(1, f"f{i}") + call + body + pb.message(10, "f")))
    return Large(count * 1000 + 2)


@case
def bodies(path: Path) -> Large:
    branch = pb.body("then_branch", pb.graph([pb.node("Relu", "", ["x"], ["y"])]))
    return nodes(
        path, 40_000, lambda i: pb.node("If", f"/a.{i}/If", ["c"], [f"v{i}"], attributes=branch)
    )._replace(nodes=80_000)


@case
def more_bodies_than_a_file_is_granted(path: Path) -> Large:
    """A graph takes some hundred bytes of memory and two bytes of a file."""
    return nodes(path, 1, lambda _: pb.node("If", attributes=pb.message(5, b"Z\0" * 2_000_000)))._replace(
        refused=True
    )
