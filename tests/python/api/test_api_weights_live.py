"""State_dict names of a live model's weights that exporters slice, compute, or write without a name."""

from __future__ import annotations

import json

import pytest
import torch
from torch import nn

import thence

SIZE = 8


class Attend(nn.Module):
    """Slices the parameters of its projections, as `nn.MultiheadAttention` does for different inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(3 * SIZE, SIZE))
        self.in_proj_bias = nn.Parameter(torch.randn(3 * SIZE))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (
            nn.functional.linear(x, weight, bias) for weight, bias in zip(weights, biases, strict=True)
        )
        return torch.softmax(q @ k.transpose(-1, -2), -1) @ v


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attend = Attend()
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 4, 3, padding=1), dim=2)
        self.scale = nn.Parameter(torch.tensor(1.37))
        self.log_scale = nn.Parameter(torch.tensor(0.61))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.conv(self.attend(x))
        return y * self.scale / self.log_scale.exp()


@pytest.fixture(scope="module", params=["torchscript", "dynamo"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> thence.Weights:
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp(request.param) / "model.onnx"
    model = Net().eval()
    thence.export_hf_model_with_semantics(model, (torch.randn(2, 4, SIZE),), path, exporter=request.param)
    return thence.weights(path, json.loads(path.with_suffix(".capture.json").read_text()))


def transforms(found: thence.Weights, parameter: str) -> set[str | None]:
    return {weight.transform for weight in found.holding(parameter)}


def test_parts_of_a_bias_are_not_parts_of_the_weight_beside_it(found: thence.Weights) -> None:
    """Whether the exporter slices them itself or leaves that to the model."""
    for name, rank in (("attend.in_proj_bias", 1), ("attend.in_proj_weight", 2)):
        holding = found.holding(name)
        assert holding
        assert {len(weight.shape) for weight in holding} == {rank}


def test_computed_weights_have_their_originals(found: thence.Weights) -> None:
    direction = "conv.parametrizations.weight.original1"
    holding = found.holding(direction)
    assert holding
    for weight in holding:
        assert weight.parameters[0] == direction or weight.shape == (4, 4, 3)
        assert "conv.weight" not in weight.parameters


def test_single_numbers_are_parameters_of_the_module_that_reads_them(found: thence.Weights) -> None:
    assert transforms(found, "scale") == {"identity"}


def test_functions_of_a_parameter_are_not_the_parameter(found: thence.Weights) -> None:
    """The exporter may compute the exponential; it is not identical to the parameter then."""
    for weight in found.holding("log_scale"):
        is_computed = weight.name != "log_scale" and not weight.name.startswith("onnx::Exp")
        assert weight.transform == ("folded with" if is_computed else "identity")
