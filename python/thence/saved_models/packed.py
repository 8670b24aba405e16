"""Weights that a quantiser packed: which tensors a matrix consists of, and how its elements lie in words.

The core reads them by this description. Other forms are named by `unread_method`, and have no content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .safetensors_files import StoredTensor

_BITS_PER_WORD = 32
_WORDS = ".qweight"
_ROLES = {"words": _WORDS, "scales": ".scales", "zero_points": ".qzeros", "blocks": ".g_idx"}
_NEEDED = ("words", "scales", "zero_points")


@dataclass(frozen=True)
class Packed:
    """A matrix in a packed form: the fields of the section `weights`, and its tensors by role."""

    fields: Mapping[str, Any]
    tensors: Mapping[str, StoredTensor]


def _per_word(settings: Mapping[str, Any]) -> int:
    return _BITS_PER_WORD // int(settings["bits"])


def _gptq(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Words have inputs of one output, in order; zero points are stored less one until the second version."""
    is_first = settings.get("checkpoint_format", "gptq") == "gptq"
    return {
        "packs_inputs": True,
        "zero_point_offset": int(is_first),
        "places": list(range(_per_word(settings))),
    }


def _awq(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Words have outputs of one input, the even ones before the odd ones."""
    count = _per_word(settings)
    places = [at // 2 + at % 2 * (count // 2) for at in range(count)]
    return {"packs_inputs": False, "zero_point_offset": 0, "places": places}


_METHODS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {"gptq": _gptq, "awq": _awq}
_BITS = (2, 4, 8)


def _settings(config: Any) -> Mapping[str, Any]:
    settings = getattr(config, "quantization_config", None)
    if hasattr(settings, "to_dict"):
        settings = settings.to_dict()
    return settings if isinstance(settings, dict) else {}


def unread_method(config: Any) -> str | None:
    """The method by which the weights were quantised, if its files are not read."""
    settings = _settings(config)
    method = settings.get("quant_method")
    return None if not settings or _fields(settings) is not None else str(method)


def _fields(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    method, bits, block = (settings.get(key) for key in ("quant_method", "bits", "group_size"))
    if method not in _METHODS or bits not in _BITS or type(block) is not int:
        return None
    return {"bits": bits, "block": block, **_METHODS[method](settings)}


def find_packed(config: Any, stored: Mapping[str, StoredTensor]) -> dict[str, Packed]:
    """Packed matrices by the key that each would have as a plain one."""
    fields = _fields(_settings(config))
    found = {}
    for key in stored if fields else ():
        if not key.endswith(_WORDS):
            continue
        owner = key.removesuffix(_WORDS)
        tensors = {role: stored[owner + end] for role, end in _ROLES.items() if owner + end in stored}
        if all(role in tensors for role in _NEEDED):
            found[f"{owner}.weight"] = Packed(fields or {}, tensors)
    return found
