"""The models of the sample, and the purpose of each.

Sizes are reduced to keep the repository small; layer counts are raised where only many layers reveal a
mistake. This is data only, without torch: the command line lists names from here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

# Other ways to export an architecture, named at the end of a model's name: `bert+dynamic`.
DYNAMIC = "dynamic"  # every axis that the architecture allows is dynamic
PAST = "past"  # a decoder that reads and returns its cache of keys and values, with dynamic axes
EQUAL = "equal"  # the default initialisation: zero biases, unit norms, equal weights
VARIANTS = (DYNAMIC, PAST, EQUAL)


@dataclass(frozen=True)
class Choice:
    """One model of the sample: an architecture, with changes to its configuration."""

    type: str
    config: dict[str, Any] = field(default_factory=dict)
    dynamic_batch: bool = False  # TorchScript only: leaves the shape arithmetic in the graph
    layers: int | None = None  # replaces the number in the configuration
    variant: str = ""  # one of VARIANTS


_BERT = {"hidden_size": 16, "intermediate_size": 20, "max_position_embeddings": 32}

CHOICES: dict[str, Choice] = {
    "bert": Choice("bert", _BERT),
    "gpt2": Choice("gpt2", {"n_embd": 16, "n_positions": 32}),
    "llama": Choice("llama", {"hidden_size": 16, "head_dim": 8, "intermediate_size": 20}),
    "t5": Choice("t5", {"d_model": 16, "d_kv": 4, "d_ff": 20}, dynamic_batch=True),
    "vit": Choice("vit", {"hidden_size": 16, "intermediate_size": 20, "pooler_output_size": 16}),
    # Batch normalisation folded into convolutions; containers that are called.
    "resnet": Choice("resnet", {"embedding_size": 8}),
    "regnet": Choice("regnet", {"hidden_sizes": [4, 8, 12, 16], "embedding_size": 8}),
    "efficientnet": Choice(
        "efficientnet",
        {"width_coefficient": 0.125, "depth_coefficient": 1.0, "hidden_dim": 160},
    ),
    "convnext": Choice("convnext", {"hidden_sizes": [4, 8, 12, 16]}),
    "swin": Choice("swin", {"embed_dim": 8, "hidden_size": 32}),
    # Two encoders, and encoders with a decoder.
    "clip": Choice(
        "clip",
        {
            "projection_dim": 16,
            "text_config": _BERT,
            "vision_config": {"hidden_size": 16, "intermediate_size": 20},
        },
        dynamic_batch=True,
    ),
    "whisper": Choice("whisper"),
    "mbart": Choice("mbart", dynamic_batch=True),
    # A weight computed by a parametrisation; slice assignment.
    "wav2vec2": Choice("wav2vec2", {"conv_dim": [16, 16, 16]}, dynamic_batch=True),
    # Experts; the default implementation of the expert product has no ONNX translation.
    "mixtral": Choice(
        "mixtral",
        {
            "hidden_size": 16,
            "head_dim": 8,
            "intermediate_size": 20,
            "num_local_experts": 4,
            "experts_implementation": "batched_mm",
        },
        dynamic_batch=True,
    ),
    "mamba": Choice("mamba", {"hidden_size": 16, "intermediate_size": 32}),
    # One layer called eleven times, so that the last call's suffix is `_10`.
    "albert": Choice("albert", {"num_hidden_layers": 11, "num_hidden_groups": 1}),
    # Layers run by `layer.forward(...)`, which leaves no scope: eleven of them collide in one.
    "squeezebert": Choice("squeezebert", {**_BERT, "num_hidden_layers": 11, "embedding_size": 16}),
    # Scripted functions, whose If bodies have no scope.
    "deberta": Choice(
        "deberta",
        {
            **_BERT,
            "relative_attention": True,
            "pos_att_type": ["c2p", "p2c"],
            "pooler_hidden_size": 16,
        },
        dynamic_batch=True,
    ),
    "funnel": Choice("funnel", {"d_model": 16, "d_head": 4, "d_inner": 20}),
    "layoutlmv3": Choice(
        "layoutlmv3",
        {
            "hidden_size": 12,
            "coordinate_size": 2,
            "shape_size": 2,
            "max_position_embeddings": 32,
        },
    ),
    # Modules called twice, called by a module that is not their parent, or reached by two paths.
    "lxmert": Choice("lxmert", _BERT),
    "xmod": Choice("xmod", _BERT, dynamic_batch=True),
    "xlm": Choice("xlm", {"emb_dim": 16, "max_position_embeddings": 32}),
    # Twelve layers, where `layer.1` and `layer.10` are easily confused.
    "bert12": Choice("bert", {**_BERT, "hidden_size": 8, "num_hidden_layers": 12}, dynamic_batch=True),
    "gpt2_12": Choice("gpt2", {"n_embd": 8, "n_positions": 32, "n_layer": 12}),
}


def choice_of(name: str) -> Choice:
    """A model of the sample by its name, or any architecture: `gemma`, `gemma@12` with twelve layers.

    Either may be followed by a variant.

    >>> choice_of("gemma@12+dynamic")
    Choice(type='gemma', config={}, dynamic_batch=False, layers=12, variant='dynamic')
    """
    base, _, variant = name.partition("+")
    if variant and variant not in VARIANTS:
        raise ValueError(f"{name}: the variants are {', '.join(VARIANTS)}")
    if base in CHOICES:
        return replace(CHOICES[base], variant=variant)
    type_name, _, layers = base.partition("@")
    return Choice(type_name, layers=int(layers) if layers else None, variant=variant)


def base_of(name: str) -> str:
    """The name of a model without its variant."""
    return name.partition("+")[0]


def variant_of(name: str) -> str:
    """The variant in the name of a model; empty if there is none."""
    return name.partition("+")[2]
