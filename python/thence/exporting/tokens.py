"""Ids for dummy text: ordinary words, and placeholders for the features of a picture or sound."""

from __future__ import annotations

from .facts import Facts
from .plan import Plan

# The number that marks the kind of an id in models with several media; text is 0.
_MEDIA_TYPE_IDS = {"image": 1, "video": 2, "audio": 3}
_LEADING_IDS = 2  # ordinary ids before the placeholders


def ids(count: int, limit: int, facts: Facts) -> list[int]:
    """Ordinary ids, distinct as far as possible, without special tokens."""
    special = facts.special_tokens()
    usable = [id_ for id_ in range(min(limit, 4 * (count + len(special)) + 64)) if id_ not in special]
    usable = usable or [min(1, limit - 1)]
    # A step that is coprime to most counts spreads them over the range.
    return [usable[(7 * k + 3) % len(usable)] for k in range(count)]


def text_length(plan: Plan) -> int:
    """The number of ids in a row, including placeholders and their delimiters."""
    return plan.length + sum(count + 2 for _, count in plan.placeholders if count)


def row_of_ids(plan: Plan, facts: Facts) -> list[int]:
    """One row of ids: some words, each medium's placeholders between delimiters, the other words."""
    limit = facts.vocabulary()
    words = ids(plan.length, limit, facts)
    row = words[:_LEADING_IDS]
    for medium, count in plan.placeholders:
        if count:
            row += [_delimiter(facts, medium, "start", words[0])]
            row += [placeholder(facts, medium, limit)] * count
            row += [_delimiter(facts, medium, "end", words[0])]
    return _with_end_token(row + words[_LEADING_IDS:], limit, facts)


def _is_placeholder(facts: Facts, value: int) -> bool:
    return any(
        value == placeholder(facts, medium, 0) for medium in _MEDIA_TYPE_IDS if has_placeholder(facts, medium)
    )


def media_types(plan: Plan, facts: Facts) -> list[int]:
    """The medium that each id of the row stands for."""
    row = [0] * min(_LEADING_IDS, plan.length)
    for medium, count in plan.placeholders:
        if count:
            row += [0, *[_MEDIA_TYPE_IDS[medium]] * count, 0]
    return row + [0] * (plan.length - _LEADING_IDS)


def placeholder(facts: Facts, medium: str, limit: int) -> int:
    """The id that is replaced by a medium's features."""
    names = [f"{medium}_token_id", f"{medium}_token_index", f"{medium}_token", f"{medium}_soft_token_id"]
    for value in facts.all(*names):
        if isinstance(value, int) and value >= 0:
            return value
    return min(1, limit - 1)


def has_placeholder(facts: Facts, medium: str) -> bool:
    """Whether the model replaces ids by features of this medium."""
    names = [f"{medium}_token_id", f"{medium}_token_index", f"{medium}_token", f"{medium}_soft_token_id"]
    return bool(facts.all(*names))


def codebook_count(facts: Facts) -> int:
    """The number of codebooks in one step of a discrete signal."""
    return facts.number("num_codebooks", "num_channels", "num_quantizers", scope="decoder", default=1)


def _delimiter(facts: Facts, medium: str, side: str, otherwise: int) -> int:
    kind = "vision" if medium != "audio" else "audio"
    value = facts.get(f"{medium}_{side}_token_id", f"{kind}_{side}_token_id", f"{medium}_{side}_token")
    usable = isinstance(value, int) and 0 <= value < facts.vocabulary() and not _is_placeholder(facts, value)
    return value if usable else otherwise


def _with_end_token(row: list[int], limit: int, facts: Facts) -> list[int]:
    """The row with an end of text, as a tokenizer returns it; some models search for it."""
    end = facts.get("eos_token_id", scope="text")
    end = end[0] if isinstance(end, (list, tuple)) and end else end
    if isinstance(end, int) and 0 <= end < limit and row and not _is_placeholder(facts, end):
        row = [*row[:-1], end]
    return row
