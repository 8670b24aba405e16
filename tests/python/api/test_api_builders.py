"""Files that builders write: modules by the weights of a capture or of a saved model, scopes without them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.drift import built
from tests.python.api.running import ENVIRONMENT, PROGRAM
from tools.builders import imported

import thence as api

PRECISIONS = ("fp32", "fp16", "int4")
HIGH = 0.9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model, and files of it."""
    path, model = tmp_path_factory.mktemp("built"), built.tiny_llama()
    model.save_pretrained(path / "saved")
    for precision in PRECISIONS:
        built.Builder(model, precision).write(path / f"{precision}.onnx")
    return path


@pytest.fixture(scope="module")
def capture(folder: Path) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder / "saved")
    return api.capture(model, {"input_ids": torch.ones(1, 4, dtype=torch.int64)})


def expected(name: str) -> tuple[str, ...]:
    """The modules of a node, the primary one first."""
    scope = name.lstrip("/").replace("/", ".").replace(".attn.", ".self_attn.")
    scope = scope.rpartition(".")[0].replace(f"layers.{built.LAYERS}.final_norm_layernorm", "norm")
    if scope.endswith("qkv_proj"):
        return tuple(scope.replace("qkv_proj", f"{part}_proj") for part in "qkv")
    return (scope,)


@pytest.fixture(scope="module")
def exported(folder: Path) -> Path:
    """The export of the same model, which is an ancestor of none of the files."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder / "saved")
    path = folder / "exported.onnx"
    ids = torch.ones(1, 4, dtype=torch.int64)
    api.export(model, {"input_ids": ids, "attention_mask": ids}, path, exporter="torchscript")
    return path


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("reference", ["capture", "saved model", "export"])
def test_modules_follow_weights(
    precision: str, reference: str, folder: Path, capture: Any, exported: Path
) -> None:
    file = folder / f"{precision}.onnx"
    if reference == "export":
        rows = api.transfer(exported, file)
    else:
        rows = api.map(file, capture if reference == "capture" else api.SavedModel(folder / "saved"))
    checked = 0
    for row in rows:
        if row["name"].startswith(("/model/attn_mask", "/model/constant")):
            continue
        modules = expected(row["name"])
        assert (row["module"], row["module_kind"]) == (modules[0], "module"), row["name"]
        assert set(modules) <= set(row["modules"]), row["name"]
        checked += 1
    assert checked > 10 * built.LAYERS


@pytest.mark.parametrize("precision", PRECISIONS)
def test_weights_have_the_names_of_the_model(precision: str, folder: Path) -> None:
    found = api.weights(folder / f"{precision}.onnx", api.SavedModel(folder / "saved"))
    named = {name for row in found for name in row.parameters}
    from safetensors import safe_open

    with safe_open(folder / "saved" / "model.safetensors", "pt") as file:
        assert named == set(file.keys())


def test_scopes_without_a_reference(folder: Path) -> None:
    rows = api.map(folder / "int4.onnx")
    assert {row["module_kind"] for row in rows if row["module"] is not None} == {"scope"}
    assert all(row["confidence"] is None or row["confidence"] < HIGH for row in rows)


def test_capture_with_other_names_fits(folder: Path, capture: Any) -> None:
    """A tool renamed all initializers: content decides whether it is the same model."""
    import onnx

    model = onnx.load(folder / "fp32.onnx")
    for number, tensor in enumerate(model.graph.initializer):
        renamed = f"module{number}.weight_merged_0"
        for node in model.graph.node:
            node.input[:] = [renamed if name == tensor.name else name for name in node.input]
        tensor.name = renamed
    rows = api.map(model, capture)
    assert sum(row["module"] == "model.layers.1.mlp.down_proj" for row in rows) == 1


@pytest.mark.parametrize("method", ["gptq", "awq"])
def test_folder_with_weights_of_four_bits(method: str, folder: Path, tmp_path: Path) -> None:
    """Often the only folder that a user has is the quantised one that the file was built from."""
    imported.quantise_folder(folder / "saved", tmp_path / method, method)
    whole = api.map(folder / "int4.onnx", api.SavedModel(folder / "saved"))
    found = api.map(folder / "int4.onnx", api.SavedModel(tmp_path / method))
    assert [row["module"] for row in found] == [row["module"] for row in whole]
    names = {
        name
        for row in api.weights(folder / "int4.onnx", api.SavedModel(tmp_path / method))
        for name in row.parameters
    }
    assert "model.layers.1.mlp.down_proj.weight" in names


def test_folder_of_an_unknown_quantiser(folder: Path, tmp_path: Path) -> None:
    """Nodes whose weights cannot be compared are unknown; they do not get the module around them."""
    imported.quantise_folder(folder / "saved", tmp_path / "saved", "gptq")
    config = tmp_path / "saved" / "config.json"
    config.write_text(config.read_text().replace('"gptq"', '"another"'))
    found = api.map(folder / "int4.onnx", api.SavedModel(tmp_path / "saved"))
    assert [note["code"] for note in found.diagnostics] == ["C010"]
    assert "'another'" in found.diagnostics[0]["text"]
    attention = [row for row in found if "/attn/" in row["name"]]
    assert attention
    assert all(row["module"] is None and row["reason"] == "ambiguous" for row in attention)
    norms = [row for row in found if "layernorm" in row["name"]]
    assert all(row["module"] == expected(row["name"])[0] for row in norms)


def test_another_model(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "WIDTH", 32)
    monkeypatch.setattr(built, "HEAD", 8)
    built.tiny_llama().save_pretrained(tmp_path)
    command = [str(PROGRAM), "map", str(folder / "fp32.onnx"), "--model", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 1
    assert "error[C012]" in done.stderr
    assert "0 of" in done.stderr
