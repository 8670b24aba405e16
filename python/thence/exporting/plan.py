"""A plan for dummy inputs: the arguments of forward that are given, and all sizes.

The first plan follows the model's configuration, with small common sizes as defaults. `refine.py` proposes
changes when forward fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from torch import nn

from .facts import Facts, as_pair

# The argument that carries a picture, a video or sound, by a part of its name.
MEDIA: dict[str, tuple[str, ...]] = {
    "video": ("pixel_values_videos", "video_pixel_values"),
    "image": ("pixel_values", "image_pixel_values", "pixel_values_images", "images"),
    "audio": ("input_features", "input_values", "audio_input_features", "audio_values", "audio_features"),
}
# Arguments that belong to a medium: given with it, and left out with it.
COMPANIONS: dict[str, tuple[str, ...]] = {
    "video": ("video_grid_thw", "video_merge_sizes"),
    "image": (
        *(
            "image_grid_thw",
            "grid_thw",
            "image_sizes",
            "merge_sizes",
            "image_merge_sizes",
            "image_position_ids",
        ),
        *("spatial_shapes", "aspect_ratio_ids", "aspect_ratio_mask", "cross_attention_mask"),
        *("image_embeds_position_mask", "pixel_attention_mask"),
    ),
    "audio": (
        *("feature_attention_mask", "input_features_mask", "audio_embed_sizes", "audio_attention_mask"),
        *("audio_input_ids_mask",),
    ),
}
# The inputs of a decoder. With the mask, the exporter need not trace how positions are derived without it.
_DECODER = ("decoder_input_ids", "decoder_attention_mask", "decoder_input_values")
# Arguments that a tokenizer returns in addition to the ids. They are optional in many forwards.
TOKENIZER_OUTPUTS = ("attention_mask", "token_type_ids", "mm_token_type_ids", "bbox")


@dataclass(frozen=True)
class Plan:
    """The arguments, and the sizes to build them with. Frozen: a changed plan is a new object."""

    arguments: frozenset[str]
    batch: int = 1
    length: int = 8  # of text
    decoder_length: int = 8
    choices: int = 0  # texts to choose from in each row; 0: one text per row
    codebooks: str = ""  # the layout of ids with several: "last" axis, "last_with_text", "rows" of the batch
    image: tuple[int, int] = (32, 32)
    channels: int = 3
    patch: int = 0  # numbers in a patch, if pictures are given as patches; 0: from the configuration
    lead: tuple[int, ...] = ()  # axes between batch and channels: frames or tiles
    steps: int = 64  # of spectrogram features over time
    bins: int = 80  # of spectrogram features at one time
    features: str = "bins_last"  # or "bins_first", "channel"
    samples: int = 1024  # of sound
    wave: str = "flat"  # or "channel", "bins_last"
    placeholders: tuple[tuple[str, int], ...] = ()  # ids per row that stand for the features of a medium
    bool_masks: bool = False
    changes: tuple[str, ...] = field(default=(), compare=False)  # description of the changes, with reasons


def medium_of(argument: str) -> str | None:
    """The medium that an argument carries, if any."""
    return next((medium for medium, names in MEDIA.items() if argument in names), None)


def companion_of(argument: str) -> str | None:
    """The medium that an argument describes, if any."""
    return next((medium for medium, names in COMPANIONS.items() if argument in names), None)


def first_plan(facts: Facts, *, batch: int = 1) -> Plan:
    """The plan that the configuration suggests."""
    length = _text_length(facts)
    lead = _lead(facts)
    return Plan(
        arguments=_arguments(facts),
        batch=batch,
        length=length,
        decoder_length=length,
        codebooks="last" if _reads_codebooks(facts) else "",
        image=_image(facts),
        channels=_channels(facts),
        lead=lead,
        steps=_steps(facts),
        bins=_bins(facts),
        features=_features(facts),
        samples=facts.number("audio_length", "chunk_length_samples", scope="audio", default=1024),
        wave=_wave(facts),
    )


def without_media(plan: Plan, facts: Facts) -> Plan:
    """The plan without the pictures, videos and sound that are optional in forward."""
    kept = {n for n in plan.arguments if n in facts.required or not (medium_of(n) or companion_of(n))}
    return replace(plan, arguments=frozenset(kept), placeholders=(), changes=("text alone",))


def _arguments(facts: Facts) -> frozenset[str]:
    names = facts.parameters
    media = _media(facts)
    chosen = {*facts.required, *media.values(), *_main_inputs(facts)}
    if not chosen and names:
        chosen.add(next(iter(names)))
    if "input_ids" in chosen:
        chosen |= {
            name for name in TOKENIZER_OUTPUTS if name in names and _is_useful_tokenizer_output(facts, name)
        }
    chosen |= {name for name in names if companion_of(name) in media}
    # The ids of a decoder; the encoder's input determines their batch.
    if facts.get("is_encoder_decoder") or facts.get("decoder_start_token_id"):
        chosen |= {name for name in _DECODER if name in names}
    return frozenset(chosen)


def _media(facts: Facts) -> dict[str, str]:
    """The argument that carries each medium."""
    media = {medium: name for name in facts.parameters if (medium := medium_of(name))}
    if "image" in media and media.get("video") not in facts.required:
        media.pop("video", None)  # videos use the same encoder as pictures
    return media


def _main_inputs(facts: Facts) -> set[str]:
    """Ids, and the argument that the model declares as its main input."""
    main = getattr(facts.model, "main_input_name", None)
    named = [main] if isinstance(main, str) else main or []
    return {name for name in ("input_ids", *named) if name in facts.parameters}


def _is_useful_tokenizer_output(facts: Facts, name: str) -> bool:
    return name != "token_type_ids" or facts.number("type_vocab_size", scope="text", default=0) > 0


def _text_length(facts: Facts) -> int:
    limits = facts.all("max_position_embeddings", "n_positions", "max_target_positions", scope="text")
    longest = min([v for v in limits if isinstance(v, int) and v > 0], default=512)
    # Some models count positions from the padding token, so the end of the position table is avoided.
    return max(2, min(8, longest - 3))


def _image(facts: Facts) -> tuple[int, int]:
    known = facts.pair("image_size", "img_size", "input_size", "crop_size", scope="vision")
    return known or as_pair(facts.hints.get("image_size")) or (64, 64)


def _channels(facts: Facts) -> int:
    known = facts.number("num_channels", "in_channels", "in_chans", "image_channels", scope="vision")
    convolution = facts.first((nn.Conv2d, nn.Conv3d))
    return known or (convolution.in_channels if convolution is not None else 3)


def _lead(facts: Facts) -> tuple[int, ...]:
    frames = facts.number("num_frames", "frames_per_clip", scope="vision")
    is_video = "pixel_values_videos" in facts.required or (
        frames and "pixel_values_videos" not in facts.parameters
    )
    return (max(frames, 2),) if is_video else ()


def _steps(facts: Facts) -> int:
    positions = facts.number("max_source_positions", scope="audio")
    return positions * 2 if positions and _bins_first(facts) else facts.number("max_length", default=64)


def _bins(facts: Facts) -> int:
    names = (
        "num_mel_bins",
        "input_feat_per_channel",
        "feature_projection_input_dim",
        "input_dim",
        "feature_size",
    )
    return facts.number(*names, "n_mels", "mel_bins", "num_mel_bands", scope="audio", default=80)


def _bins_first(facts: Facts) -> bool:
    """A convolution over time that reads the bins as channels needs them before the time axis."""
    convolution = facts.first(nn.Conv1d)
    return convolution is not None and convolution.in_channels == _bins(facts)


def _features(facts: Facts) -> str:
    return "bins_first" if _bins_first(facts) else "bins_last"


def _wave(facts: Facts) -> str:
    """The layout of sound: samples, unless the model reads channels or the output of a filter bank."""
    if facts.number("audio_channels", "codebook_size", scope="audio"):
        return "channel"
    is_filter_bank = facts.number("num_mel_bins", scope="audio") and facts.first(nn.Conv1d) is None
    return "bins_last" if is_filter_bank else "flat"


def _reads_codebooks(facts: Facts) -> bool:
    return "input_ids" not in facts.required and facts.number("num_codebooks", scope="decoder") > 1
