"""`thence drift` on files that no exporter of PyTorch wrote: caches, fused nodes, joined products, int4."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tests.drift.built import GROUPS, HEAD, LAYERS, Builder, tiny_llama
from tests.drift.made import answer, drift, rows_of

import thence

BUILDERS = Path(__file__).parents[2] / ".venv-builders"
PARTS = [
    "input_layernorm",
    "self_attn",
    "self_attn.o_proj",
    "post_attention_layernorm",
    "mlp",
    "mlp.down_proj",
]
PARTS += [
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.act_fn",
]
MODULES = {
    *("", "model", "model.embed_tokens", "model.norm", "lm_head"),
    *(
        f"model.layers.{layer}{part}"
        for layer in range(LAYERS)
        for part in ("", *(f".{each}" for each in PARTS))
    ),
}


@pytest.fixture(scope="module")
def llama() -> Any:
    return tiny_llama()


@pytest.fixture(scope="module")
def folder(llama: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llama")
    llama.save_pretrained(path)
    return path


def compared(found: thence.Drift) -> dict[str, thence.DriftRow]:
    return {str(row.key): row for row in found if row.reason is None}


def error(row: thence.DriftRow) -> float:
    return float(row.added or 0)


@pytest.mark.parametrize(("precision", "at_least"), [("fp32", 100), ("fp16", 45), ("int4", 5)])
def test_every_module_is_compared(precision: str, at_least: float, llama: Any, tmp_path: Path) -> None:
    found = thence.drift(llama, Builder(llama, precision).write(tmp_path / "model.onnx"))
    rows = compared(found)
    assert rows.keys() == MODULES
    assert found.first is None
    assert all(float(row.sqnr_db or 0) > at_least for row in rows.values())
    assert rows["model.layers.1.self_attn.q_proj"].class_name == "torch.nn.modules.linear.Linear"
    assert rows["model.layers.1"].layer == "model.layers.1"


def test_the_command(llama: Any, folder: Path, tmp_path: Path) -> None:
    """A module without a tensor has a row with the reason."""
    built = Builder(llama, "int4").write(tmp_path / "model.onnx")
    document = answer(folder, built)
    assert document["precision"] == "int4"
    row = rows_of(document)["model.rotary_emb"]
    assert (row["reason"], row["outputs"]) == ("no tensor of the model is its output", 0)
    assert row["sqnr_db"] is row["added"] is None
    line = next(line for line in drift(folder, built).stdout.splitlines() if "rotary_emb" in line)
    assert line.endswith("(no tensor of the model is its output)")


@pytest.mark.parametrize("damage", ["attn/qkv", "attn/o", "mlp/gate", "mlp/up", "mlp/down"])
def test_a_damaged_layer_adds_the_most(damage: str, llama: Any, tmp_path: Path) -> None:
    built = Builder(llama, "int4", f"/model/layers.1/{damage}_proj").write(tmp_path / "model.onnx")
    rows = compared(thence.drift(llama, built))
    layers = [row for key, row in rows.items() if row.layer == key]
    assert max(layers, key=error).key == "model.layers.1"
    kind, _, name = damage.partition("/")
    parts = "qkv" if name == "qkv" else [name]
    expected = {f"model.layers.1.{kind.replace('attn', 'self_attn')}.{part}_proj" for part in parts}
    leaves = [row for key, row in rows.items() if key.endswith("_proj")]
    assert max(leaves, key=error).key in expected


def test_the_table_names_the_layer(llama: Any, folder: Path, tmp_path: Path) -> None:
    built = Builder(llama, "int4", "/model/layers.1/mlp/up_proj").write(tmp_path / "model.onnx")
    lines = drift(folder, built, "--top", "1").stdout.splitlines()
    assert lines[1].split()[0] == "model.layers.1.mlp.up_proj"


def test_inputs_with_a_cache(llama: Any, tmp_path: Path) -> None:
    """Both models continue after three tokens."""
    built = Builder(llama).write(tmp_path / "model.onnx")
    generator = np.random.default_rng(0)
    names = [f"past_key_values.{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]
    caches = {name: generator.normal(size=(1, GROUPS, 3, HEAD)).astype(np.float32) for name in names}
    found = thence.drift(llama, built, {"input_ids": np.array([[5, 6, 7, 8]]), **caches}, isolate=False)
    assert found.first is None
    assert found.total["sqnr_db"] > 100
    plain = thence.drift(llama, built, {"input_ids": np.array([[5, 6, 7, 8]])}, isolate=False)
    assert plain.total["max_error"] != found.total["max_error"]


def test_an_input_that_cannot_be_made(llama: Any, folder: Path, tmp_path: Path) -> None:
    built = Builder(llama).write(tmp_path / "model.onnx")
    model = onnx.load(built)
    extra = onnx.helper.make_tensor_value_info("image_features", onnx.TensorProto.FLOAT, [1, 4])
    model.graph.input.append(extra)
    onnx.save(model, built)
    done = drift(folder, built, code=3)
    assert done.stdout == ""
    assert "error[K008]" in done.stderr
    assert "image_features" in done.stderr
    assert "--inputs" in done.stderr


def test_a_file_of_the_real_builder(llama: Any, folder: Path, tmp_path: Path) -> None:
    """The builder quantises, and the scales of one matrix are damaged afterwards."""
    if not BUILDERS.is_dir():
        pytest.skip("the builders are not installed")
    built = build(folder, tmp_path)
    assert {row.key for row in thence.drift(llama, built, isolate=False) if row.reason is None} == MODULES
    model = onnx.load(built)
    name = "model.layers.1.mlp.down_proj.MatMul.weight_scales"
    tensor = next(each for each in model.graph.initializer if each.name == name)
    values = 3 * onnx.numpy_helper.to_array(tensor)
    tensor.CopyFrom(onnx.numpy_helper.from_array(values, name))
    onnx.save(model, tmp_path / "damaged.onnx")
    worst = drift(folder, tmp_path / "damaged.onnx", "--by", "layer", "--top", "1").stdout.splitlines()[1]
    assert worst.split()[0] == "model.layers.1"
    rows = compared(thence.drift(llama, tmp_path / "damaged.onnx"))
    leaves = [row for key, row in rows.items() if key.endswith("_proj")]
    assert max(leaves, key=error).key == "model.layers.1.mlp.down_proj"


def build(folder: Path, target: Path) -> Path:
    """Runs onnxruntime-genai's model builder, which needs a tokenizer."""
    tokenizers, transformers = (importlib.import_module(name) for name in ("tokenizers", "transformers"))
    words = {"<unk>": 0, "<s>": 1, "</s>": 2, "word": 3}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **special).save_pretrained(folder)
    result = target / "built"
    paths = ["-i", str(folder), "-o", str(result), "-c", str(target / "cache")]
    command = [sys.executable, "-m", "onnxruntime_genai.models.builder", *paths, "-p", "int4", "-e", "cpu"]
    environment = {**os.environ, "PYTHONPATH": str(BUILDERS)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, cwd=target, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return result / "model.onnx"
