"""More inputs of one megabyte: parameters, candidates, metadata, bodies, functions and captures."""

from __future__ import annotations

import itertools
import struct
from random import Random

from tests.hostile import pb
from tests.hostile.megabyte import CASES, SIZE, Case, capture_of, case, short_names, until_full

__all__ = ["CASES", "Case"]

# Parameters and candidates


@case
def many_initializers() -> Case:
    return Case(
        pb.model(
            [pb.node("Op", "/a/x")],
            b"".join(until_full(pb.tensor(f"{name}.w", [2]) for name in short_names())),
        )
    )


@case
def parameters_by_turns() -> Case:
    """One node without a name reads parameters of two modules, alternately."""
    rest = pb.tensor("a.w", [2, 2]) + pb.tensor("b.w", [2, 2])
    return Case(pb.model([pb.node("Op", "", ["a.w", "b.w"] * 99_000, ["out"])], rest))


@case
def parameters_of_many_modules() -> Case:
    names = [f"{name}.w" for name in itertools.islice(short_names(), 50_000)]
    return Case(pb.model([pb.node("Op", "", names, ["out"])], b"".join(pb.tensor(name) for name in names)))


@case
def candidates_by_parameters() -> Case:
    """A scope reads parameters of thousands of modules with its name, and contains thousands of scopes."""
    names = [f"{name}.fc.w" for name in itertools.islice(short_names(), 6_000)]
    inside = until_full((pb.node("Op", f"/fc/{name}/x") for name in short_names()), 700_000)
    return Case(
        pb.model([pb.node("Op", "/fc/x", names), *inside], b"".join(pb.tensor(name) for name in names))
    )


@case
def nested_candidates() -> Case:
    names = [f"{name}.fc.w" for name in itertools.islice(short_names(), 2_000)]
    inside = until_full((pb.node("Op", f"/fc/{name}{'/a' * 55}/x") for name in short_names()), 800_000)
    return Case(
        pb.model([pb.node("Op", "/fc/x", names), *inside], b"".join(pb.tensor(name) for name in names))
    )


@case
def connected_candidates() -> Case:
    """A great many candidates, and edges to scopes that could decide between them."""
    names = [f"{name}.fc.w" for name in itertools.islice(short_names(), 4_000)]
    known = [pb.node("Op", f"/{name}/x", [], [name]) for name in itertools.islice(short_names(), 8_000)]
    reads = list(itertools.islice(short_names(), 8_000))
    open_scopes = [pb.node("Op", f"/fc/a{i}/x", reads[i * 100 : i * 100 + 2_000]) for i in range(50)]
    return Case(
        pb.model(
            [pb.node("Op", "/fc/x", names), *known, *open_scopes], b"".join(pb.tensor(name) for name in names)
        )
    )


@case
def candidates_in_capture() -> Case:
    """Thousands of modules with one name in the capture, and thousands of scopes that match all of them."""
    nodes = until_full(pb.node("Op", f"/fc_{i}/x", [f"v{i}"], [f"v{i + 1}"]) for i in itertools.count())
    return Case(
        pb.model(nodes, pb.value_info(11, "v0")), capture_of([f"layers.{i}.fc" for i in range(4_000)])
    )


@case
def deep_candidates_in_capture() -> Case:
    nodes = until_full(
        pb.node("Op", f"/{name}/fc/x", [f"v{i}"], [f"v{i + 1}"]) for i, name in enumerate(short_names())
    )
    paths = [f"{'block.' * 30}{i}.fc" for i in range(4_000)]
    return Case(
        pb.model(nodes, pb.value_info(11, "v0")),
        capture_of(paths + list(itertools.islice(short_names(), 20_000))),
    )


# Metadata


def stacked(scopes: list[str], classes: list[str]) -> dict[str, pb.Text]:
    return {
        "pkg.torch.onnx.name_scopes": repr([*scopes, "op"]),
        "pkg.torch.onnx.class_hierarchy": repr([*classes, "aten.op"]),
    }


@case
def stacks() -> Case:
    nodes = (
        pb.node("Op", metadata=stacked(["", f"a.{i}", f"a.{i}.b"], ["N", "B", "C"]))
        for i in itertools.count()
    )
    return Case(pb.model(until_full(nodes)))


@case
def layers_equal_except_the_last() -> Case:
    """Blocks of one class whose modules are equal except the last: do they form a layer?"""
    nodes = []
    for block in range(66):
        for child in range(120):
            last = f"last{block}" if child == 119 else f"c{child}"
            nodes.append(
                pb.node("Op", metadata=stacked(["", f"a.{block}", f"a.{block}.{last}"], ["N", "B", "C"]))
            )
    return Case(pb.model(until_full(iter(nodes))))


@case
def long_stack() -> Case:
    """One list of scopes, as long as the file."""
    text = "['', " + "'slice(0, 1, 1).0.a', " * 45_000 + "'op']"
    return Case(pb.model([pb.node("Op", metadata={"pkg.torch.onnx.name_scopes": text})]))


@case
def sliced_path() -> Case:
    text = "['', '" + "slice(0, 1, 1).0." * 55_000 + "a', 'op']"
    return Case(pb.model([pb.node("Op", metadata={"pkg.torch.onnx.name_scopes": text})]))


@case
def path_of_dots() -> Case:
    nodes = [
        pb.node("Op", metadata=stacked(["", "a." * 100_000 + "b"], ["N", "B"])),
        pb.node("Op", inputs=["." * 99_999]),
    ]
    return Case(pb.model(nodes, pb.tensor("x." * 100_000 + "weight", [2]) + pb.tensor("." * 99_999)))


@case
def long_class() -> Case:
    """A class with a name that is half as long as the file, printed in every row of its module."""
    names = list(itertools.islice(short_names(), 40_000))
    consumer = pb.node("Op", "", names, ["out"], metadata=stacked(["", "a"], ["N", "p." + "C" * 400_000]))
    return Case(pb.model([*(pb.node(outputs=[name]) for name in names), consumer]))


@case
def words_in_names() -> Case:
    """Names of modules that consist of a great many words."""
    name = "".join(f"{a}{b}" for a, b in itertools.product("ABCDEFGHIJ", "abcdefghijklmnopqrst"))
    nodes = (pb.node("Op", f"/{n}{name * 2}/x") for n in short_names())
    return Case(pb.model(until_full(nodes)))


@case
def many_properties() -> Case:
    return Case(pb.model([pb.node("Op", "/a/x") + b"J\0" * (SIZE // 2)]))


@case
def tagged_with_attributes() -> Case:
    tags: dict[str, pb.Text] = {"pkg.thence.module": "a.b", "pkg.thence.fingerprint": "0" * 16}
    nodes = [
        pb.node("Op", attributes=b"*\0" * 200_000, metadata=tags),
        pb.node("Op", attributes=pb.message(5, pb.message(8, b"\1" * 400_000)), metadata=tags),
    ]
    return Case(pb.model(nodes))


# Bodies and functions


@case
def many_bodies() -> Case:
    nodes = (
        pb.node("If", "/a/x", ["c"], attributes=pb.body("then_branch", pb.graph([b""])))
        for _ in itertools.count()
    )
    return Case(pb.model(until_full(nodes)))


@case
def deep_bodies() -> Case:
    """Bodies at the greatest depth, with long names on the way and a great many graphs at the end."""
    leaf = pb.message(5, pb.message(1, "g" * 9_000) + b"Z\0" * 40_000 + b"Z\x04\x0a\x02\x22\x00" * 20_000)
    for _ in range(30):
        leaf = pb.body("x" * 9_000, pb.graph([pb.node("If", "", ["c"], attributes=leaf)]))
    return Case(pb.model([pb.node("If", "/a/x", ["c"], attributes=leaf)]))


@case
def body_with_long_name() -> Case:
    return Case(pb.model([pb.node("If", attributes=pb.body("b" * 500_000, pb.graph([b""] * 200_000)))]))


@case
def function_with_long_name() -> Case:
    return Case(
        pb.model([pb.node("f" * 200_000, domain="f")], functions=pb.function("f" * 200_000, [b""] * 250_000))
    )


@case
def many_functions() -> Case:
    return Case(
        pb.model(
            [pb.node("Op", "/a/x")],
            functions=b"".join(until_full(pb.function(name, [b""]) for name in short_names())),
        )
    )


@case
def functions_in_a_circle() -> Case:
    count = 20_000
    functions = [pb.function(f"f{i}", [pb.node(f"f{(i + 1) % count}", domain="f")] * 2) for i in range(count)]
    return Case(
        pb.model(
            [pb.node("f0", "/a/x", domain="f"), pb.node("f9", "/b/x", domain="f")],
            functions=b"".join(functions),
        )
    )


@case
def function_of_many_callers() -> Case:
    """A large body, and dozens of callers with long paths to list for each of its nodes."""
    calls = [pb.node("f", f"/{'caller' * 160}{i}/x", domain="f") for i in range(80)]
    return Case(pb.model(calls, functions=pb.function("f", [b""] * 420_000)))


@case
def value_infos() -> Case:
    return Case(
        pb.model(
            [pb.node("Op", "/a/x")], b"".join(until_full(pb.value_info(13, name) for name in short_names()))
        )
    )


@case
def graph_inputs() -> Case:
    return Case(pb.model([pb.node("Op", "/a/x")], b"Z\0" * 200_000 + b"b\0" * 200_000))


@case
def opsets() -> Case:
    return Case(pb.model_of(pb.graph([pb.node("Op", "/a/x")]), b"B\0" * 450_000))


# Inputs of transfer and diff


@case
def operators_of_many_outputs() -> Case:
    """Each node reads the preceding one: all outputs of each are looked up again."""
    names = list(itertools.islice(short_names(), 900))
    nodes = (
        pb.node("Split", "", [f"{i}{names[0]}"], [f"{i + 1}{name}" for name in names])
        for i in itertools.count()
    )
    return Case(pb.model(until_full(nodes)))


@case
def weights_of_one_size() -> Case:
    """Thousands of quantised weights, each of which may match any of thousands of others."""
    random = Random(1)
    pairs = (
        pb.tensor(f"{name}r", [4, 4], struct.pack("16f", *(random.random() for _ in range(16))))
        + pb.tensor(f"{name}q", [4, 4], random.randbytes(16), kind=3)
        for name in short_names()
    )
    tensors = until_full(pairs, SIZE // 2)
    nodes = until_full(
        (
            pb.node("MatMul", "", ["x", f"{name}{kind}"], [f"{name}{kind}y"])
            for name in short_names()
            for kind in "rq"
        ),
        SIZE // 2,
    )
    return Case(pb.model(nodes, b"".join(tensors)))


@case
def bodies_of_many_modules() -> Case:
    """Every other node is in a module of its own, which is slow if a module's parts are listed per node."""
    body = pb.body("then_branch", pb.graph([pb.node("Relu", "", ["a"], ["z"])]))
    names = (f"m{i}" for i in itertools.count())
    return Case(
        pb.model(until_full(pb.node("If", f"/{name}/If", ["c"], [name], attributes=body) for name in names))
    )


@case
def one_name_for_all() -> Case:
    """`explain` explains every node that has the name."""
    return Case(pb.model(until_full(pb.node("", "/a/x", ["a"], ["b"]) for _ in itertools.count())))
