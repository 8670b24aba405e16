"""Classifies the keys of a configuration as sizes, and defines the reduced sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Config = dict[str, Any]

VOCABULARY = 128
BYTES = 300  # a vocabulary up to this size may consist of bytes, and is kept
POSITIONS = 512
PATCH = 8
MIN_WIDTH, MAX_WIDTH = 8, 512
MAX_LAYER_KINDS = 4  # of layers in one model


@dataclass(frozen=True)
class Sizes:
    """A rung of the ladder: the reduced sizes."""

    width: int = 32  # of the narrowest part, or of all
    in_proportion: bool = True  # whether widths keep their ratios, or are all equal
    spread: int = 0  # limit for the ratio of the widest part to the narrowest; 0: as before
    heads: int = 4
    head: int = 16  # the width of a head, if heads and hidden size do not determine it
    layers: int = 2
    grid: int = 8  # patches along a side of a picture; 0: pictures are not changed
    pixels: int = 64  # a side of a picture that becomes smaller from stage to stage
    adds_omitted_keys: bool = False  # whether keys are added that the defaults omit


# Keys that name a size. The first kind that matches is used; a key that matches none is not changed.


def _words(words: str) -> str:
    """A pattern for keys that have one of the words, between underscores."""
    return rf"(?:^|_)(?:{'|'.join(words.split())})(?:_|$)"


_KINDS: tuple[tuple[str, str], ...] = (
    ("token", r"token_(id|ids|index|indices|idx)$|_id$"),
    ("picture", r"^(\w+_)?(image|img|crop)_size$|^input_size$"),
    ("patch", r"^(\w+_)?patch_size$"),
    ("window", r"^window_size$"),
    ("maps", r"feat(ure)?_sizes$"),
    ("places", r"(^|_)(out_indices|\w*layer_ids?|\w*(indexes|indices|idxs|idx)|\w+_layer)$"),
    ("square", r"num_patches|num_position_embeddings|(image|video)_seq_?len|image_tokens|tokens_per_image"),
    (
        "kept",
        _words(
            "kernels?$ kernel_(sizes?|dim) strides? padding dilations? ratios? factors? rates? dropout eps "
            "theta std temperature coefficient cost loss seed threshold mel bins sampling hop fft multiple "
            "divisible original temporal merge index windows? chunk labels distance buckets min scalar "
            "feature_levels pooling"
        ),
    ),
    ("vocabulary", _words("vocab vocabulary codebook_size num_embeddings")),
    ("positions", _words("positions? ctx context_length seq_length block_size model_max_length")),
    ("rotary", _words("rotary_dim")),
    ("head", r"head_?(dim|size)$|(^|_)(d_head|dim_head|d_kv|kv_channels)$"),
    ("heads", r"(^|_)(num|n|attention)_(\w+_)?heads?(_per_stage)?$|^(\w+_)?attention_heads$|^n_heads?$"),
    ("layers", _words("layers? depths? num_blocks blocks_per_stage numb_of_layers")),
    ("doubled", _words("filters")),
    ("inner", _words("intermediate ffn ff dff mlp inner feed_forward")),
    (
        "width",
        _words(
            "hidden embd? embeds? embedding dims? dimension width d_model channels? planes inplanes units "
            "out_features d_state state_size d_ssm rank projection_size output_size latent_size "
            "upsample_groups feats proj_size"
        ),
    ),
)
# Counts, and their reduced values.
ENOUGH: tuple[tuple[str, int], ...] = (
    (r"experts?_per_tok|^(moe_|router_)?top_?k$|^moe_k$", 2),
    (r"shared_experts?$|dense_replace$|dense_layers$|topk_group", 1),
    (r"kv_shared_layers$", 0),
    (r"(num|n)_(\w+_)?experts$", 4),
    (r"(^|_)n_?groups?$|expert_groups?$", 2),
    (r"interval$|period$|_step$|every_n|_freq(uency)?$|layer_group_size$|window_pattern$", 2),
    (r"queries$|latents(_2d)?$|pos_emb_(height|width)$", 16),
    (r"frames$|quantizers$|codebooks$|merger_times$", 4),
    (r"multiplier$", 2),
    (r"res_blocks$", 1),
)
# Numbers that some models need and some defaults omit.
OMITTED: tuple[tuple[str, int], ...] = ((r"experts?_per_tok$", 2), (r"^prediction_length$", 4))
# Factors of widths or depths that are constants in the code of a model.
COEFFICIENT, LEAST_COEFFICIENT = r"^(depth|width)_(multiplier|coefficient)$", 0.25


def kind_of(key: str) -> str:
    return next((kind for kind, pattern in _KINDS if re.search(pattern, key)), "kept")


def number_for(key: str, table: tuple[tuple[str, int], ...]) -> int | None:
    return next((number for pattern, number in table if re.search(pattern, key)), None)


# Reducing a configuration.


@dataclass(frozen=True)
class Place:
    """Properties of one configuration, inherited by the dictionaries inside it."""

    sizes: Sizes
    tokens: dict[int, int]  # ids that were too large, and their replacements
    narrowest: int  # width of all
    bend: float = 1.0  # 1: widths keep their ratios; less: ratios come closer to 1
    config: Config = field(default_factory=dict)  # the original
    heads: dict[str, int] = field(default_factory=dict)  # numbers of heads, by key
    head: float = 1.0  # the factor of the widths of heads
    layers: tuple[int, int] = (0, 0)  # their number before and after
    chosen: dict[int, list[int]] = field(default_factory=dict)  # by number of layers, those that are kept
    picture: tuple[int, int] = (1, 1)  # a side in pixels, before and after
    grid: tuple[int, int] = (1, 1)  # patches along a side, before and after
