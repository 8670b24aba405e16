"""Profiles of real runs of onnxruntime: every level, several threads, several callers, bodies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from tests.cases.schemas import problems
from tests.profile.record import exclusive_microseconds, kernel_events, record

SAMPLE = Path(__file__).parents[1] / "models" / "sample"
MODELS = [SAMPLE / f"{name}.onnx" for name in ("bert.torchscript", "bert.dynamo")]


def profile(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [os.environ["THENCE_BIN"], "profile", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "THENCE_PYTHON": sys.executable},
    )
    assert done.returncode == code, done.stderr
    return done


def answer(*arguments: str | Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(profile(*arguments, "--format", "json", "-q").stdout)
    assert problems(document, document["schema"]) == []
    return document


def check_sums(document: dict[str, Any]) -> None:
    """Every microsecond is in exactly one row, and the root has everything that has a module."""
    rows, totals = document["rows"], document["totals"]
    assert sum(row["self_us"] for row in rows) == pytest.approx(totals["kernel_us"])
    assert sum(kernel["time_us"] for kernel in document["kernels"]) == pytest.approx(totals["kernel_us"])
    explained = totals["kernel_us"] - totals["unexplained_us"]
    assert sum(row["total_us"] for row in rows if row["key"] == "") == pytest.approx(explained)


@pytest.mark.parametrize("level", ["disable", "basic", "extended", "all"])
@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_every_kernel_has_a_module(model: Path, level: str, tmp_path: Path) -> None:
    saved = tmp_path / "optimised.onnx"
    trace = record(model, tmp_path / "profile.json", level=level, optimised=saved, threads=2)
    document = answer(saved, trace, "--ancestor", model)
    totals = document["totals"]
    assert totals["matched_kernels"] == totals["kernels"] == len({e["name"] for e in kernel_events(trace)})
    assert totals["kernel_us"] == exclusive_microseconds(trace)
    assert totals["unexplained_us"] == 0
    assert document["runs"] == 6
    check_sums(document)
    accepted = accepted_modules(model)
    for kernel in document["kernels"]:
        if kernel["name"] in accepted:
            assert accepted[kernel["name"]] & {*kernel["modules"]}, kernel


def accepted_modules(model: Path) -> dict[str, set[str]]:
    """The true modules of the nodes that have one, by name."""
    nodes = onnx.load(model).graph.node
    truth = json.loads(model.with_suffix(".truth.json").read_text())
    return {
        nodes[row["index"]].name: {row["module"], *row.get("accept", [])}
        for row in truth["nodes"]
        if row["graph"] == "" and row["module"] is not None
    }


def test_callers_at_the_same_time(tmp_path: Path) -> None:
    """Runs overlap: the sum of kernels may exceed the wall time, and nothing is lost or counted twice."""
    trace = record(MODELS[0], tmp_path / "profile.json", level="disable", runs=30, callers=3)
    document = answer(MODELS[0], trace)
    assert document["runs"] == 30
    assert document["totals"]["kernel_us"] == exclusive_microseconds(trace)
    check_sums(document)
    assert {kernel["parent"] for kernel in document["kernels"]} == {None}


LOOP = """<ir_version: 8, opset_import: ["": 17]>
g (float[64,64] x, bool c, int64 n) => (float[64,64] y, float[64,64] z)
{
  [branch] y = If (c) <
    then_branch = g1 () => (float[64,64] a) { [then] a = MatMul(x, x) },
    else_branch = g2 () => (float[64,64] b) { [else] b = Neg(x) }
  >
  [loop] z = Loop (n, c, x) <
    body = lb (int64 i, bool ci, float[64,64] v) => (bool co, float[64,64] w) {
      [keep] co = Identity(ci)
      [inner] w = If (ci) <
        then_branch = g3 () => (float[64,64] p) { [deep] p = MatMul(v, v) },
        else_branch = g4 () => (float[64,64] q) { [never] q = Neg(v) }
      >
    }
  >
}"""


def test_bodies(tmp_path: Path) -> None:
    model = tmp_path / "loop.onnx"
    onnx.save(onnx.parser.parse_model(LOOP), model)
    feed = {"x": np.eye(64, dtype=np.float32), "c": np.array(True), "n": np.array(4, np.int64)}
    trace = record(model, tmp_path / "profile.json", level="disable", runs=3, feed=feed)
    document = answer(model, trace)
    kernels = {kernel["name"]: kernel for kernel in document["kernels"]}
    assert {name: kernel["parent"] for name, kernel in kernels.items()} == {
        "branch": None,
        "then": "branch",
        "loop": None,
        "keep": "loop",
        "inner": "loop",
        "deep": "inner",
    }
    assert {name: kernel["calls"] for name, kernel in kernels.items()} == {
        "branch": 3,
        "then": 3,
        "loop": 3,
        "keep": 12,
        "inner": 12,
        "deep": 12,
    }
    assert document["totals"]["kernel_us"] == exclusive_microseconds(trace)
    whole = sum(event["dur"] for event in kernel_events(trace) if event["name"] == "loop_kernel_time")
    inside = sum(kernels[name]["time_us"] for name in ("keep", "inner", "deep"))
    assert kernels["loop"]["time_us"] + inside == whole


def test_another_model(tmp_path: Path) -> None:
    model = tmp_path / "loop.onnx"
    onnx.save(onnx.parser.parse_model(LOOP), model)
    trace = record(MODELS[0], tmp_path / "profile.json", level="disable", runs=1)
    done = profile(model, trace, code=1)
    assert "K005" in done.stderr
    assert "(0%)" in done.stderr


def test_several_files_are_joined(tmp_path: Path) -> None:
    traces = [record(MODELS[0], tmp_path / f"{i}.json", level="disable", runs=2 + i) for i in range(2)]
    document = answer(MODELS[0], *traces)
    assert document["runs"] == 5
    assert document["totals"]["kernel_us"] == sum(map(exclusive_microseconds, traces))
    assert answer(MODELS[0], *traces, "--warmup", "1")["runs"] == 3


@pytest.mark.parametrize("by", ["class", "role", "layer", "op", "provider"])
def test_groups_add_up(by: str, tmp_path: Path) -> None:
    trace = record(MODELS[1], tmp_path / "profile.json", level="disable", runs=2)
    document = answer(MODELS[1], trace, "--by", by)
    assert sum(row["total_us"] for row in document["rows"]) == pytest.approx(document["totals"]["kernel_us"])
    assert len(document["rows"]) == len({row["key"] for row in document["rows"]})


def test_split_by_flops(tmp_path: Path) -> None:
    saved = tmp_path / "optimised.onnx"
    trace = record(MODELS[0], tmp_path / "profile.json", level="all", optimised=saved)
    document = answer(saved, trace, "--ancestor", MODELS[0], "--split", "flops")
    check_sums({**document, "kernels": document["kernels"]})
    parts: dict[str, float] = {}
    for part in document["split"]:
        parts[part["kernel"]] = parts.get(part["kernel"], 0) + part["fraction"]
    assert parts, "fused kernels are divided"
    assert all(total == pytest.approx(1, abs=1e-4) for total in parts.values())


def test_other_formats(tmp_path: Path) -> None:
    trace = record(MODELS[0], tmp_path / "profile.json", level="disable", runs=2)
    whole = exclusive_microseconds(trace)
    speedscope = json.loads(profile(MODELS[0], trace, "--format", "speedscope", "-q").stdout)
    assert sum(speedscope["profiles"][0]["weights"]) == whole
    frames = len(speedscope["shared"]["frames"])
    assert all(frame < frames for stack in speedscope["profiles"][0]["samples"] for frame in stack)
    collapsed = profile(MODELS[0], trace, "--format", "collapsed", "-q").stdout.splitlines()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in collapsed) == whole
    chrome = json.loads(profile(MODELS[0], trace, "--format", "chrome-trace", "-q").stdout)["traceEvents"]
    kernels = [event for event in chrome if event["cat"] != "module"]
    assert sum(event["dur"] for event in kernels) == whole
    slices = [event for event in chrome if event["cat"] == "module"]
    assert {event["name"] for event in slices} >= {"encoder", "pooler"}
    overlay = json.loads(profile(MODELS[0], trace, "--format", "model-explorer", "-q").stdout)
    values = [each["value"] for graph in overlay.values() for each in graph["results"].values()]
    assert sum(values) == pytest.approx(whole / 2, rel=1e-6)
