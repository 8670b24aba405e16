"""Loads the model that the user names, in eval mode.

    a hub id             loaded with `from_pretrained`
    a folder             that `save_pretrained` wrote
    a config.json        random weights
    package.module:name  a callable that returns a module, or a module and its inputs; or a module
    nothing              a tiny model built from a configuration, for a first look

Code from a model's repository runs only if the user allows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..hub import is_factory, is_hub_id
from .dtypes import weight_dtype
from .errors import Code, ExportError
from .factory import call_factory
from .given import given_inputs
from .inputs import Inputs


@dataclass
class Loaded:
    """A model, and what is known about it."""

    model: nn.Module
    config: Any = None
    inputs: Inputs | None = None  # if a factory returned them
    hints: dict[str, Any] = field(default_factory=dict)  # from a processor's settings
    name: str = ""  # as the user named it
    kind: str = ""  # hub, folder, config, factory or tiny


def load(
    source: str | Path | None = None,
    *,
    task: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> Loaded:
    """Loads the model that `source` names. `task` chooses the head, `dtype` the type of the weights.

    Weights are float32 by default ("auto": as they were saved). A factory's model keeps its type unless
    `dtype` is given. Raises ExportError X001 to X006.
    """
    chosen_dtype = weight_dtype(dtype) if dtype is not None and dtype != "auto" else None
    loaded = _load(source, task, dtype if dtype == "auto" else chosen_dtype, trust_remote_code)
    if chosen_dtype is not None:
        loaded.model.to(chosen_dtype)
        if loaded.inputs is not None:
            loaded.inputs.tensors = {
                name: t.to(chosen_dtype) if t.is_floating_point() else t
                for name, t in loaded.inputs.tensors.items()
            }
    loaded.model.eval()
    return loaded


def _load(
    source: str | Path | None, task: str | None, dtype: torch.dtype | str | None, trust: bool
) -> Loaded:
    from . import pretrained  # needs transformers, which a factory's model may not need

    if source is None:
        return Loaded(*pretrained.tiny(task), name="tiny", kind="tiny")
    name = str(source)
    path = Path(source).expanduser()
    if path.is_dir():
        model, config, hints = pretrained.from_folder(path, task, dtype, trust)
        return Loaded(model, config, hints=hints, name=name, kind="folder")
    if path.is_file():
        model, config = pretrained.from_config_file(path, task, trust)
        return Loaded(model, config, name=name, kind="config")
    if is_factory(name):
        return _from_factory(name)
    if not is_hub_id(name):
        raise ExportError(
            Code.UNKNOWN_MODEL,
            f"{name}: there is no such file or folder",
            "give a hub id, a folder, a config.json, or package.module:factory",
        )
    model, config, hints = pretrained.from_hub(name, task, dtype, trust)
    return Loaded(model, config, hints=hints, name=name, kind="hub")


def _from_factory(name: str) -> Loaded:
    made = call_factory(name)
    inputs: Any = None
    if isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], nn.Module):
        made, inputs = made
    if not isinstance(made, nn.Module):
        raise ExportError(
            Code.UNREADABLE_MODEL,
            f"{name} returns {_describe_type(made)}, not a module",
            "return a torch.nn.Module, or a module and its inputs",
        )
    given = given_inputs(made, inputs) if inputs is not None else None
    return Loaded(made, getattr(made, "config", None), given, name=name, kind="factory")


def _describe_type(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    return "None" if value is None else f"a {type(value).__name__}"
