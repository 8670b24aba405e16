"""A model in parts, as it is deployed: encoder, decoder, and decoder with a cache.

Each part is a `Sample` to export with its truth. The model of a part is new each time, with the same weights.
"""

from __future__ import annotations

from typing import Any

import torch
from tools.sample.architectures import Sample, build
from tools.sample.choices import CHOICES
from transformers.cache_utils import DynamicCache, EncoderDecoderCache


def complete_model() -> Sample:
    """The model that contains all parts."""
    return build(CHOICES["t5"])


def encoder() -> Sample:
    """The encoder as a separate model: its paths begin below `encoder`."""
    sample = complete_model()
    inner: Any = sample.model.encoder
    return Sample(inner, sample.input_names[:2], sample.inputs[:2], {"return_dict": False})


def decoder() -> Sample:
    """The whole model with the output of the encoder as input."""
    return _decoding(_given())


def decoder_with_past() -> Sample:
    """The whole model with the last token and the cache of the preceding ones as input."""
    given = _given()
    with torch.no_grad():
        _, *past = _decoding(given).model(**given)
    given["decoder_input_ids"] = given["decoder_input_ids"][:, -1:]
    return _decoding(given | {f"past_{number}": tensor for number, tensor in enumerate(past)})


def _given() -> dict[str, torch.Tensor]:
    sample = complete_model()
    inner: Any = sample.model.encoder
    ids, mask, following, _ = sample.inputs
    with torch.no_grad():
        hidden = inner(input_ids=ids, attention_mask=mask).last_hidden_state
    return {"decoder_input_ids": following, "attention_mask": mask, "hidden": hidden}


def _decoding(given: dict[str, torch.Tensor]) -> Sample:
    model: Any = complete_model().model
    forward = model.forward

    def decode(decoder_input_ids: Any, attention_mask: Any, hidden: Any, **past: Any) -> Any:
        out = forward(
            decoder_input_ids=decoder_input_ids,
            attention_mask=attention_mask,
            encoder_outputs=(hidden,),
            past_key_values=_cache(list(past.values())),
            use_cache=True,
        )
        return (out.last_hidden_state, *_tensors(out.past_key_values))

    model.forward = decode
    return Sample(model, list(given), tuple(given.values()), {})


def _tensors(cache: Any) -> list[torch.Tensor]:
    """Keys and values, layer by layer: first of the decoder's tokens, then of the encoder's."""
    halves = (cache.self_attention_cache, cache.cross_attention_cache)
    return [tensor for half in halves for layer in half.layers for tensor in (layer.keys, layer.values)]


def _cache(tensors: list[torch.Tensor]) -> Any:
    pairs = list(zip(tensors[::2], tensors[1::2], strict=True))
    half = len(pairs) // 2
    return EncoderDecoderCache(DynamicCache(pairs[:half]), DynamicCache(pairs[half:]))
