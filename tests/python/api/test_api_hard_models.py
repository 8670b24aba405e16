"""Models that plain PyTorch exports are exported, with the same numbers, and recorded as far as possible."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from tests.python.api import hard_nets, nets
from tests.python.api.running import ENVIRONMENT, files, fits, read, thence

import thence as package
from thence.exporting import ExportOptions, by_torchscript, export_model, given_inputs
from thence.exporting.request import Request

X = hard_nets.X
TORCHSCRIPT = package.HierarchyExporter(exporter="torchscript")

# Models that plain PyTorch does not export; a test fails when it starts to support one.
NOT_BY_DYNAMO = {"copies", "scripted_function", "scripted_model"}
NOT_BY_TORCHSCRIPT = {
    *("cond_modules", "cond_lambdas", "cond_nested", "cond_in_child", "while_loop", "scan"),
    *("functional_call", "encoder_layer", "data_parallel"),
}
# Models that cannot be recorded: a scripted model cannot get another forward.
NOT_RECORDED = {"scripted_model"}


def ran(file: Path) -> Any:
    session = onnxruntime.InferenceSession(str(file))
    return session.run(None, {session.get_inputs()[0].name: X.numpy()})


def export_plainly(name: str, file: Path, *, dynamo: bool) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        torch.onnx.export(hard_nets.net(name), (X,), str(file), dynamo=dynamo, verbose=False)


def same_as_plain(name: str, exporter: str, folder: Path) -> package.Summary:
    export_plainly(name, folder / "plain.onnx", dynamo=exporter == "dynamo")
    summary = package.HierarchyExporter(exporter=exporter).export(hard_nets.net(name), X, folder / "m.onnx")
    expected, found = ran(folder / "plain.onnx"), ran(folder / "m.onnx")
    assert len(found) == len(expected)
    for theirs, ours in zip(expected, found, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    fits(read(summary.capture), "capture")
    assert bool(summary.unrecorded) == (name in NOT_RECORDED), summary.unrecorded
    return summary


@pytest.mark.parametrize("name", [name for name in hard_nets.NETS if name not in NOT_BY_DYNAMO])
def test_by_dynamo(name: str, tmp_path: Path) -> None:
    same_as_plain(name, "dynamo", tmp_path)


@pytest.mark.parametrize("name", [name for name in hard_nets.NETS if name not in NOT_BY_TORCHSCRIPT])
def test_by_torchscript(name: str, tmp_path: Path) -> None:
    same_as_plain(name, "torchscript", tmp_path)


@pytest.mark.parametrize("name", sorted(NOT_BY_TORCHSCRIPT))
def test_models_that_plain_pytorch_cannot_export(name: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"."):
        export_plainly(name, tmp_path / "plain.onnx", dynamo=False)


@pytest.mark.parametrize("name", [name for name in hard_nets.NETS if name not in NOT_RECORDED])
def test_a_forward_is_traced(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    metadata: Any = package.TracingHierarchyBuilder().trace_model_execution(hard_nets.net(name), X)
    assert "unrecorded" not in metadata
    assert any(event["kind"] == "op" for event in metadata["sections"]["execution_trace"]["events"])
    assert capfd.readouterr().err == ""


def operations(name: str) -> list[tuple[str, str]]:
    metadata: Any = package.TracingHierarchyBuilder().trace_model_execution(hard_nets.net(name), X)
    events = metadata["sections"]["execution_trace"]["events"]
    return [(event["op"], event["module"]) for event in events if event["kind"] == "op"]


def test_branches_and_bodies_are_traced() -> None:
    assert ("aten.linear.default", "no.fc") in operations("cond_lambdas")
    assert operations("while_loop").count(("aten.linear.default", "step")) == 3
    assert operations("scan").count(("aten.linear.default", "step")) == 2
    assert ("aten.relu.default", "block") in operations("vmap")
    assert ("aten.relu.default", "second") in operations("checkpointed")
    assert ("aten.sigmoid.default", "") in operations("custom_function")


def stacks(name: str, folder: Path) -> dict[str, set[str]]:
    """The modules of each body of the exported graph, according to the capture."""
    found: dict[str, set[str]] = {}
    summary = package.HierarchyExporter(exporter="dynamo").export(
        hard_nets.net(name), X, folder / "m.onnx", optimize=False
    )
    for node in read(summary.capture)["sections"]["fx_graph"]["nodes"]:
        if node["op"] == "call_function" and "graph" in node:
            assert "running" not in node
            found.setdefault(node["graph"], set()).add(node["nn_module_stack"][-1]["path"])
    return found


def test_bodies_have_their_modules_in_the_capture(tmp_path: Path) -> None:
    assert stacks("cond_in_child", tmp_path) == {
        "true_graph_0": {"inner.yes.fc", "inner.yes"},
        "false_graph_0": {"inner.no.fc", "inner.no"},
        "true_graph_1": {"inner.yes.fc", "inner.yes"},
        "false_graph_1": {"inner.no.fc", "inner.no"},
    }
    assert stacks("while_loop", tmp_path) == {
        "while_loop_cond_graph_0": {""},
        "while_loop_body_graph_0": {"", "step"},
    }


def test_trace_does_not_affect_a_later_export(tmp_path: Path) -> None:
    program = """
import sys, torch, hard_nets, thence
assert "torch._dynamo" not in sys.modules
model = hard_nets.net("cond_modules")
found = thence.TracingHierarchyBuilder().trace_model_execution(model, hard_nets.X)
assert any(event["module"] == "no.fc" for event in found["sections"]["execution_trace"]["events"])
torch.export.export(model, (hard_nets.X,))
"""
    done = python(program, tmp_path)
    assert done.returncode == 0, done.stderr


def python(program: str, folder: Path) -> Any:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )


@contextlib.contextmanager
def broken(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    """Makes recording raise."""

    def fail(*_: object, **__: object) -> Any:
        raise RuntimeError("the tape is torn")

    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2], fail)
        yield


@pytest.mark.parametrize(
    ("exporter", "part"),
    [
        ("dynamo", "thence.exporting.by_dynamo.mark_running_module"),
        ("torchscript", "thence.pipeline.record_calls"),
    ],
)
def test_export_continues_if_recording_fails(
    exporter: str,
    part: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with broken(monkeypatch, part):
        summary = package.HierarchyExporter(exporter=exporter).export(*nets.net(), tmp_path / "m.onnx")
    assert summary.unrecorded == {"export": "RuntimeError: the tape is torn"}
    assert "not recorded: export" in str(summary)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("warning[X023]: Net: recording failed (RuntimeError: the tape is torn)")
    assert (summary.exporter, summary.failed, summary.unknown) == (exporter, {}, 0)
    assert files(tmp_path) == ["m.capture.json", "m.onnx"]
    assert read(summary.capture)["unrecorded"] == dict(summary.unrecorded)
    fits(read(summary.capture), "capture")


@pytest.mark.parametrize(
    ("part", "strategy", "lost"),
    [
        ("thence.capturing.document.execution_trace", "htp", ["execution_trace"]),
        ("thence.capturing.hierarchy.observe_calls", "auto", ["calls"]),
        ("thence.capturing.document.fx_graph", "fx_graph", ["fx_graph"]),
    ],
)
def test_failed_capture_does_not_lose_the_export(
    part: str,
    strategy: str,
    lost: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    exporter = package.HierarchyExporter(exporter="dynamo", strategy=strategy)
    with broken(monkeypatch, part):
        _, mapper = package.export_hf_model_with_semantics(
            *nets.net(), tmp_path / "m.onnx", exporter="dynamo", strategy=strategy
        )
        summary = exporter.export(*nets.net(), tmp_path / "m.onnx")
    assert list(summary.unrecorded) == lost
    assert (summary.strategy, summary.unknown) == ("auto", 0)
    assert [row["code"] for row in mapper.diagnostics] == ["X023"]
    errors = capfd.readouterr().err
    assert "warning[X023]: Net: not recorded: " in errors
    assert ("the strategy auto is used" in errors) == (strategy != "auto")
    fits(read(summary.capture), "capture")


def test_a_plain_failure_is_reported_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with broken(monkeypatch, "thence.pipeline.record_calls"), pytest.raises(package.Error) as caught:
        TORCHSCRIPT.export(hard_nets.net("cond_modules"), X, tmp_path / "m.onnx")
    assert caught.value.code == "X020"
    assert "tape" not in caught.value.text
    assert "torch.jit.trace" in caught.value.details
    assert files(tmp_path) == []


def test_plain_call_has_no_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried once, on the unchanged model, in an empty folder."""
    model = nets.Net()
    seen: list[tuple[str, bool, list[str]]] = []
    export = by_torchscript.export

    def spy(request: Request) -> Any:
        seen.append((request.wrapping.value, "forward" in model.__dict__, files(request.file.parent)))
        if request.wrapping.value != "plain":
            (request.file.parent / "left.data").write_text("half")
            raise RuntimeError("no")
        return export(request)

    monkeypatch.setattr(by_torchscript, "export", spy)
    inputs = given_inputs(model, torch.rand(2, 8))
    exported = export_model(
        model, inputs, tmp_path / "m.onnx", ExportOptions(exporter="torchscript", record=False)
    )
    assert seen == [("unrecorded", False, []), ("plain", False, [])]
    assert (exported.input_names, len(exported.output_names)) == (["x"], 1)
    assert exported.unrecorded == "RuntimeError: no"


def test_failed_recording_is_not_reported_as_bad_input(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    builder = package.TracingHierarchyBuilder()
    with broken(monkeypatch, "thence.capturing.document.execution_trace"):
        metadata: Any = builder.trace_model_execution(*nets.net())
        with pytest.raises(package.Error, match="the reactor is cold") as cold:
            builder.trace_model_execution(*nets.cold())
    assert cold.value.code == "X011"
    assert list(metadata["sections"]) == ["hierarchy"]
    assert metadata["unrecorded"] == {"execution_trace": "RuntimeError: the tape is torn"}
    assert "warning[X023]: Net: not recorded: the operations of a forward" in capfd.readouterr().err
    fits(metadata, "capture")


def test_an_operation_that_cannot_be_recorded_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from thence.capturing.values import Values

    number_of = Values.number_of

    def fail_for_head(self: Values, tensor: torch.Tensor) -> int:
        if tensor.shape[-1:] == (3,):  # the output of the head
            raise RuntimeError("no number for it")
        return number_of(self, tensor)

    model, inputs = nets.net()
    monkeypatch.setattr(Values, "number_of", fail_for_head)
    wrapped = torch.nn.Sequential(model, torch.nn.Linear(3, 8), torch.nn.ReLU())
    metadata: Any = package.TracingHierarchyBuilder().trace_model_execution(wrapped, inputs)
    events = metadata["sections"]["execution_trace"]["events"]
    owners = {event["module"] for event in events if event["kind"] == "op"}
    assert {"0.blocks.1.dense", "2"} <= owners
    assert not {"0.head", "1"} & owners
    assert "aten.linear.default: RuntimeError: no number" in metadata["unrecorded"]["operations"]
    assert "warning[X023]: Sequential: not recorded: some operations" in capfd.readouterr().err
    fits(metadata, "capture")


def test_model_is_restored(tmp_path: Path) -> None:
    model = hard_nets.net("attention")
    before = [copy.copy(module.__dict__) for module in model.modules()]
    assert torch.backends.mha.get_fastpath_enabled()
    TORCHSCRIPT.export(model, X, tmp_path / "m.onnx")
    assert torch.backends.mha.get_fastpath_enabled()
    for module, attributes in zip(model.modules(), before, strict=True):
        assert module.__dict__.keys() == attributes.keys()


def test_frozen_attention(tmp_path: Path) -> None:
    """Plain PyTorch uses the fused path for weights without gradients, and cannot export it."""
    model = hard_nets.net("attention").requires_grad_(False)
    TORCHSCRIPT.export(model, X, tmp_path / "m.onnx")
    np.testing.assert_allclose(ran(tmp_path / "m.onnx")[0], model(X).numpy(), atol=1e-5)


def test_export_to_onnx(tmp_path: Path) -> None:
    for name, exporter in (
        ("encoder", "torchscript"),
        ("while_loop", "dynamo"),
        ("scripted_model", "torchscript"),
    ):
        model = hard_nets.net(name)
        package.export_to_onnx(model, X, tmp_path / "m.onnx", exporter=exporter)
        np.testing.assert_allclose(ran(tmp_path / "m.onnx")[0], model(X).detach().numpy(), atol=1e-5)


def test_program_prints_the_diagnostic_and_succeeds(tmp_path: Path) -> None:
    done = thence("export", "-m", "hard_nets:scripted_model", "--exporter", "torchscript", "-q", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.startswith("warning[X023]: RecursiveScriptModule: recording failed (")
    assert files(tmp_path) == ["model.capture.json", "model.onnx"]


def test_the_program_exports_control_flow(tmp_path: Path) -> None:
    done = thence("export", "-m", "hard_nets:cond_lambdas", "-q", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    np.testing.assert_allclose(
        ran(tmp_path / "model.onnx")[0], hard_nets.net("cond_lambdas")(X).detach().numpy(), atol=1e-5
    )
