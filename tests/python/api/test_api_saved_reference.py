"""Saved models as references, from the native program and from Python."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tests.python.api import saved_models
from tests.python.api.running import ENVIRONMENT, PROGRAM, mapped, thence

import thence as api

WEIGHTS = "model.safetensors"
# The other names of tied parameters, which an exporter may use.
TIED = {
    "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}


class Logits(torch.nn.Module):
    """Returns a tensor, which both exporters can export; its paths have another prefix than the folder."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor) -> Any:
        return self.model(input_ids)[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with its model as a saved model and as two exports."""
    made = tmp_path_factory.mktemp("saved")
    model = saved_models.encoder()
    saved_models.save(model, made / "saved")
    inputs = (torch.ones(1, 8, dtype=torch.int64),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapper = Logits(model).eval()
        torch.onnx.export(wrapper, inputs, made / "torchscript.onnx", dynamo=False)
        torch.onnx.export(wrapper, inputs, made / "dynamo.onnx", dynamo=True, external_data=False)
    return made


@pytest.fixture
def saved(folder: Path, tmp_path: Path) -> Path:
    """A copy of the saved model that a test may damage."""
    return Path(shutil.copytree(folder / "saved", tmp_path / "saved"))


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_a_saved_model_answers_as_well_as_a_capture(folder: Path, exporter: str) -> None:
    model = folder / f"{exporter}.onnx"
    alone = mapped(model, "--quiet")
    found = mapped(model, "--quiet", "--model", "saved")
    assert found["summary"]["unknown"] <= alone["summary"]["unknown"]
    for row, plain in zip(found["nodes"], alone["nodes"], strict=True):
        if plain["module"] is not None:
            assert row["module"] == plain["module"]
        if row["module"] is not None:
            assert row["module_class"]


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_every_weight_has_its_parameter(folder: Path, exporter: str) -> None:
    rows = api.weights(folder / f"{exporter}.onnx", api.SavedModel(folder / "saved")).to_dict()[
        "initializers"
    ]
    parameters = set(load_file(folder / "saved" / WEIGHTS))
    named = {name.removeprefix("model.") for row in rows for name in row["parameters"]}
    assert parameters <= {TIED.get(name, name) for name in named}
    weights = [row for row in rows if row["data_type"] == "float32" and row["module"]]  # others are masks
    assert [row["name"] for row in weights if not row["parameters"]] == []


def test_python_gives_the_same_map(folder: Path) -> None:
    model = folder / "torchscript.onnx"
    found = api.map(model, api.SavedModel(folder / "saved")).to_dict()
    assert found["nodes"] == mapped(model, "--quiet", "--model", "saved")["nodes"]


def _refusal(folder: Path, saved: Path) -> api.Error:
    with pytest.raises(api.Error) as raised:
        api.map(folder / "torchscript.onnx", api.SavedModel(saved))
    return raised.value


def _codes(folder: Path, saved: Path) -> set[str]:
    found = api.map(folder / "torchscript.onnx", api.SavedModel(saved)).to_dict()
    assert found["summary"]["unknown"] == 0
    return {row["code"] for row in found["diagnostics"]}


def test_a_configuration_has_names_and_shapes(folder: Path, saved: Path) -> None:
    assert "C010" in _codes(folder, saved / "config.json")


def test_a_pickle_is_not_read(folder: Path, saved: Path) -> None:
    (saved / WEIGHTS).rename(saved / "pytorch_model.bin")
    assert "C010" in _codes(folder, saved)


def test_missing_shards_are_named(folder: Path, saved: Path) -> None:
    (saved / WEIGHTS).unlink()
    saved_models.save(saved_models.encoder(), saved, max_shard_size="40KB")
    shards = sorted(saved.glob("*.safetensors"))
    shards[0].unlink()
    assert "C009" in _codes(folder, saved)
    for shard in shards[1:]:
        shard.unlink()
    error = _refusal(folder, saved)
    assert (error.kind, error.code) == (3, "C008")


def test_another_model_is_refused_with_its_share(folder: Path, tmp_path: Path) -> None:
    saved_models.save(saved_models.decoder(), tmp_path)
    done = thence("map", "torchscript.onnx", "--model", tmp_path, cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[C012]" in done.stderr
    assert "0 of " in done.stderr


def _hostile_headers() -> dict[str, tuple[bytes, str]]:
    def file(header: str, data: int = 0, length: int | None = None) -> bytes:
        text = header.encode()
        return (len(text) if length is None else length).to_bytes(8, "little") + text + bytes(data)

    def tensor(begin: int, end: int, shape: str = "[1]") -> str:
        return f'{{"dtype":"F32","shape":{shape},"data_offsets":[{begin},{end}]}}'

    return {
        "cut off": (b"\x08", "H001"),
        "a header of 2 GB": (file("{}", length=2_000_000_000), "H002"),
        "not JSON": (file("{"), "H003"),
        "deep": (file("[" * 100_000), "H003"),
        "no offsets": (file('{"a":{"dtype":"F32","shape":[1]}}', 4), "H004"),
        "twice": (file(f'{{"a":{tensor(0, 4)},"a":{tensor(4, 8)}}}', 8), "H005"),
        "wrong size": (file(f'{{"a":{tensor(0, 4, "[2]")}}}', 4), "H006"),
        "outside": (file(f'{{"a":{tensor(0, 4)}}}', 2), "H007"),
        "overlap": (file(f'{{"a":{tensor(0, 4)},"b":{tensor(2, 6)}}}', 6), "H007"),
    }


@pytest.mark.parametrize("name", sorted(_hostile_headers()))
def test_hostile_headers_are_refused(folder: Path, saved: Path, name: str) -> None:
    content, code = _hostile_headers()[name]
    (saved / WEIGHTS).write_bytes(content)
    error = _refusal(folder, saved)
    assert (error.kind, error.code) == (3, code)


def test_without_python_the_error_has_a_remedy(folder: Path) -> None:
    done = subprocess.run(
        [PROGRAM, "map", "torchscript.onnx", "--model", "saved"],
        cwd=folder,
        env={**ENVIRONMENT, "THENCE_PYTHON": "/nowhere/python"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[U008]" in done.stderr
    assert "THENCE_PYTHON" in done.stderr


def test_the_weights_are_not_replaced_by_the_output(folder: Path) -> None:
    output = Path("saved") / WEIGHTS
    done = thence("map", "torchscript.onnx", "--model", "saved", "-o", output, cwd=folder)
    assert done.returncode == 2
    assert "error[U011]" in done.stderr
    assert load_file(folder / output)
