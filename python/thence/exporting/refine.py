"""Changes of a plan that failed: each differs in one respect, and the most likely comes first.

There are two sources. The error message: an argument that it names is added or dropped, a number in it is
tried as a size. If the message does not help: a short list of common sizes and layouts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from .facts import Facts
from .plan import COMPANIONS, MEDIA, Plan, companion_of, medium_of
from .rules import can_make
from .tokens import codebook_count, has_placeholder

_SIDES = (32, 64, 224, 128, 256, 448, 30, 512)
_LENGTHS = (16, 64, 128, 4, 1)
_STEPS = (100, 128, 200, 1024, 3000)
_SAMPLES = (4096, 16000, 320, 32)
_PICTURES = frozenset({"image", "video"})
# Limits for numbers in an error message that are tried as sizes.
_LARGEST = 4096  # larger numbers are not sizes
_MOST_NUMBERS = 8  # in one message: more are a printed tensor
_SMALLEST_SIDE = 4  # of an image, in pixels: smaller numbers are channels or axes
_FEWEST_SAMPLES = 16  # of sound
_LONGEST_TEXT = 512  # in tokens
_NUMBER = re.compile(r"(?<![A-WYZa-wyz_.\d])\d+(?!\.?\d|[A-WYZa-wyz_])")  # also those in "4x12 and 24x32"
_NEVER_ADDED = re.compile(
    r".*(_embeds|past_key_values|encoder_outputs|labels|output_.*|cache.*|return_.*|use_cache)"
)
_MISSING = re.compile(
    r"NoneType|missing|must be provided|need to (provide|specify)|have to specify|required|is None"
)
_CHOICES = re.compile(r"shape '\[-1, \d+\]' is invalid|should have two dimensions")
_REFUSED = re.compile(r"[Cc]annot process|not support|without an? ")
_TOO_MANY = re.compile(r"unexpected keyword|cannot specify both|either|only one|at the same time|not both")


def refinements(plan: Plan, error: BaseException, facts: Facts) -> Iterator[tuple[int, Plan]]:
    """Yields plans to try after `plan` failed, with a rank: 2 stated by the error, 1 suggested, 0
    possible."""
    text = str(error)
    yield from _named_arguments(plan, text, facts)
    yield from _missing_arguments(plan, text, facts)
    yield from _sizes_in_message(plan, text, facts)
    yield from _common_variants(plan, text, facts)
    yield from _drop_optional(plan, text, facts)


def reports_missing_argument(text: str) -> bool:
    """Whether an error reports a missing argument, with or without its name."""
    return bool(_MISSING.search(text))


def _changed(plan: Plan, why: str, **what: Any) -> Plan:
    return replace(plan, changes=(*plan.changes, why), **what)


def _named_arguments(plan: Plan, text: str, facts: Facts) -> Iterator[tuple[int, Plan]]:
    """Drops or adds the arguments that the error names."""
    named = [name for name in facts.parameters if re.search(rf"\b{re.escape(name)}\b", text)]
    for name in named:
        if name in plan.arguments and name not in facts.required and _TOO_MANY.search(text):
            yield 2, _changed(plan, f"without {name}", arguments=plan.arguments - {name})
        elif name not in plan.arguments and not _NEVER_ADDED.fullmatch(name):
            yield 2, _changed(plan, f"with {name}", arguments=plan.arguments | {name})


def _missing_arguments(plan: Plan, text: str, facts: Facts) -> Iterator[tuple[int, Plan]]:
    """Adds arguments, if the error reports that one is missing."""
    if not reports_missing_argument(text):
        return
    usable = [name for name in facts.parameters if can_make(name, facts) and not _NEVER_ADDED.fullmatch(name)]
    absent = [name for name in usable if name not in plan.arguments]
    for name in absent:
        yield 1, _changed(plan, f"with {name}", arguments=plan.arguments | {name})
    if not any(medium_of(name) or companion_of(name) for name in absent):
        yield 1, _changed(plan, "with all there is", arguments=plan.arguments | set(absent))


def _media(plan: Plan) -> set[str]:
    return {medium for name in plan.arguments if (medium := medium_of(name)) is not None}


def _sizes_in_message(plan: Plan, text: str, facts: Facts) -> Iterator[tuple[int, Plan]]:
    """Tries numbers in the error as sizes: "expected length 60", "image size doesn't match (30*30)"."""
    numbers = _numbers_in(text)
    media = _media(plan)
    for number in numbers:
        if "token" in text.lower() and "input_ids" in plan.arguments:
            for medium in media:
                if has_placeholder(facts, medium):
                    yield 2, _with_placeholders(plan, medium, number // plan.batch)
        if media & _PICTURES:
            yield from _picture_sizes(plan, text, number)
        if "audio" in media:
            yield from _sound_sizes(plan, number)
        if any(name.endswith(("_ids", "_inputs")) for name in plan.arguments) and number <= _LONGEST_TEXT:
            yield 0, _changed(plan, f"text of {number}", length=number)
    if media & _PICTURES:
        for one, other in pairwise(numbers):
            if min(one, other) >= _SMALLEST_SIDE:
                yield 1, _changed(plan, f"images of {one} by {other}", image=(one, other))


def _numbers_in(text: str) -> list[int]:
    """The first few numbers in an error that may be sizes, without duplicates."""
    numbers = dict.fromkeys(int(word) for word in _NUMBER.findall(text))
    return [number for number in numbers if 0 < number <= _LARGEST][:_MOST_NUMBERS]


def _picture_sizes(plan: Plan, text: str, number: int) -> Iterator[tuple[int, Plan]]:
    if "channel" in text:
        yield 2, _changed(plan, f"{number} channels", channels=number)
    if any(name.endswith(("grid_thw", "image_position_ids")) for name in plan.arguments):
        yield 1, _changed(plan, f"patches of {number}", patch=number)
    elif number >= _SMALLEST_SIDE:
        yield 1, _changed(plan, f"images of {number}", image=(number, number))


def _sound_sizes(plan: Plan, number: int) -> Iterator[tuple[int, Plan]]:
    yield 1, _changed(plan, f"{number} steps", steps=number)
    yield 1, _changed(plan, f"{number} bins", bins=number)
    if number >= _FEWEST_SAMPLES:
        yield 0, _changed(plan, f"{number} samples", samples=number)


def _with_placeholders(plan: Plan, medium: str, count: int) -> Plan:
    others = tuple(entry for entry in plan.placeholders if entry[0] != medium)
    return _changed(plan, f"{count} ids for the {medium}", placeholders=(*others, (medium, count)))


def _common_variants(plan: Plan, text: str, facts: Facts) -> Iterator[tuple[int, Plan]]:
    """Tries common sizes and layouts, whatever the error is."""
    if _media(plan) & _PICTURES:
        yield from _common_pictures(plan, facts)
    yield from _common_sound(plan)
    yield from _common_text(plan, text, facts)
    if any(name.endswith("mask") for name in plan.arguments):
        yield 0, _changed(plan, "masks of booleans", bool_masks=True)
    if plan.batch == 1:
        yield 0, _changed(plan, "a batch of 2", batch=2)


def _common_sound(plan: Plan) -> Iterator[tuple[int, Plan]]:
    if "input_features" in plan.arguments or "audio_input_features" in plan.arguments:
        for layout in ("bins_last", "bins_first", "channel"):
            yield 0, _changed(plan, f"features {layout}", features=layout)
        for steps in _STEPS:
            yield 0, _changed(plan, f"{steps} steps", steps=steps)
    if "input_values" in plan.arguments:
        for layout in ("channel", "bins_last", "hidden_last"):
            yield 0, _changed(plan, f"sound {layout}", wave=layout)
        for samples in _SAMPLES:
            yield 0, _changed(plan, f"{samples} samples", samples=samples)


def _common_text(plan: Plan, text: str, facts: Facts) -> Iterator[tuple[int, Plan]]:
    if "input_ids" in plan.arguments and not plan.choices:
        yield int(bool(_CHOICES.search(text))), _changed(plan, "two texts to choose from", choices=2)
    for length in _LENGTHS:
        yield 0, _changed(plan, f"text of {length}", length=length)
        if "decoder_input_ids" in plan.arguments:
            yield 0, _changed(plan, f"decoder text of {length}", decoder_length=length)
    if codebook_count(facts) > 1 and plan.arguments & {"input_ids", "decoder_input_ids"}:
        for layout in ("last", "last_with_text", "rows", ""):
            yield 0, _changed(plan, f"codebooks {layout or 'none'}", codebooks=layout)


def _common_pictures(plan: Plan, facts: Facts) -> Iterator[tuple[int, Plan]]:
    frames = facts.number("num_frames", "frames_per_clip", scope="vision", default=2)
    tiles = facts.number("max_num_tiles", scope="vision")
    for lead in ((), (1,), (frames,), *([(1, tiles)] if tiles else [])):
        yield 0, _changed(plan, f"{lead or 'no'} axes before the channels", lead=lead)
    for side in _SIDES:
        yield 0, _changed(plan, f"images of {side}", image=(side, side))
    yield 0, _changed(plan, "half as high", image=(max(1, plan.image[0] // 2), plan.image[1]))
    for channels in (3, 1):
        yield 0, _changed(plan, f"{channels} channels", channels=channels)


def _drop_optional(plan: Plan, text: str, facts: Facts) -> Iterator[tuple[int, Plan]]:
    """Drops an optional argument. A medium is dropped together with all that describes it."""
    optional = [name for name in facts.parameters if name in plan.arguments and name not in facts.required]
    for name in optional:
        medium = medium_of(name)
        if medium is not None:
            gone = {*MEDIA[medium], *COMPANIONS[medium]} - set(facts.required)
            rest = plan.arguments - gone
            left = tuple(entry for entry in plan.placeholders if entry[0] != medium)
            if rest & ({"input_ids"} | {n for names in MEDIA.values() for n in names}):
                refused = medium in text.lower() and _REFUSED.search(text)
                yield (
                    2 if refused else -1,
                    _changed(plan, f"without the {medium}", arguments=rest, placeholders=left),
                )
        elif companion_of(name) or name not in ("input_ids", "decoder_input_ids"):
            yield 0, _changed(plan, f"without {name}", arguments=plan.arguments - {name})
