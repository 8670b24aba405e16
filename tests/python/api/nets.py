"""Models for the API tests. Commands name them as `nets:name`, with this folder in PYTHONPATH."""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

import time
from typing import Any

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.dense = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.relu(self.dense(self.norm(x)))


class Net(nn.Module):
    """A user's own module: blocks and a head."""

    def __init__(self, blocks: int = 2, width: int = 8) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(blocks)])
        self.head = nn.Linear(width, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Cold(nn.Module):
    """A forward that always fails."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("the reactor is cold")


class Slow(nn.Module):
    """A forward that is slow, so that it can be interrupted."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print("forward", flush=True)
        time.sleep(60)
        return x


def net() -> tuple[nn.Module, Any]:
    return Net(), torch.rand(2, 8)


def cold() -> tuple[nn.Module, Any]:
    return Cold(), torch.rand(2, 8)


def slow() -> tuple[nn.Module, Any]:
    return Slow(), torch.rand(2, 8)


def bare() -> nn.Module:
    return Net()


def sequential() -> nn.Module:
    return nn.Sequential(
        nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(), nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    )


def bert(layers: int = 2) -> tuple[nn.Module, dict[str, torch.Tensor]]:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=20,
        max_position_embeddings=32,
    )
    return BertModel(config).eval(), {"input_ids": torch.arange(8).reshape(1, 8)}
