"""`thence drift` on models that real tools made: other exporters, float16, 8 bits in three forms."""

from __future__ import annotations

import csv
import importlib
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from tests.drift.made import MODEL, SAMPLE, answer, drift, generated, output_sqnr, quantise, rows_of, to_half
from tools.drift.cases import NAMED, score

import thence

LINEAR = "encoder.layer.0.attention.self.query"
NORM = "encoder.layer.0.output.LayerNorm"


@pytest.fixture(scope="module")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return quantise(MODEL, tmp_path_factory.mktemp("drift") / "quantised.onnx", "dynamic")


@pytest.mark.parametrize("how", ["dynamic", "qdq", "qoperator"])
def test_quantised(how: str, tmp_path: Path) -> None:
    made = quantise(MODEL, tmp_path / "made.onnx", how)
    document = answer(MODEL, made)
    assert document["precision"] == "int8"
    assert document["total"]["sqnr_db"] == pytest.approx(output_sqnr(MODEL, made), abs=0.01)
    rows = rows_of(document)
    assert 20 < rows[LINEAR]["sqnr_db"] < 60
    assert rows[LINEAR]["added"] > 1e-4
    assert rows[""]["added"] == pytest.approx(rows[""]["relative_error"], rel=1e-3)  # nothing is outside
    for row in rows.values():
        assert row["relative_error"] == pytest.approx(10 ** (-row["sqnr_db"] / 20), rel=1e-4)


def test_a_norm_in_float_adds_nothing(quantised: Path) -> None:
    row = rows_of(answer(MODEL, quantised))[NORM]
    assert row["added"] == 0
    assert row["received"] > 1e-4
    assert row["relative_error"] > 1e-4


def test_half(tmp_path: Path) -> None:
    document = answer(MODEL, to_half(MODEL, tmp_path / "half.onnx"))
    assert document["precision"] == "float16"
    assert document["first"] is None
    assert 50 < document["total"]["sqnr_db"] < 80


def test_the_same_file_is_exact() -> None:
    document = answer(MODEL, MODEL)
    assert document["total"]["sqnr_db"] == "inf"
    assert {row["relative_error"] for row in document["modules"]} == {0}
    assert {row["added"] for row in document["modules"]} <= {0, None}


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_the_other_exporter(name: str) -> None:
    document = answer(SAMPLE / f"{name}.torchscript.onnx", SAMPLE / f"{name}.dynamo.onnx")
    assert document["precision"] == "float32"
    assert document["first"] is None
    assert document["total"]["compared"] > 30


@pytest.mark.parametrize(
    "fault", ["weight perturbed", "mask off by one", "float16 overflow", "wrong epsilon"]
)
@pytest.mark.parametrize("model", ["bert.torchscript", "llama.dynamo"])
def test_an_injected_fault_is_named(model: str, fault: str) -> None:
    found = score(fault, SAMPLE / f"{model}.onnx", SAMPLE / f"{model}.truth.json", None)
    assert found["verdict"] == NAMED, found


def test_not_a_number_is_a_finding(tmp_path: Path) -> None:
    """A norm whose scale has NaN."""
    model = onnx.load(MODEL)
    node = next(each for each in model.graph.node if each.op_type == "LayerNormalization")
    tensor = next(each for each in model.graph.initializer if each.name == node.input[1])
    values = onnx.numpy_helper.to_array(tensor).copy()
    values[3] = np.nan
    tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
    onnx.save(model, tmp_path / "nan.onnx")
    document = answer(MODEL, tmp_path / "nan.onnx")
    assert [(each["kind"], each["path"]) for each in document["findings"]] == [
        ("nan", "embeddings.LayerNorm")
    ]
    row = rows_of(document)["embeddings.LayerNorm"]
    assert (row["nan"], row["sqnr_db"], row["relative_error"]) == (True, "-inf", "inf")
    assert "first NaN: embeddings.LayerNorm" in drift(MODEL, tmp_path / "nan.onnx").stderr


def test_groups_and_formats(quantised: Path) -> None:
    document = answer(MODEL, quantised, "--by", "layer")
    keys = [row["key"] for row in document["groups"]]
    assert keys == [None, "encoder.layer.0", "encoder.layer.1"]
    assert sum(row["modules"] for row in document["groups"]) == len(document["modules"])
    table = drift(MODEL, quantised, "--depth", "1", "-q").stdout.splitlines()
    assert [line.split()[0] for line in table] == ["module", "(root)", "embeddings", "encoder", "pooler"]
    lines = [*csv.DictReader(drift(MODEL, quantised, "--top", "3", "--format", "csv").stdout.splitlines())]
    added = [float(line["added"]) for line in lines]
    most = sorted((row["added"] or 0 for row in document["modules"]), reverse=True)[:3]
    assert added == most
    overlay = json.loads(drift(MODEL, quantised, "--format", "model-explorer").stdout)
    nodes = len(onnx.load(quantised).graph.node)
    assert all(0 <= int(key[1:]) < nodes for key in overlay["main"]["results"])
    assert len(overlay["main"]["results"]) > 40


def test_inputs_and_threshold(quantised: Path, tmp_path: Path) -> None:
    feed = generated(MODEL)
    feed["input_ids"] = feed["input_ids"][::-1].copy()
    np.savez(tmp_path / "inputs.npz", **feed)
    plain = answer(MODEL, quantised)
    other = answer(MODEL, quantised, "--inputs", tmp_path / "inputs.npz", "--threshold", "47")
    assert other["inputs"] == str(tmp_path / "inputs.npz")
    assert other["total"]["max_error"] != plain["total"]["max_error"]
    over = [row["path"] for row in other["modules"] if row["over"]]
    assert LINEAR in over
    assert other["first"]["sqnr_db"] < 47


def test_written_file(quantised: Path, tmp_path: Path) -> None:
    target = tmp_path / "drift.json"
    assert drift(MODEL, quantised, "--format", "json", "-o", target).stdout == ""
    assert json.loads(target.read_text())["schema"] == "thence.drift/1"


FACTORY = """
import torch

class Net(torch.nn.Module):
    def __init__(self, epsilon):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 16))
        self.norm = torch.nn.LayerNorm(16, eps=epsilon)
        self.head = torch.nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.norm(x + self.inner(x)))

def make(epsilon=1e-5):
    torch.manual_seed(0)
    return Net(epsilon).eval(), {"x": torch.randn(2, 5, 16)}

def make_wrong():
    return make(0.5)
"""


def test_a_live_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nets.py").write_text(FACTORY)
    monkeypatch.syspath_prepend(str(tmp_path))
    torch, nets = (importlib.import_module(name) for name in ("torch", "nets"))
    net, given = nets.make()
    model = tmp_path / "net.onnx"
    torch.onnx.export(net, (given["x"],), model, input_names=["x"], dynamo=False)
    same = thence.drift("nets:make", model)
    assert same.first is None
    assert {row.key for row in same} >= {"", "inner.0", "inner.1", "inner.2", "norm", "head"}
    wrong = answer("nets:make_wrong", model, PYTHONPATH=str(tmp_path))
    assert wrong["first"]["path"] == "norm"
    rows = rows_of(wrong)
    assert rows["norm"]["added"] > 0.01 > rows["head"]["added"]


def test_python(quantised: Path) -> None:
    found = thence.drift(MODEL, onnx.load(quantised), inputs=generated(MODEL), by="class", isolate=False)
    assert found.total["sqnr_db"] == pytest.approx(output_sqnr(MODEL, quantised), abs=0.01)
    assert found.first is None
    assert {row.added for row in found} == {None}
    assert found.timings["alone"] < 0.1
    assert len(found.to_pandas()) == len(found)
    with pytest.raises(thence.Error, match="U026"):
        thence.drift(MODEL, quantised, by="colour")


def test_four_bits(tmp_path: Path) -> None:
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantiser = MatMulNBitsQuantizer(onnx.load(MODEL), block_size=16, bits=4)
    quantiser.process()
    quantiser.model.save_model_to_file(str(tmp_path / "four.onnx"))
    document = answer(MODEL, tmp_path / "four.onnx")
    assert document["precision"] == "int4"
    assert document["first"] is None
    rows = rows_of(document)
    assert 5 < rows[LINEAR]["sqnr_db"] < 40
    assert rows[LINEAR]["added"] > 0.01
    assert rows[NORM]["added"] < 1e-4


def test_a_saved_folder(tmp_path: Path) -> None:
    transformers = importlib.import_module("transformers")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=50, max_position_embeddings=32, **sizes)
    net = transformers.BertModel(config).eval()
    for parameter in net.parameters():
        parameter.data.normal_(std=0.1)  # equal ones would be merged
    net.save_pretrained(tmp_path / "saved")
    thence.export(tmp_path / "saved", path=tmp_path / "model.onnx", exporter="torchscript")
    document = answer(tmp_path / "saved", tmp_path / "model.onnx")
    assert document["first"] is None
    assert rows_of(document)[LINEAR]["class"] == "torch.nn.modules.linear.Linear"
    worst = tmp_path / "worse.onnx"
    model = onnx.load(tmp_path / "model.onnx")
    tensor = next(each for each in model.graph.initializer if each.name.endswith("1.output.dense.bias"))
    tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor) + 0.1, tensor.name))
    onnx.save(model, worst)
    assert answer(tmp_path / "saved", worst)["first"]["path"] == "encoder.layer.1.output.dense"
