"""`thence.drift` with a PyTorch model that is already loaded: forms of inputs, and wrong types."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.drift.made import MODEL

import thence

torch = importlib.import_module("torch")


class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A gated layer whose input passes a module that returns it as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)
        self.inner = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(inplace=True))
        self.down = torch.nn.Linear(32, 16)
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, x: Any, scale: Any = None) -> Any:
        x = self.drop(x)
        y = self.norm(x + self.down(self.inner(x)))
        return y if scale is None else y * scale


@pytest.fixture(scope="module")
def net() -> Any:
    torch.manual_seed(0)
    return Net()


@pytest.fixture(scope="module")
def exported(net: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("live") / "net.onnx"
    axes = {"x": {0: "batch"}}
    net.eval()
    torch.onnx.export(net, (torch.randn(2, 16),), path, input_names=["x"], dynamic_axes=axes, dynamo=False)
    net.train()
    return path


@pytest.mark.parametrize("form", ["mapping", "tuple", "tensor", "array", "npz"])
def test_forms_of_inputs(form: str, net: Any, exported: Path, tmp_path: Path) -> None:
    tensor = torch.randn(3, 16)
    path = tmp_path / "inputs.npz"
    np.savez(path, x=tensor.numpy())
    forms = {"mapping": {"x": tensor}, "tuple": (tensor,), "tensor": tensor, "array": tensor.numpy()}
    found = thence.drift(net, exported, {**forms, "npz": path}[form])
    assert found.first is None
    assert found.to_dict()["reference"] == "Net"
    keys = {row.key for row in found}
    assert keys == {"", "inner", "inner.0", "inner.1", "down", "norm"}  # "drop" computes nothing
    assert net.training
    by_name = thence.drift(net, exported, inputs={**forms, "npz": path}[form], isolate=False)
    assert by_name.total == found.total


def test_the_module_that_differs_is_named(net: Any, exported: Path) -> None:
    with torch.no_grad():
        net.down.bias += 0.5
    try:
        found = thence.drift(net, exported, torch.randn(2, 16))
    finally:
        with torch.no_grad():
            net.down.bias -= 0.5
    assert found.first is not None
    assert found.first.path == "down"
    added = {row.key: float(row.added or 0) for row in found}
    assert added["down"] > 0.1 > added["norm"]


def test_a_path_of_a_capture_stays_a_capture(net: Any, exported: Path, tmp_path: Path) -> None:
    inputs = torch.randn(2, 16)
    thence.capture(net, inputs, tmp_path / "net.capture.json")
    found = thence.drift(net, exported, tmp_path / "net.capture.json", inputs=inputs)
    assert found.first is None
    found = thence.drift(net, exported, thence.capture(net, inputs), inputs=inputs)
    assert found.first is None


def test_wrong_types(net: Any, exported: Path) -> None:
    inputs = torch.randn(2, 16)
    with pytest.raises(TypeError, match=r"the reference is .* or a PyTorch model, not int"):
        thence.drift(3, exported)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give it first, and the ONNX model second"):
        thence.drift(exported, net)
    with pytest.raises(TypeError, match=r"the model is a path, bytes or an onnx\.ModelProto, not dict"):
        thence.drift(net, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="inputs are given twice"):
        thence.drift(net, exported, inputs, inputs=inputs)
    with pytest.raises(TypeError, match=r"arrays by name, or the path of an \.npz file, not Tensor"):
        thence.drift(MODEL, MODEL, inputs)


def test_inputs_that_do_not_fit(net: Any, exported: Path) -> None:
    with pytest.raises(thence.Error, match="K008") as caught:
        thence.drift(net, exported, {"xs": torch.randn(2, 16)})
    assert "did you mean 'x'" in str(caught.value) or "names: x" in str(caught.value)
    with pytest.raises(thence.Error, match=r"forward fails on the inputs"):
        thence.drift(net, exported, torch.randn(2, 5))
    with pytest.raises(thence.Error, match="no tensor"):
        thence.drift(net, exported, 3)


def test_a_model_of_something_else(net: Any) -> None:
    with pytest.raises(thence.Error) as caught:
        thence.drift(net, MODEL, torch.randn(2, 16))
    assert caught.value.code in ("K008", "C004", "D001")
