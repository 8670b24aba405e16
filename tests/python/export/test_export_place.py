"""Writing the output: complete files, also with separate data, many threads, and many processes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from export_models import Net, same_numbers
from torch import nn

from thence.exporting import ExportError, ExportOptions, export_model, given_inputs
from thence.exporting import request as requests
from thence.exporting.place import move_into_place, temporary_folder

EXTERNAL_DATA = {"external_data": True}


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def locations(path: Path) -> set[str]:
    model = onnx.load(path, load_external_data=False)
    return {e.value for t in model.graph.initializer for e in t.external_data if e.key == "location"}


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_weights_in_a_separate_file(tmp_path: Path, exporter: str) -> None:
    path = tmp_path / "m.onnx"
    for seed in range(3):  # repeatedly to one place: old data is removed, new data never overwrites it
        torch.manual_seed(seed)
        model = Net(64).eval()
        inputs = given_inputs(model, torch.rand(2, 64))
        exported = export_model(
            model, inputs, path, ExportOptions(exporter=exporter, exporter_options=EXTERNAL_DATA)
        )
        same_numbers(exported, model, inputs)
        assert entries(tmp_path) == sorted(file.name for file in exported.files)
        assert len(exported.files) == 2
        assert locations(path) == {exported.files[1].name}
    inline = export_model(model, inputs, path, ExportOptions(exporter=exporter))
    same_numbers(inline, model, inputs)
    assert entries(tmp_path) == ["m.onnx"]


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_large_models_have_a_separate_weight_file(
    tmp_path: Path, exporter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "INLINE_LIMIT", 1000)
    model = Net(64).eval()
    inputs = given_inputs(model, torch.rand(2, 64))
    exported = export_model(model, inputs, tmp_path / "m.onnx", ExportOptions(exporter=exporter))
    assert entries(tmp_path) == ["m.onnx", "m.onnx.data"]
    same_numbers(exported, model, inputs)


def test_unrelated_data_files_are_kept(tmp_path: Path) -> None:
    for name in ("m.onnx.data.backup", "m.data", "other.onnx.data", "m.onnx.x.data"):
        (tmp_path / name).write_text("precious")
    model = Net().eval()
    export_model(
        model,
        given_inputs(model, torch.ones(1, 8)),
        tmp_path / "m.onnx",
        ExportOptions(exporter="torchscript"),
    )
    assert entries(tmp_path) == ["m.data", "m.onnx", "m.onnx.data.backup", "m.onnx.x.data", "other.onnx.data"]


def test_output_folder_is_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Net().eval()
    monkeypatch.chdir(tmp_path)
    exported = export_model(
        model,
        given_inputs(model, torch.ones(1, 8)),
        "new/folder/m.onnx",
        ExportOptions(exporter="torchscript"),
    )
    assert exported.path.exists()


def test_move_that_fails_halfway_leaves_the_old_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.onnx"
    model = Net(64).eval()
    inputs = given_inputs(model, torch.rand(2, 64))
    exported = export_model(
        model, inputs, path, ExportOptions(exporter="dynamo", exporter_options=EXTERNAL_DATA)
    )
    before = {file.name: file.read_bytes() for file in exported.files}

    def refuses(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with temporary_folder(path) as folder:
        (folder / "m.onnx").write_bytes(before["m.onnx"])
        (folder / "m.onnx.data").write_bytes(b"new data")
        monkeypatch.setattr(Path, "replace", refuses)
        with pytest.raises(ExportError, match="No space left"):
            move_into_place(folder / "m.onnx", path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("function", ["fsync", "rename", "replace"])
@pytest.mark.parametrize("failing", range(6))
def test_error_of_the_disk_leaves_the_old_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, failing: int
) -> None:
    """The model, its data and its capture are the old ones, or the new ones, whichever call fails."""
    path, capture = tmp_path / "m.onnx", tmp_path / "m.capture.json"
    path.write_bytes(b"old")
    capture.write_bytes(b"old capture")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    calls = 0
    with temporary_folder(path) as folder:
        new = folder / "m.onnx"
        new.write_bytes(b"new")
        (folder / "m.onnx.data").write_bytes(b"new data")
        with tempfile.TemporaryDirectory(dir=tmp_path) as other:
            new_capture = Path(other) / capture.name
            new_capture.write_bytes(b"new capture")
            real = getattr(os, function)

            def fail_once(*words: Any, **named: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == failing + 1:
                    raise OSError(errno.EIO, "Input/output error")
                return real(*words, **named)

            monkeypatch.setattr(os, function, fail_once)
            is_old = False
            with suppress(ExportError):
                is_old = True
                move_into_place(new, path, {new_capture: capture})
                is_old = False
            monkeypatch.undo()
    found = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    complete = {"m.onnx": b"new", "m.onnx.data": b"new data", "m.capture.json": b"new capture"}
    assert found == (before if is_old else complete)
    # Only the flush of the folder, which is the last, may fail without harm.
    assert is_old == (calls > failing and (function, failing) != ("fsync", 3))


def test_threads_export_different_models_at_once(tmp_path: Path) -> None:
    models = [Net(width).eval() for width in (4, 6, 8, 10, 12, 14)]
    failures: list[BaseException] = []

    def work(index: int, model: nn.Module) -> None:
        try:
            for turn in range(2):
                inputs = given_inputs(model, torch.rand(2, 4 + 2 * index))
                exporter = "torchscript" if (index + turn) % 3 else "dynamo"
                exported = export_model(
                    model, inputs, tmp_path / f"{index}.onnx", ExportOptions(exporter=exporter)
                )
                same_numbers(exported, model, inputs)
                names = {t.name for t in onnx.load(exported.path).graph.initializer}
                assert any("head" in name for name in names)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=item) for item in enumerate(models)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert entries(tmp_path) == [f"{index}.onnx" for index in range(len(models))]
    assert all("forward" not in model.__dict__ for model in models)


def _export_many(path: Path, seed: int, external: bool) -> None:
    torch.set_num_threads(1)
    for turn in range(3):
        torch.manual_seed(10 * seed + turn)
        model = Net(32).eval()
        with torch.no_grad():  # every tensor identifies its writer
            for parameter in model.parameters():
                parameter.fill_(10 * seed + turn + 1)
        options = EXTERNAL_DATA if external else {}
        inputs = given_inputs(model, torch.ones(2, 32))
        export_model(model, inputs, path, ExportOptions(exporter="torchscript", exporter_options=options))


@pytest.mark.parametrize("external", [False, True], ids=["inline", "external"])
def test_processes_write_one_output(tmp_path: Path, external: bool) -> None:
    path = tmp_path / "m.onnx"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_export_many, args=(path, seed, external)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    model = onnx.load(path)  # with its data, which must come from one writer
    values = {float(v) for t in model.graph.initializer for v in onnx.numpy_helper.to_array(t).ravel()}
    assert len({value for value in values if value >= 1}) == 1
    assert entries(tmp_path) == sorted({"m.onnx", *locations(path)})
