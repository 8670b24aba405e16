"""Models for the export tests: tiny architectures of the sample, and hand-made modules."""

# mypy: disable-error-code="misc, no-any-return"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from tools.sample.architectures import build
from tools.sample.choices import CHOICES
from torch import nn

from thence.exporting import Exported, Inputs, tensors_in

ROOT = Path(__file__).parents[3]

FOURTEEN = "bert gpt2 llama t5 vit resnet swin clip whisper wav2vec2 mixtral mamba albert squeezebert".split()


def tiny(name: str) -> Any:
    """A model of the sample with random weights, without inputs: the tests derive them."""
    return build(CHOICES[name]).model


def tiny_config(name: str) -> dict[str, Any]:
    """The configuration in a line of the sample, as a config.json."""
    for text in (ROOT / "tools/corpus/architectures.jsonl").read_text().splitlines():
        line = json.loads(text)
        if line["type"] == name:
            return {**line["config"], "architectures": [line["class"].rpartition(".")[2]]}
    raise KeyError(name)


class Block(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.dense = nn.Linear(width, width)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.drop(torch.relu(self.dense(self.norm(x))))


class Net(nn.Module):
    """A plain module: two blocks and a head."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(width), Block(width)])
        self.head = nn.Linear(width, 3)

    def forward(self, x: torch.Tensor, scale: float = 1.0) -> dict[str, torch.Tensor]:
        for block in self.blocks:
            x = block(x)
        return {"logits": self.head(x) * scale, "hidden": x}


class Fails(nn.Module):
    """A forward that always fails."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("the reactor is cold")


class Unknown(nn.Module):
    """Uses an operation that no exporter supports."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.special.airy_ai(self.dense(x))


def make_net() -> nn.Module:
    return Net()


def make_net_with_inputs() -> tuple[nn.Module, dict[str, Any]]:
    return Net(), {"x": torch.ones(2, 8), "scale": 2.0}


def make_nothing() -> None:
    return None


def make_trouble() -> nn.Module:
    raise ValueError("no weights today")


def same_numbers(exported: Exported, model: nn.Module, inputs: Inputs) -> None:
    """Asserts that onnxruntime computes the same numbers as torch."""
    with torch.no_grad():
        expected = list(tensors_in(model(**inputs.arguments)).values())
    session = onnxruntime.InferenceSession(str(exported.path), providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    got = session.run(None, {name: inputs.tensors[name].numpy() for name in names})
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=2e-3, atol=2e-4)
