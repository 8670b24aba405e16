"""Makes tiny saved models: folders with config.json, model.safetensors and a tokenizer.

Each line of models.jsonl is a model type. Its configuration is SIZES with the changes of the line or, if no
class is given, that of the type in tools/corpus/architectures.jsonl with the changes.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

LIST = Path(__file__).with_name("models.jsonl")
# int4 in blocks of 32 needs multiples of 32. No other size equals that of the vocabulary: a builder takes any
# linear layer of that size for the head.
SIZES: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 192,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 320,
    "max_position_embeddings": 128,
    "tie_word_embeddings": False,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
# In transformers nearly all types are related (tools/corpus/lineage.py), so a lineage is narrower here: types
# that share attention, feed-forward and norm, or of which one was made from the other.
HELD_OUT = frozenset(
    "clip deepseek exaone falcon gemma glm gpt2 gpt_oss granite hunyuan modernbert mpnet olmo phi "
    "stablelm swin t5 wav2vec2 xlm xlnet".split()
)
LEARNING = "learning"  # the other side
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")


@dataclass(frozen=True)
class Line:
    """One model type, and the tools that build it, with their options."""

    type: str
    lineage: str  # types whose code is related: all on one side
    tools: dict[str, dict[str, Any]]
    make: str = ""  # the class in transformers; none: as in the corpus
    config: dict[str, Any] = field(default_factory=dict)
    sizes: bool = True  # whether the configuration starts with SIZES

    @property
    def side(self) -> str:
        return "held out" if self.lineage in HELD_OUT else LEARNING


@cache
def lines() -> tuple[Line, ...]:
    return tuple(Line(**json.loads(line)) for line in LIST.read_text(encoding="utf-8").splitlines())


def line_of(name: str) -> Line:
    return next(line for line in lines() if line.type == name)


def make_folder(name: str, folder: Path) -> str:
    """Saves the model of a line, with a tokenizer if it has a vocabulary."""
    line = line_of(name)
    model = build_model(line)
    model.save_pretrained(folder)
    text = model.config.get_text_config() if hasattr(model.config, "get_text_config") else model.config
    if getattr(text, "vocab_size", None):
        _tokenizer(text.vocab_size).save_pretrained(folder)
    return name


def build_model(line: Line) -> Any:
    """A new model whose parameters all have different random values."""
    import transformers
    from tools.sample.architectures import build, reinitialise
    from tools.sample.choices import Choice

    torch.manual_seed(0)
    if not line.make:
        model = build(Choice(line.type, line.config)).model
    else:
        make = getattr(transformers, line.make)
        config = {**(SIZES if line.sizes else {}), **line.config}
        model = make(make.config_class(**config)).eval()
        reinitialise(model)
    _raise_norms(model)
    return model


def _raise_norms(model: torch.nn.Module) -> None:
    """Moves the weights of norms to 1 +- 0.5: those of reinitialise() shrink the signal layer by layer."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("weight") and parameter.dim() == 1:
                generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
                parameter.copy_(torch.rand(parameter.shape, generator=generator) + 0.5)


def _tokenizer(size: int) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = [*SPECIAL, *(f"w{i}" for i in range(len(SPECIAL), size))]
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    names = dict(zip(("pad_token", "bos_token", "eos_token", "unk_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=made, **names)  # type: ignore[no-untyped-call]
