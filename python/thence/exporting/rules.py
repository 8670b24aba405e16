"""The rules that turn the name of an argument into a dummy tensor.

A rule uses only the name of the argument, the sizes of the plan and the model's configuration. Rules are
tried in order. The last one uses the argument's annotation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .facts import Facts
from .plan import Plan, medium_of
from .tokens import codebook_count, ids, media_types, row_of_ids, text_length

Rule = Callable[[str, Plan, Facts], Any]


def build(plan: Plan, facts: Facts) -> dict[str, Any]:
    """The plan's arguments as tensors, in the order of forward's signature."""
    order = [name for name in facts.parameters if name in plan.arguments]
    order += sorted(plan.arguments - set(order))
    return {name: _convert(_with_choices(make(name, plan, facts), plan), facts) for name in order}


def _with_choices(value: Any, plan: Plan) -> Any:
    """Repeats ids and masks for each text that a row may choose from."""
    if (
        plan.choices
        and isinstance(value, torch.Tensor)
        and value.dim() == 2
        and not value.is_floating_point()
    ):
        return value[:, None].repeat(1, plan.choices, 1)
    return value


def make(name: str, plan: Plan, facts: Facts) -> Any:
    """The tensor for one argument."""
    for pattern, rule in _RULES:
        if re.fullmatch(pattern, name):
            made = rule(name, plan, facts)
            if made is not None:
                return made
    return _by_annotation(name, plan, facts)


def can_make(name: str, facts: Facts) -> bool:
    """Whether a rule exists for this argument, so that it is worth adding."""
    return any(re.fullmatch(pattern, name) for pattern, _ in _RULES)


def noise(name: str, *shape: int) -> torch.Tensor:
    """Numbers between 0 and 1, which depend only on the argument; torch's generator does not change."""
    generator = torch.Generator().manual_seed(sum(map(ord, name)))
    return torch.rand(shape, generator=generator)


def _convert(value: Any, facts: Facts) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    dtype = facts.float_type() if value.is_floating_point() else value.dtype
    return value.to(device=facts.device(), dtype=dtype)


# Text


def _input_ids(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    row = row_of_ids(plan, facts)
    if plan.codebooks.startswith("last") and "decoder_input_ids" not in facts.parameters:
        count = codebook_count(facts) + (plan.codebooks == "last_with_text")
        table = torch.tensor([[[0] * count] * plan.length])
        return table.expand(plan.batch, -1, -1).contiguous()
    return torch.tensor([row] * plan.batch)


def _decoder_input_ids(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    start = facts.get("decoder_start_token_id", "bos_token_id", scope="decoder", default=0)
    limit = facts.number("vocab_size", "codebook_size", scope="decoder", default=facts.vocabulary())
    start = start if isinstance(start, int) and 0 <= start < limit else 0
    row = [start, *ids(plan.decoder_length - 1, limit, facts)]
    count = codebook_count(facts)
    if plan.codebooks == "last" and count > 1:
        return torch.tensor([[[id_] * count for id_ in row]] * plan.batch)
    return torch.tensor([row] * plan.batch * (count if plan.codebooks == "rows" else 1))


def _other_ids(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    row = ids(plan.length, facts.smallest_vocabulary(), facts)
    return torch.tensor([row] * plan.batch)


def _attention_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    # With ids, it masks ids; without them, steps of sound.
    if "input_ids" in plan.arguments:
        return _ones(plan, plan.batch, text_length(plan))
    if "input_features" in plan.arguments:
        return _ones(plan, plan.batch, plan.steps)
    if "input_values" in plan.arguments:
        return _ones(plan, plan.batch, plan.samples if plan.wave == "flat" else plan.steps)
    return _ones(plan, plan.batch, plan.length)


def _decoder_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return _ones(plan, plan.batch, plan.decoder_length)


def _length_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return _ones(plan, plan.batch, plan.length)


def _zero_ids(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.zeros(plan.batch, text_length(plan), dtype=torch.int64)


def _media_types(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.tensor([media_types(plan, facts)] * plan.batch)


def _positions(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    length = plan.decoder_length if name.startswith("decoder") else text_length(plan)
    return torch.arange(length)[None].repeat(plan.batch, 1)


def _boxes(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    # x0, y0, x1, y1; within every table of positions, and not negative.
    return torch.tensor([0, 0, 1, 1]).repeat(plan.batch, text_length(plan), 1)


def _xpaths(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.zeros(
        plan.batch, text_length(plan), facts.number("max_depth", default=10), dtype=torch.int64
    )


# Pictures and films


def _pixels(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    grid = next((other for other in _grids(name) if other in plan.arguments), None)
    if grid is not None:
        rows, columns = grid_of(facts)
        return noise(name, plan.batch * rows * columns, _patch_size(plan, facts))
    if "image_position_ids" in plan.arguments and medium_of(name) == "image":
        rows, columns = grid_of(facts)
        return noise(name, plan.batch, rows * columns, _patch_size(plan, facts))
    lead = plan.lead
    if medium_of(name) == "video" and not lead:
        lead = (facts.number("num_frames", "frames_per_clip", scope="vision", default=2),)
    return noise(name, plan.batch, *lead, plan.channels, *plan.image)


def _patch_positions(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    rows, columns = grid_of(facts)
    positions = [[x, y] for y in range(rows) for x in range(columns)]
    return torch.tensor([positions] * plan.batch)


def _image_attention(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    """The pictures of the row that each id may attend to: the only one."""
    return torch.ones(plan.batch, text_length(plan), 1, dtype=torch.int64)


def _grids(pixels: str) -> list[str]:
    return ["video_grid_thw"] if medium_of(pixels) == "video" else ["image_grid_thw", "grid_thw"]


def grid_of(facts: Facts) -> tuple[int, int]:
    """Rows and columns of patches: the smallest grid that has two of each after merging."""
    names = "spatial_merge_size", "merge_size", "pooling_kernel_size"
    merge = facts.number(*names, scope="vision", default=1)
    return 2 * merge, 2 * merge


def _patch_size(plan: Plan, facts: Facts) -> int:
    if plan.patch:
        return plan.patch
    patch = facts.pair("model_patch_size", "patch_size", scope="vision") or (14, 14)
    frames = facts.number("temporal_patch_size", scope="vision", default=1)
    return plan.channels * frames * patch[0] * patch[1]


def _grid(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.tensor([[1, *grid_of(facts)]] * plan.batch)


def _merge_sizes(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.ones(plan.batch, dtype=torch.int64)


def _image_sizes(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.tensor([list(plan.image)] * plan.batch)


def _pixel_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return _ones(plan, plan.batch, *plan.lead, *plan.image)


def _masked_patches(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    patch = facts.pair("patch_size", scope="vision") or (1, 1)
    count = (plan.image[0] // patch[0]) * (plan.image[1] // patch[1])
    return torch.zeros(plan.batch, count, dtype=torch.bool)


def _aspect_ratio_ids(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.ones(plan.batch, 1, dtype=torch.int64)


def _tile_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.ones(plan.batch, 1, _tiles(plan, facts), dtype=torch.int64)


def _cross_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return torch.ones(plan.batch, text_length(plan), 1, _tiles(plan, facts), dtype=torch.int64)


def _tiles(plan: Plan, facts: Facts) -> int:
    return plan.lead[-1] if plan.lead else facts.number("max_num_tiles", scope="vision", default=1)


def _region_features(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    width = facts.number("visual_feat_dim", "visual_embedding_dim", scope="vision", default=32)
    return noise(name, plan.batch, 4, width)


def _region_positions(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return noise(name, plan.batch, 4, facts.number("visual_pos_dim", default=4))


def _region_numbers(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    return (
        torch.ones(plan.batch, 4, dtype=torch.int64) if "mask" in name else torch.zeros(plan.batch, 4).long()
    )


# Sound, and other series


def _features(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    shapes = {
        "bins_last": (plan.steps, plan.bins),
        "bins_first": (plan.bins, plan.steps),
        "channel": (1, plan.steps, plan.bins),
    }
    return noise(name, plan.batch, *shapes[plan.features])


def _wave(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    width = facts.number("hidden_size", default=plan.bins) if plan.wave == "hidden_last" else plan.bins
    channels = facts.number("audio_channels", scope="audio", default=1)
    shapes = {
        "flat": (plan.samples,),
        "channel": (channels, plan.samples),
        "bins_last": (plan.steps, width),
        "hidden_last": (plan.steps, width),
    }
    return noise(name, plan.batch, *shapes[plan.wave])


def _steps_mask(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    if "input_values" in plan.arguments and plan.wave in ("flat", "channel"):
        return _ones(plan, plan.batch, plan.samples)
    return _ones(plan, plan.batch, plan.steps)


def _series(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    steps = facts.number("prediction_length" if name.startswith("future") else "context_length", default=32)
    return noise(name, plan.batch, steps, facts.number("num_input_channels", "input_size", default=1))


def _trajectory(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    widths = {"states": "state_dim", "actions": "act_dim"}
    return noise(name, plan.batch, plan.length, facts.number(widths.get(name, ""), default=1))


# Arguments that no name pattern covers


def _by_annotation(name: str, plan: Plan, facts: Facts) -> Any:
    """The annotation distinguishes numbers from ids; the configuration or the first module has the shape."""
    parameter = facts.parameters.get(name)
    words = "" if parameter is None else str(parameter.annotation)
    if parameter is not None and parameter.annotation in (int, "int"):
        return 1
    if "Bool" in words:
        return torch.ones(plan.batch, plan.length, dtype=torch.bool)
    if any(word in words for word in ("Long", "Int")):
        return _other_ids(name, plan, facts)
    width = facts.number("d_model", "hidden_size")
    return noise(name, plan.batch, plan.length, width) if width else _for_first_module(name, plan, facts)


def _for_first_module(name: str, plan: Plan, facts: Facts) -> torch.Tensor:
    for module in facts.model.modules():
        if isinstance(module, nn.Embedding):
            return torch.tensor([ids(plan.length, module.num_embeddings, facts)] * plan.batch)
        if isinstance(module, nn.Linear):
            return noise(name, plan.batch, module.in_features)
        if isinstance(module, (nn.RNNBase, nn.RNNCellBase)):
            return noise(name, plan.batch, plan.length, module.input_size)
        if isinstance(module, nn.Bilinear):
            return noise(name, plan.batch, module.in1_features)
        for kind, axes in ((nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3)):
            if isinstance(module, kind):
                return noise(name, plan.batch, module.in_channels, *[plan.image[0]] * axes)
        if isinstance(module, (nn.TransformerEncoderLayer, nn.MultiheadAttention)):
            attention: Any = getattr(module, "self_attn", module)
            return noise(name, plan.batch, plan.length, attention.embed_dim)
    return noise(name, plan.batch, plan.length, 8)


def _ones(plan: Plan, *shape: int) -> torch.Tensor:
    return torch.ones(shape, dtype=torch.bool if plan.bool_masks else torch.int64)


_RULES: list[tuple[str, Rule]] = [
    ("input_ids", _input_ids),
    ("decoder_input_ids", _decoder_input_ids),
    ("attention_mask", _attention_mask),
    ("decoder_attention_mask", _decoder_mask),
    ("mm_token_type_ids", _media_types),
    ("image_position_ids", _patch_positions),
    ("image_attention_mask", _image_attention),
    (r"(.*_)?position_ids", _positions),
    (r"visual_(token_type_ids|attention_mask)", _region_numbers),
    (r"token_type_ids|.*_type_ids|input_(shape|pronunciation)_ids", _zero_ids),
    (r"(visual_)?bbox", _boxes),
    (r"xpath_(tags|subs)_seq", _xpaths),
    (r".*pixel_values.*|images|prompt_masks", _pixels),
    (r".*grid_thw", _grid),
    (r".*merge_sizes", _merge_sizes),
    (r"image_sizes|spatial_shapes", _image_sizes),
    (r"pixel_mask|pixel_attention_mask", _pixel_mask),
    (r"bool_masked_pos", _masked_patches),
    (r"aspect_ratio_ids", _aspect_ratio_ids),
    (r"aspect_ratio_mask", _tile_mask),
    (r"cross_attention_mask", _cross_mask),
    (r"visual_(feats|embeds)", _region_features),
    (r"visual_pos", _region_positions),
    (r".*input_features|audio_features", _features),
    (r"(decoder_)?input_values|audio_values", _wave),
    (r"(feature_attention|input_features|audio_attention|padding)_mask", _steps_mask),
    (r"(past|future)_values", _series),
    (r"states|actions|rewards|returns_to_go", _trajectory),
    (r"timesteps", _zero_ids),
    (r".*input_ids|.*_inputs", _other_ids),
    (r".*_(attention_)?mask", _length_mask),
]
