"""Tiny models that are saved as folders, as save_pretrained does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

_SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 96,
    "max_position_embeddings": 64,
}


def decoder(**options: Any) -> Any:
    """A decoder with separate projections."""
    return _make(transformers.LlamaForCausalLM, transformers.LlamaConfig(**_SIZES, **options))


def base_of_decoder() -> Any:
    """The same without its head."""
    return _make(transformers.LlamaModel, transformers.LlamaConfig(**_SIZES))


def experts() -> Any:
    """A decoder whose experts are stacked while it is loaded; more than nine show their order."""
    config = transformers.MixtralConfig(**_SIZES, num_local_experts=11, num_experts_per_tok=2)
    return _make(transformers.MixtralForCausalLM, config)


def encoder() -> Any:
    """An encoder with a head that is tied to its embeddings."""
    sizes = {name: size for name, size in _SIZES.items() if name != "num_key_value_heads"}
    return _make(transformers.BertForMaskedLM, transformers.BertConfig(**sizes))


def save(model: Any, folder: Path, **options: Any) -> Path:
    """Writes the folder, and returns it."""
    model.save_pretrained(folder, **options)
    return folder


def _make(kind: Any, config: Any) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = kind(config).eval()
        for parameter in model.parameters():  # exporters merge equal weights, such as the zeros of new biases
            torch.nn.init.normal_(parameter)
        return model
