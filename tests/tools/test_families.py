"""The two sides of the corpus: what is learned from, and what is held out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.corpus.families import FAMILIES, family, is_learned_from
from tools.corpus.lineage import document, families, relations

RELATED = [("roberta", "bert"), ("llama", "mistral"), ("mbart", "bart"), ("wav2vec2", "wavlm")]


@pytest.mark.parametrize(("name", "relative"), RELATED)
def test_related_architectures_are_on_the_same_side(name: str, relative: str) -> None:
    assert family(name) == family(relative)
    assert is_learned_from(name) == is_learned_from(relative)


@pytest.mark.parametrize("name", ["bert", "squeezebert"])
def test_variants_and_depths_are_on_the_side_of_their_architecture(name: str) -> None:
    assert is_learned_from(f"{name}@12") == is_learned_from(f"{name}+dynamic") == is_learned_from(name)


def test_both_sides_have_models() -> None:
    assert is_learned_from("bert")
    assert not is_learned_from("squeezebert")
    assert not is_learned_from("a model of another library")


def test_the_learning_side_is_the_largest_family() -> None:
    listed = json.loads(FAMILIES.read_text())["families"]
    assert len(listed[0]) > sum(map(len, listed)) / 2
    assert "bert" in listed[0]


def test_the_stored_families_are_those_of_the_installed_transformers() -> None:
    assert FAMILIES.read_text() == document()


def test_imports_and_copies_relate_folders(tmp_path: Path) -> None:
    code = {
        "base": "import torch",
        "heir": "from ..base.modeling_base import BaseLayer",
        "copy": "# Copied from transformers.models.heir.modeling_heir.HeirLayer with Heir->Copy",
        "other": "from ...activations import ACT2FN\nfrom ..auto import AutoModel",
        "auto": "from ..base.modeling_base import BaseModel",
    }
    for name, text in code.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"modeling_{name}.py").write_text(text)
    assert families(relations(tmp_path)) == [["base", "copy", "heir"], ["other"]]
