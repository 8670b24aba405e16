"""Inputs of one megabyte, each built to be slow: every list that is searched, every name that is parsed,
every row that repeats a text. A case is a model and, for some, a capture file."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.hostile import pb

SIZE = 1_000_000


class Case(NamedTuple):
    model: bytes
    capture: bytes | None = None


Make = Callable[[], Case]
CASES: dict[str, Make] = {}


def case(make: Make) -> Make:
    CASES[make.__name__] = make
    return make


def until_full(parts: Iterator[bytes], size: int = SIZE) -> list[bytes]:
    """As many parts as fit into the size."""
    kept: list[bytes] = []
    total = 0
    for part in parts:
        total += len(part) + 4
        if total > size:
            break
        kept.append(part)
    return kept


def short_names(length: int = 3) -> Iterator[str]:
    """Distinct short names of letters."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    for letters in itertools.product(alphabet, repeat=length):
        yield "".join(letters)


def capture_of(paths: list[str], class_name: str = "pkg.Block") -> bytes:
    modules = [{"path": "", "class": "pkg.Net"}, *({"path": path, "class": class_name} for path in paths)]
    sections = {"hierarchy": {"version": 1, "modules": modules, "parameters": []}}
    return json.dumps({"schema": "thence.capture/1", "sections": sections}, separators=(",", ":")).encode()


# Nodes and names


@case
def empty_nodes() -> Case:
    return Case(pb.model([b""] * (SIZE // 2)))


@case
def distinct_scopes() -> Case:
    return Case(pb.model(until_full(pb.node(name=f"/{name}/x") for name in short_names())))


@case
def deep_scopes() -> Case:
    """Nearly every two bytes are a new scope and module."""
    tail = "/a" * 58
    return Case(pb.model(until_full(pb.node(name=f"/{'/'.join(name)}{tail}/x") for name in short_names())))


@case
def long_scopes() -> Case:
    """Modules with the greatest depth and the longest paths that are allowed."""
    tail = "/abcdefghijklm" * 60
    return Case(pb.model(until_full(pb.node(name=f"/{name}{tail}/x") for name in short_names())))


@case
def numbered_scopes() -> Case:
    """Numbered calls of one module, or modules whose names end in numbers."""
    return Case(pb.model(until_full(pb.node(name=f"/fc_{i}/x") for i in itertools.count())))


@case
def nested_numbered_scopes() -> Case:
    return Case(pb.model(until_full(pb.node(name=f"/a_{i}/b_{i}/c_{i}/x") for i in itertools.count())))


@case
def foreign_scopes() -> Case:
    return Case(pb.model(until_full(pb.node(name=f"{name}/b/c/x") for name in short_names())))


@case
def derived_name() -> Case:
    """A name with a great many prefixes of rewriters, and a number that is checked after each of them."""
    name = "fused " * 60_000 + "/a/x_token_" + "1" * 600_000
    return Case(pb.model([pb.node(name=name), pb.node(name="/a" + "_quant" * 10_000)]))


@case
def derived_values() -> Case:
    value = "/a/x_output_0" + "_quantized_scale" * 50_000
    return Case(pb.model([pb.node(outputs=[value]), pb.node(name="/b/x")]))


@case
def one_name() -> Case:
    return Case(pb.model([pb.node("Op", "/" + "x" * (SIZE // 2)), pb.node("y" * (SIZE // 2), "/a/x")]))


@case
def escaped_name() -> Case:
    return Case(pb.model([pb.node("Op", b"\x01\xff\x1b" * (SIZE // 3))]))


@case
def scope_of_slashes() -> Case:
    return Case(pb.model([pb.node("Op", "/" * 500_000 + "x"), pb.node("Op", "a/" * 250_000 + "x")]))


# Wiring


@case
def one_node_many_inputs() -> Case:
    return Case(pb.model([pb.node(inputs=[b""] * (SIZE // 2))]))


@case
def one_node_many_values() -> Case:
    """The first node writes a great many values, the second reads them: explain searches for consumers."""
    names = list(itertools.islice(short_names(), 95_000))
    return Case(
        pb.model(
            [
                pb.node(outputs=names),
                pb.node(inputs=[f"{name}" for name in reversed(names)]),
                pb.node(inputs=["_"] * 10_000),
            ]
        )
    )


@case
def many_outputs_no_consumer() -> Case:
    names = list(itertools.islice(short_names(), 100_000))
    return Case(pb.model([pb.node(outputs=names), pb.node(inputs=["-"] * 160_000)]))


@case
def hub() -> Case:
    """One value that every node reads."""
    reads = (pb.node("Add", f"/m{i % 999}/a{i}/x", ["hub"], [f"v{i}"]) for i in itertools.count())
    return Case(pb.model([pb.node("Cast", "", ["in"], ["hub"]), *until_full(reads)], pb.value_info(11, "in")))


@case
def hubs() -> Case:
    """Many values without a name, each read by many modules with long paths."""
    wide = 400
    names = list(itertools.islice(short_names(2), wide))
    producers = [pb.node("Op", "", ["in"], [name]) for name in names]
    consumers = [pb.node("Op", f"/{'module' * 150}/{i}/x", names, []) for i in range(400)]
    return Case(pb.model([*producers, *consumers], pb.value_info(11, "in")))


@case
def chain() -> Case:
    """Only the last node of a chain is known, and the file is in the wrong order."""
    nodes = until_full(pb.node("Op", "", [f"v{i}"], [f"v{i + 1}"]) for i in itertools.count())
    return Case(
        pb.model(
            [pb.node("Op", "/a/x", [f"v{len(nodes)}"], ["out"]), *reversed(nodes)], pb.value_info(11, "v0")
        )
    )


@case
def circles() -> Case:
    return Case(
        pb.model(
            until_full(
                pb.node("Op", f"/{i % 7}/x", [f"v{i}", f"v{i ^ 1}"], [f"v{i ^ 1}"]) for i in itertools.count()
            )
        )
    )


@case
def constants_of_one_module() -> Case:
    """Nameless nodes that are all read by one module with the longest path, in the deepest list."""
    scope = "/" + "/".join(f"{'longname' * 3}.{i}" for i in range(32))
    names = list(itertools.islice(short_names(), 85_000))
    consumer = pb.node("Op", scope + "/x", names, ["out"])
    return Case(pb.model([*(pb.node(outputs=[name]) for name in names), consumer]))
