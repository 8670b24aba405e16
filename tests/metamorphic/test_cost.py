"""Twice the nodes cost about twice the processor time, for every command and several shapes of graphs.

A quadratic part that is small at the size of a test would pass: the size is doubled until a run takes 0.2 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.metamorphic.lines import LINES, Line, write_profile
from tests.metamorphic.measured import timed

LEAST_SECONDS = 0.2
FIRST, LAST = 4_000, 512_000  # nodes
MOST_RATIO = 2.6
RUNS, MORE_RUNS = 3, 6

# One format of each kind: others print the same rows with the same code.
SKIPPED = {"csv-raw", "jsonl", "markdown"}
CHOSEN = [line for line in LINES if line.format not in SKIPPED and not ("--as" in line.words and "extract-io" not in line.words)]

Shape = Callable[[int], Iterator[bytes]]  # the fields of a graph of n nodes


def chain(count: int) -> Iterator[bytes]:
    """Scopes of layers, each node reads the one before."""
    yield pb.value_info(11, "v0")
    for i in range(count):
        yield pb.message(1, pb.node("Add", f"/layer.{i // 50}/fc/Add_{i % 50}", [f"v{i}"], [f"v{i + 1}"]))
    yield pb.value_info(12, f"v{count}")


def wide(count: int) -> Iterator[bytes]:
    """All nodes read one value, and one node reads all results."""
    yield pb.value_info(11, "hub")
    for i in range(count - 1):
        yield pb.message(1, pb.node("Relu", f"/m.{i % 99}/x/Relu_{i}", ["hub"], [f"v{i}"]))
    yield pb.message(1, pb.node("Concat", "/Concat", [f"v{i}" for i in range(count - 1)], ["y"]))
    yield pb.value_info(12, "y")


def bodies(count: int) -> Iterator[bytes]:
    """Every tenth node has two bodies, which read outer values, and one of which has a body, too."""
    yield pb.value_info(11, "v0") + pb.value_info(11, "c")
    for i in range(count // 5):
        scope = f"/layer.{i // 50}"
        leaf = pb.graph([pb.node("Neg", f"{scope}/Neg", [f"v{i}"], ["t"])], pb.value_info(12, "t"))
        inner = pb.node("If", f"{scope}/If_1", ["c"], ["u"], attributes=pb.body("then_branch", leaf))
        branch = pb.graph([inner], pb.value_info(12, "u"))
        both = pb.body("then_branch", branch) + pb.body("else_branch", leaf)
        yield pb.message(1, pb.node("If", f"{scope}/If_{i}", ["c"], [f"w{i}"], attributes=both))
        yield pb.message(1, pb.node("Relu", f"{scope}/Relu_{i}", [f"w{i}"], [f"v{i + 1}"]))
    yield pb.value_info(12, f"v{count // 5}")


def modules(count: int) -> Iterator[bytes]:
    """Each node has a module and a weight of its own."""
    yield pb.value_info(11, "v0")
    for i in range(count):
        name = f"layer.{i // 9}.part{i % 9}"
        scope = name.replace(".part", "/part")
        yield pb.message(1, pb.node("MatMul", f"/{scope}/MatMul", [f"v{i}", f"{name}.weight"], [f"v{i + 1}"]))
        yield pb.tensor(f"{name}.weight", [2, 2], i.to_bytes(4, "little") * 4)
    yield pb.value_info(12, f"v{count}")


def stacks(count: int) -> Iterator[bytes]:
    """Metadata as the other exporter writes it, and no names."""
    yield pb.value_info(11, "v0")
    for i in range(count):
        layer = f"encoder.layers.{i // 20}"
        metadata: dict[str, pb.Text] = {
            "pkg.torch.onnx.name_scopes": f"['', 'encoder', '{layer}', '{layer}.fc', 'node_{i}']",
            "pkg.torch.onnx.class_hierarchy": "['p.Net', 'p.Encoder', 'p.Layer', 'p.Linear', 'aten.mul']",
        }
        yield pb.message(1, pb.node("Mul", "", [f"v{i}", f"v{i}"], [f"v{i + 1}"], metadata=metadata))
    yield pb.value_info(12, f"v{count}")


SHAPES: dict[str, Shape] = {each.__name__: each for each in (chain, wide, bodies, modules, stacks)}


class Graphs:
    """Models of each shape and size, written once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def model(self, shape: str, count: int) -> Path:
        folder = self.folder / f"{shape}-{count}"
        if not folder.exists():
            folder.mkdir()
            with (folder / "model.onnx").open("wb") as file:
                file.write(pb.number(1, 10) + pb.message(2, "made") + pb.message(8, pb.number(2, 20)))
                file.write(pb.message(7, b"".join(SHAPES[shape](count))))
            write_profile(folder, (f"/layer.{i // 50}/fc/Add_{i % 50}" for i in range(count)))
        return folder / "model.onnx"


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Graphs:
    return Graphs(tmp_path_factory.mktemp("graphs"))


def seconds_of(line: Line, model: Path, runs: int) -> float:
    """The least of several runs."""
    found = []
    for _ in range(runs):
        done, seconds = timed(*line.filled(model, model.parent, "layer.0"), keep=False)
        assert done.code in (0, 1, 3), done.err[-2000:]
        (model.parent / "out").unlink(missing_ok=True)
        found.append(seconds)
    return min(found)


@pytest.mark.long
@pytest.mark.parametrize("line", CHOSEN, ids=lambda line: line.name)
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_nodes(shape: str, line: Line, graphs: Graphs) -> None:
    count = FIRST
    while seconds_of(line, graphs.model(shape, count), 1) < LEAST_SECONDS and count < LAST:
        count *= 2
    ratio = 0.0
    for runs in (1, RUNS, MORE_RUNS):
        one = seconds_of(line, graphs.model(shape, count), runs)
        two = seconds_of(line, graphs.model(shape, 2 * count), runs)
        ratio = two / one
        print(f"{shape} {line.name}: {count} nodes {one:.2f} s, twice as many {two:.2f} s, {ratio:.2f}")
        if ratio < MOST_RATIO:
            return
    raise AssertionError(f"{ratio:.2f} times the time for twice the nodes ({count})")
