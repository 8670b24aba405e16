"""Profiles of real runs of OpenVINO."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.profile.test_runs import MODELS, answer, check_sums

from thence.verify.graph import read_graph
from thence.verify.inputs import generate_inputs

openvino: Any = pytest.importorskip("openvino")
# On a processor with bfloat16, OpenVINO would convert every tensor, in kernels that no node of the model has.
PLAIN = {"PERF_COUNT": True, "INFERENCE_PRECISION_HINT": "f32"}


@pytest.fixture(scope="module", params=MODELS, ids=lambda path: path.stem)
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model, and the folder with its execution graph and profiling information."""
    folder = tmp_path_factory.mktemp("openvino")
    compiled = openvino.Core().compile_model(str(request.param), "CPU", PLAIN)
    graph = read_graph(request.param)
    feed, _ = next(generate_inputs(graph, graph))
    run = compiled.create_infer_request()
    for _ in range(3):
        run.infer(feed)
    openvino.serialize(compiled.get_runtime_model(), str(folder / "graph.xml"))
    entries = [
        {
            "node_name": entry.node_name,
            "node_type": entry.node_type,
            "exec_type": entry.exec_type,
            "status": str(entry.status),
            "real_time": entry.real_time.total_seconds() * 1e6,
            "cpu_time": entry.cpu_time.total_seconds() * 1e6,
        }
        for entry in run.profiling_info
    ]
    (folder / "information.json").write_text(json.dumps(entries))
    return request.param, folder


def test_execution_graph(recorded: tuple[Path, Path]) -> None:
    model, folder = recorded
    document = answer(model, folder / "graph.xml")
    assert document["runtime"] == "openvino"
    assert document["totals"]["matched_kernels"] >= 0.7 * document["totals"]["kernels"]
    check_sums(document)
    fused = [kernel for kernel in document["kernels"] if len(kernel["nodes"]) > 1]
    assert fused, "the execution graph lists the nodes that were fused"
    for kernel in document["kernels"]:
        assert kernel["module"] is None or kernel["modules"][0] == kernel["module"]


def test_profiling_information(recorded: tuple[Path, Path]) -> None:
    model, folder = recorded
    document = answer(model, folder / "information.json")
    entries = json.loads((folder / "information.json").read_text())
    executed = [entry for entry in entries if entry["status"].endswith("EXECUTED")]
    assert document["totals"]["kernel_us"] == pytest.approx(sum(entry["real_time"] for entry in executed))
    assert document["totals"]["matched_kernels"] >= 0.7 * document["totals"]["kernels"]
    check_sums(document)
