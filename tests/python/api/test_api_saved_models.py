"""Descriptions of saved models: modules on the meta device, and where the data of each parameter lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tests.python.api import saved_models
from tests.python.api.running import fits

import thence
from thence.capturing import capture
from thence.errors import translate_errors
from thence.saved_models import describe


def described(folder: Path) -> Any:
    document: Any = describe(folder)
    fits(json.loads(json.dumps(document)), "capture")
    return document["sections"]


def data_of(row: Any, folder: Path, names: list[str]) -> torch.Tensor:
    """All elements of a parameter, by its pieces."""
    found = []
    for piece in row["pieces"]:
        with safe_open(folder / names[piece["file"]], "pt") as file:
            elements = file.get_tensor(piece["key"]).reshape(-1)
        found.append(elements[slice(*piece.get("elements", (None,)))])
    return torch.cat(found)


def check_data(model: Any, folder: Path) -> Any:
    """Asserts that every parameter has the data that transformers loads; returns the rows by path."""
    sections = described(folder)
    rows = {row["path"]: row for row in sections["weights"]["parameters"]}
    for path, parameter in model.named_parameters():
        data = data_of(rows[path], folder, sections["weights"]["files"])
        assert torch.equal(data, parameter.detach().reshape(-1)), path
    return rows


def test_the_description_has_the_modules_of_the_live_model(tmp_path: Path) -> None:
    model = saved_models.decoder()
    live: Any = capture(model, None, sections=("hierarchy",))
    assert described(saved_models.save(model, tmp_path))["hierarchy"] == live["sections"]["hierarchy"]


def test_plain_parameters_are_one_piece(tmp_path: Path) -> None:
    model = saved_models.decoder()
    rows = check_data(model, saved_models.save(model, tmp_path))
    assert all(len(row["pieces"]) == 1 for row in rows.values())


def test_experts_are_stacked_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    model = saved_models.experts()
    rows = check_data(model, saved_models.save(model, tmp_path))
    assert len(rows["model.layers.0.mlp.experts.gate_up_proj"]["pieces"]) == 22


def test_shards_are_files_of_one_model(tmp_path: Path) -> None:
    model = saved_models.decoder()
    check_data(model, saved_models.save(model, tmp_path, max_shard_size="20KB"))
    assert len(list(tmp_path.glob("*.safetensors"))) > 2


def test_a_tied_parameter_has_an_alias(tmp_path: Path) -> None:
    model = saved_models.decoder(tie_word_embeddings=True)
    check_data(model, saved_models.save(model, tmp_path))
    parameters = described(tmp_path)["hierarchy"]["parameters"]
    tied = [row for row in parameters if row["aliases"]]
    assert [(row["path"], row["aliases"]) for row in tied] == [
        ("model.embed_tokens.weight", ["lm_head.weight"])
    ]


@pytest.mark.parametrize("same", [True, False])
def test_tied_names_with_other_data_are_not_tied(tmp_path: Path, same: bool) -> None:
    model = saved_models.decoder(tie_word_embeddings=True)
    file = saved_models.save(model, tmp_path) / "model.safetensors"
    stored = load_file(file)
    embedding = stored["model.embed_tokens.weight"]
    save_file({**stored, "lm_head.weight": embedding.clone() if same else embedding + 1}, file)
    rows = {row["path"] for row in described(tmp_path)["weights"]["parameters"]}
    assert ("lm_head.weight" in rows) is not same


def test_a_base_model_is_loaded_into_its_head(tmp_path: Path) -> None:
    model = saved_models.base_of_decoder()
    saved_models.save(model, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["architectures"] = ["LlamaForCausalLM"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    sections = described(tmp_path)
    rows = {row["path"] for row in sections["weights"]["parameters"]}
    assert rows == {f"model.{name}" for name, _ in model.named_parameters()}
    assert "lm_head" in {row["path"] for row in sections["hierarchy"]["modules"]}


def test_a_head_is_loaded_into_its_base_model(tmp_path: Path) -> None:
    model = saved_models.decoder()
    saved_models.save(model, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["architectures"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    rows = {row["path"] for row in described(tmp_path)["weights"]["parameters"]}
    assert rows == {name for name, _ in model.model.named_parameters()}


def test_a_configuration_alone_has_shapes_only(tmp_path: Path) -> None:
    sections = described(saved_models.save(saved_models.decoder(), tmp_path) / "config.json")
    assert sections["weights"] == {"version": 1, "files": [], "unread": [], "parameters": []}


def test_pickles_are_named_and_not_read(tmp_path: Path) -> None:
    saved_models.save(saved_models.decoder(), tmp_path)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "pytorch_model.bin").write_bytes(b"not even a pickle")
    assert described(tmp_path)["weights"]["unread"] == ["pytorch_model.bin"]


def _write(folder: Path, config: str) -> None:
    (folder / "config.json").write_text(config)


REMOTE = '{"model_type": "unheard", "auto_map": {"AutoConfig": "a.B", "AutoModel": "a.C"}}'


@pytest.mark.parametrize(
    ("config", "code", "text"),
    [
        ("{", "X002", "is not JSON"),
        ("[1]", "X002", "is not a JSON object"),
        ("[" * 100_000, "X002", "is not JSON"),
        ("{}", "X002", "names no model_type"),
        ('{"model_type": "unheard"}', "X002", "cannot be loaded"),
        (REMOTE, "X003", "is not run here"),
        ('{"model_type": "llama", "hidden_size": -1}', "X002", "cannot be loaded"),
    ],
)
def test_bad_configurations_are_errors(tmp_path: Path, config: str, code: str, text: str) -> None:
    _write(tmp_path, config)
    with pytest.raises(thence.Error) as raised, translate_errors():
        describe(tmp_path)
    assert (raised.value.kind, raised.value.code) == (3, code)
    assert text in raised.value.text


def test_a_folder_without_a_configuration_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(thence.Error, match=r"there is no config\.json in it"):
        describe(tmp_path)
    with pytest.raises(thence.Error, match="no such folder or file"):
        describe(tmp_path / "nowhere")


@pytest.mark.parametrize("index", ["{", "{}", '{"weight_map": {"a": "../a.safetensors"}}'])
def test_a_malformed_index_is_an_error(tmp_path: Path, index: str) -> None:
    saved_models.save(saved_models.decoder(), tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "other.safetensors")
    (tmp_path / "model.safetensors.index.json").write_text(index)
    with pytest.raises(thence.Error) as raised:
        describe(tmp_path)
    assert raised.value.code in ("C003", "X002")


def test_code_beside_the_model_does_not_run(tmp_path: Path) -> None:
    saved_models.save(saved_models.decoder(), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    ran = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(ran)!r}, 'w')\n")
    assert described(tmp_path)["weights"]["parameters"]
    assert not ran.exists()
