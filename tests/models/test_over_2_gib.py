"""A model of more than 2.5 GiB, whose weights no protobuf message can hold: export, map, tag and transfer.

Each step prints its peak of anonymous memory (`pytest -s`): pages of a mapped file do not count.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import onnxruntime
import pytest
from tests.hostile.program import MIB, ROOT, Run, run

pytestmark = pytest.mark.long

GIB = 1 << 30
LAYERS = 10
FACTORY = f"""
import torch
from transformers import LlamaConfig, LlamaModel

def make():
    torch.manual_seed(0)
    sizes = dict(hidden_size=2048, intermediate_size=8192, num_attention_heads=16, num_key_value_heads=16)
    config = LlamaConfig(num_hidden_layers={LAYERS}, vocab_size=32000, use_cache=False, **sizes)
    return LlamaModel(config).eval()
"""


@pytest.fixture(autouse=True)
def _enough_disk(tmp_path: Path) -> None:
    assert shutil.disk_usage(tmp_path).free > 12 * GIB, "this test writes three files of 2.5 GiB"


def step(what: str, *words: str | Path, limit: int | None = None, **others: object) -> Run:
    """Runs thence, prints its peak memory, and checks it."""
    done = run(*words, keep=False, timeout=1200, **others)  # type: ignore[arg-type]
    print(f"{what}: {done.anonymous / MIB:.0f} MiB of anonymous memory, {done.seconds:.1f} s")
    assert done.code == 0, done.err
    if limit is not None:
        assert done.anonymous < limit
    return done


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_a_model_over_2_gib(exporter: str, tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text(FACTORY)
    model, optimised = tmp_path / "model.onnx", tmp_path / "optimised.onnx"
    environment = {"THENCE_PYTHON": sys.executable, "PYTHONPATH": f"{ROOT / 'python'}:{tmp_path}"}
    step("export", "export", "large:make", "--exporter", exporter, "-o", model, "-q", env=environment)
    weights = sum(path.stat().st_size for path in tmp_path.iterdir() if path.suffix == ".data")
    assert weights > 2.5 * GIB
    assert model.stat().st_size < 64 * MIB
    capture = tmp_path / "model.capture.json"

    expected = {
        f"layers.{layer}.{rest}"
        for layer in range(LAYERS)
        for rest in ("self_attn.q_proj", "self_attn.o_proj", "mlp.down_proj", "mlp.act_fn")
    }
    to_json = ("--format", "json", "-o", tmp_path / "map.json")
    step("map", "map", model, "--capture", capture, "--ignore-tags", *to_json, limit=256 * MIB)
    assert expected <= modules_in(tmp_path / "map.json")

    step("tag", "tag", model, "--capture", capture, "--in-place", "-q", limit=256 * MIB)
    step("map tags", "map", model, *to_json, limit=256 * MIB)
    assert expected <= modules_in(tmp_path / "map.json")

    optimise(model, optimised)
    tagged = tmp_path / "tagged.onnx"
    step("transfer", "transfer", model, optimised, "--capture", capture, "-o", tagged, "-q", limit=256 * MIB)
    assert expected <= modules_in(tmp_path / "tagged.onnx.map.json")


def modules_in(path: Path) -> set[str]:
    rows = json.loads(path.read_text())["nodes"]
    return {module for row in rows for module in (row["module"], *(row["modules"] or ())) if module}


def optimise(model: Path, to: Path) -> None:
    """As ONNX Runtime's users do, with the weights in a separate file."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(to)
    for key, value in {"file_name": f"{to.name}.data", "min_size_in_bytes": "1024"}.items():
        options.add_session_config_entry(f"session.optimized_model_external_initializers_{key}", value)
    onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
