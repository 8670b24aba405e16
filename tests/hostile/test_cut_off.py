"""A model truncated anywhere: an error, or an answer if the rest is still a model; never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.hostile import pb
from tests.hostile.program import ASAN, SAMPLE, check_error, run

REAL = {path.stem: path.read_bytes() for path in sorted(SAMPLE.glob("bert.*.onnx"))}


def tiny() -> bytes:
    """A small model with all kinds of content, so that it can be cut at every byte."""
    scopes: dict[str, pb.Text] = {"pkg.torch.onnx.name_scopes": "['', 'a', 'op']"}
    nodes = [
        pb.node("Gemm", "/a/Gemm", ["x", "a.weight"], ["y"], metadata=scopes),
        pb.node(
            "If",
            "/b/If",
            ["y"],
            ["z"],
            attributes=pb.body("then_branch", pb.graph([pb.node("Relu", "r", ["y"], ["w"])])),
        ),
        pb.node("f", "/c/f", ["z"], ["out"], domain="f"),
    ]
    rest = pb.tensor("a.weight", [2, 2], bytes(16)) + pb.value_info(11, "x") + pb.value_info(12, "out")
    return pb.model(nodes, rest, pb.function("f", [pb.node("Exp", "", ["i"], ["o"])], ["i"], ["o"]))


def check_cut(program: Path, model: Path, length: int) -> None:
    done = run("map", model, "--format", "jsonl", program=program)
    if done.code == 3:
        check_error(done, 3, str(model), offset=length > 0)
    else:
        assert done.code == 0, f"cut at {length}: exit {done.code}, {done.err}"


def test_tiny_model_at_every_byte(tmp_path: Path, thence: Path) -> None:
    data = tiny()
    model = tmp_path / "cut.onnx"
    step = 5 if thence == ASAN else 1
    for length in range(0, len(data), step):
        model.write_bytes(data[:length])
        check_cut(thence, model, length)
    model.write_bytes(data)
    assert run("map", model, program=thence).code == 0


@pytest.mark.parametrize("name", REAL)
def test_real_model(name: str, tmp_path: Path, thence: Path) -> None:
    data = REAL[name]
    rng = random.Random(name)
    model = tmp_path / "cut.onnx"
    for length in sorted(rng.sample(range(len(data)), 20 if thence == ASAN else 200)):
        model.write_bytes(data[:length])
        check_cut(thence, model, length)


def test_weights_cut_off(tmp_path: Path) -> None:
    """The most common damage: a download that stopped inside the weights."""
    model = tmp_path / "cut.onnx"
    model.write_bytes(REAL["bert.dynamo"][:-1])
    done = run("map", model)
    assert check_error(done, 3, str(model), offset=True) == "W005"
