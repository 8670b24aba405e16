"""The files of the sample that depend on the processor, and the differences that are allowed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from tests.models.folded import Folded, near
from tests.models.sample import AMD64, FOLDER, Model, models
from tools.sample.__main__ import drop_if_same
from tools.sample.align import Misaligned, align, same_content

from thence.verify.numbers import Array

VARIANTS = [model for model in models() if model.folder == AMD64]


def floats_are_near(one: onnx.TensorProto, other: onnx.TensorProto) -> bool:
    floats = onnx.TensorProto.FLOAT == one.data_type == other.data_type
    return same_content(one, other) or (
        floats and near(numpy_helper.to_array(one), numpy_helper.to_array(other))
    )


def test_some_models_have_a_variant() -> None:
    """Norms folded by TorchScript, a parametrised weight, and constants computed by dynamo's optimiser."""
    assert {model.export for model in VARIANTS} >= {
        "resnet.torchscript",
        "wav2vec2.torchscript",
        "mamba.dynamo",
    }


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda model: model.name)
def test_a_variant_is_the_same_graph_with_other_last_bits(variant: Model) -> None:
    ours, theirs = onnx.load(Model(variant.export).path), onnx.load(variant.path)
    assert list(align(ours, theirs, floats_are_near))
    with pytest.raises(Misaligned, match=r"initializer .* differs"):
        align(ours, theirs)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda model: model.name)
def test_a_variant_has_the_same_truth(variant: Model) -> None:
    file = f"{variant.export}.truth.json"
    assert json.loads((AMD64 / file).read_text()) == json.loads((FOLDER / file).read_text())


def tensor(value: Array) -> onnx.TensorProto:
    return numpy_helper.from_array(value, "any")


def one_bit_off(value: Array) -> Array:
    found = value.copy()
    found.flat[0] = np.nextafter(found.flat[0], np.float32(9))
    return found


def test_only_computed_weights_may_differ_in_last_bits() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    weight = model.weight.detach().numpy()
    folded, same = weight * np.float32(3), Folded(model).same
    assert same(tensor(folded), tensor(one_bit_off(folded)))
    assert not same(tensor(folded), tensor(folded * np.float32(1.00001))), "more than the last bits"
    assert not same(tensor(folded), tensor(folded.T)), "another shape"
    assert same(tensor(weight), tensor(weight))
    for own in (weight, weight.T.copy()):
        assert not same(tensor(own), tensor(one_bit_off(own))), "a weight of the model"
        assert not same(tensor(one_bit_off(own)), tensor(own)), "a weight of the model"
    assert not same(tensor(np.arange(4)), tensor(np.arange(4) + 1)), "integers"


def test_equal_exports_of_processors_are_not_stored(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
        (folder / "a.dynamo.onnx").write_bytes(b"same")
        (folder / "a.dynamo.truth.json").write_text("{}")
    drop_if_same("a.dynamo", ours, theirs)
    assert (list(ours.iterdir()), len(list(theirs.iterdir()))) == ([], 2)
    (ours / "a.dynamo.onnx").write_bytes(b"other")
    drop_if_same("a.dynamo", ours, theirs)
    assert (ours / "a.dynamo.onnx").exists()
