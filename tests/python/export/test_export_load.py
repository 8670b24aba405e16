"""Loading: each way to name a model, and each kind of mistake."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from export_models import ROOT, Net, tiny, tiny_config

from thence.exporting import ExportError, load

HERE = Path(__file__).parent


def test_default_is_a_tiny_model_and_the_generator_is_unchanged() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = load(), load()
    assert torch.equal(torch.get_rng_state(), before)
    assert first.kind == "tiny"
    assert not first.model.training
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_task_chooses_the_head() -> None:
    plain, headed = load().model, load(task="fill-mask").model
    assert type(plain).__name__ != type(headed).__name__
    assert type(load(task="AutoModelForMaskedLM").model) is type(headed)
    assert type(load(task="masked-lm").model) is type(headed)


@pytest.mark.parametrize("task", ["no-such-task", "image-classification"])
def test_unknown_task_is_reported(task: str) -> None:
    with pytest.raises(ExportError, match=task) as caught:
        load(task=task)
    assert caught.value.code == "X004"
    assert caught.value.exit_code == 3
    assert caught.value.hint


def test_folder_has_weights_and_hints(tmp_path: Path) -> None:
    model = tiny("vit")
    model.save_pretrained(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text(json.dumps({"size": {"height": 30, "width": 30}}))
    loaded = load(tmp_path)
    assert loaded.kind == "folder"
    assert loaded.hints == {"image_size": {"height": 30, "width": 30}}
    assert type(loaded.model) is type(model)
    state = loaded.model.state_dict()
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("text", ["[" * 100_000, "[1]", '"size"', "{", ""])
def test_malformed_hints_are_ignored(tmp_path: Path, text: str) -> None:
    tiny("vit").save_pretrained(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text(text)
    assert load(tmp_path).hints == {}


@pytest.mark.parametrize(("dtype", "expected"), [("fp16", torch.float16), ("bfloat16", torch.bfloat16)])
def test_dtype(tmp_path: Path, dtype: str, expected: torch.dtype) -> None:
    tiny("gpt2").save_pretrained(tmp_path)
    assert next(load(tmp_path, dtype=dtype).model.parameters()).dtype == expected


def test_float16_weights_become_float32_by_default(tmp_path: Path) -> None:
    tiny("gpt2").half().save_pretrained(tmp_path)
    assert next(load(tmp_path).model.parameters()).dtype == torch.float32
    assert next(load(tmp_path, dtype="auto").model.parameters()).dtype == torch.float16


def test_unknown_dtype_is_reported() -> None:
    for name in ("float31", "int64"):
        with pytest.raises(ExportError, match=name) as caught:
            load(dtype=name)
        assert caught.value.code == "X005"


@pytest.mark.parametrize("name", ["bert", "t5", "resnet", "clip"])
def test_config_file(tmp_path: Path, name: str) -> None:
    config = tiny_config(name)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    loaded = load(path)
    assert loaded.kind == "config"
    assert type(loaded.model).__name__ == config["architectures"][0]
    config.pop("architectures")
    path.write_text(json.dumps(config))
    assert load(str(path)).model is not None


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"model_type": "no-such-type"}', "\xff"])
def test_invalid_config_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ExportError) as caught:
        load(path)
    assert caught.value.code == "X002"
    assert str(path) in caught.value.what


def test_folder_without_config_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"no config\.json") as caught:
        load(tmp_path)
    assert caught.value.code == "X002"


def test_unknown_id_offline_is_reported_quickly() -> None:
    start = time.monotonic()
    with pytest.raises(ExportError) as caught:
        load("nobody/has-this-model-0815")
    assert time.monotonic() - start < 10
    assert caught.value.code == "X001"
    assert caught.value.exit_code == 3
    assert "nobody/has-this-model-0815" in caught.value.what
    assert "\n" not in caught.value.what
    assert "offline" in caught.value.hint
    assert caught.value.details


@pytest.mark.parametrize("name", ["./missing", "missing/config.json", "/no/such/folder", "a b"])
def test_missing_path_is_not_searched_on_the_hub(name: str) -> None:
    with pytest.raises(ExportError, match="no such file or folder") as caught:
        load(name)
    assert caught.value.code == "X001"


def test_remote_code_needs_permission(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "odd", "auto_map": {"AutoConfig": "odd.Odd", "AutoModel": "odd.Model"}})
    )
    (tmp_path / "odd.py").write_text("raise SystemExit('this code must not run')\n")
    with pytest.raises(ExportError, match="repository") as caught:
        load(tmp_path)
    assert caught.value.code == "X003"
    assert "--trust-remote-code" in caught.value.hint


def test_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    loaded = load("export_models:make_net")
    assert isinstance(loaded.model, Net)
    assert loaded.inputs is None
    with_inputs = load("export_models:make_net_with_inputs", dtype="float64")
    assert with_inputs.inputs is not None
    assert list(with_inputs.inputs.tensors) == ["x"]
    assert with_inputs.inputs.tensors["x"].dtype == torch.float64
    assert with_inputs.inputs.fixed == {"scale": 2.0}
    assert isinstance(load("export_models:Net").model, Net)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("no_such_module_here:make", "X001", "no Python module"),
        ("export_models:no_such_name", "X001", "no_such_name"),
        ("export_models:make_nothing", "X002", "nothing"),
        ("export_models:make_trouble", "X002", "no weights today"),
        ("export_models:FOURTEEN", "X002", "not a callable"),
    ],
)
def test_invalid_factory_is_reported(
    monkeypatch: pytest.MonkeyPatch, name: str, code: str, words: str
) -> None:
    monkeypatch.chdir(HERE)
    with pytest.raises(ExportError, match=words) as caught:
        load(name)
    assert caught.value.code == code


HUB = """
import sys
from thence.exporting import load
loaded = load("someone/tiny-model")
print(loaded.kind, type(loaded.model).__name__, loaded.hints["image_size"]["height"])
"""


def test_hub_id_from_the_cache(tmp_path: Path) -> None:
    """A cache in the layout of the hub's client: its models need no network."""
    repository = tmp_path / "models--someone--tiny-model"
    snapshot = repository / "snapshots" / ("0" * 40)
    tiny("resnet").save_pretrained(snapshot)
    (snapshot / "preprocessor_config.json").write_text('{"crop_size": {"height": 48, "width": 48}}')
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text("0" * 40)
    environment = {"HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT / "python")}
    result = subprocess.run(
        [sys.executable, "-c", HUB], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout == "hub ResNetModel 48\n", result.stderr


def test_random_state_of_python_is_kept() -> None:
    random.seed(3)
    before = random.getstate()
    load()
    assert random.getstate() == before
