"""Models that transformers loads: hub ids, folders, configurations, and the tiny model."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..hub import cache_folder
from .errors import Code, ExportError, summarise_error
from .lock import LOCK
from .tasks import auto_class

_PROCESSORS = ("preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json")


def tiny(task: str | None = None) -> tuple[nn.Module, Any]:
    """Two layers of a well-known encoder: it exports in seconds and shows all features."""
    transformers = import_transformers()
    config = transformers.BertConfig(
        hidden_size=32,
        intermediate_size=64,
        max_position_embeddings=64,
        num_attention_heads=2,
        num_hidden_layers=2,
        vocab_size=128,
    )
    return _from_config(config, task, False, "the tiny model"), config


def from_folder(
    folder: Path, task: str | None, dtype: torch.dtype | str | None, trust: bool
) -> tuple[nn.Module, Any, dict[str, Any]]:
    """Loads a folder that `save_pretrained` wrote."""
    if not (folder / "config.json").is_file():
        raise ExportError(
            Code.UNREADABLE_MODEL,
            f"{folder}: there is no config.json in it",
            "give a folder that save_pretrained wrote",
        )
    model, config = _from_pretrained(str(folder), task, dtype, trust)
    texts = [(folder / name).read_text() for name in _PROCESSORS if (folder / name).is_file()]
    return model, config, _hints(texts)


def from_hub(
    name: str, task: str | None, dtype: torch.dtype | str | None, trust: bool
) -> tuple[nn.Module, Any, dict[str, Any]]:
    """Loads a hub id, from the network or from the cache."""
    model, config = _from_pretrained(name, task, dtype, trust)
    return model, config, _hints(_cached_texts(name))


def from_config_file(path: Path, task: str | None, trust: bool) -> tuple[nn.Module, Any]:
    """Builds the model that a config.json describes, with random weights."""
    transformers = import_transformers()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ExportError(
            Code.UNREADABLE_MODEL, f"{path}: is not JSON: {summarise_error(error)}", "give a config.json"
        ) from error
    if not isinstance(data, dict) or not ("model_type" in data or "auto_map" in data):
        raise ExportError(
            Code.UNREADABLE_MODEL,
            f"{path}: names no model_type",
            "give the config.json of a transformers model",
        )
    try:
        config = transformers.AutoConfig.from_pretrained(path, trust_remote_code=trust)
    except Exception as error:
        raise unloadable(str(path), error) from error
    return _from_config(config, task, trust, str(path)), config


def _from_pretrained(
    name: str, task: str | None, dtype: torch.dtype | str | None, trust: bool
) -> tuple[nn.Module, Any]:
    transformers = import_transformers()
    try:
        config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=trust)
    except Exception as error:
        raise unloadable(name, error) from error
    wanted = torch.float32 if dtype is None else dtype
    kind = model_class(config, task)
    options = {"trust_remote_code": trust} if kind.__name__.startswith("Auto") else {}
    try:
        return _typed(kind, name, wanted, options), config
    except Exception as error:
        raise unloadable(name, error) from error


def _typed(kind: Any, name: str, dtype: torch.dtype | str, options: dict[str, Any]) -> nn.Module:
    """Calls `from_pretrained` with a dtype, whose keyword has another name in older releases."""
    try:
        model: nn.Module = kind.from_pretrained(name, dtype=dtype, **options)
    except TypeError as error:
        if "dtype" not in str(error):
            raise
        model = kind.from_pretrained(name, torch_dtype=dtype, **options)
    return model


def _from_config(config: Any, task: str | None, trust: bool, name: str) -> nn.Module:
    """Builds a model with random weights from a fixed seed, without changing torch's generator."""
    kind = model_class(config, task)
    try:
        with LOCK, torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            if kind.__name__.startswith("Auto"):
                model: nn.Module = kind.from_config(config, trust_remote_code=trust)
            else:
                model = kind(config)
            return model
    except Exception as error:
        raise unloadable(name, error) from error


def model_class(config: Any, task: str | None) -> Any:
    """The class of the model: that of the task, else the one that the configuration names."""
    transformers = import_transformers()
    if task is not None:
        return auto_class(task, config)
    for name in getattr(config, "architectures", None) or []:
        kind = getattr(transformers, name, None)
        if isinstance(kind, type) and issubclass(kind, nn.Module):
            return kind
    return transformers.AutoModel


def unloadable(name: str, error: Exception) -> ExportError:
    text = str(error)
    if "trust_remote_code" in text:
        return ExportError(
            Code.REMOTE_CODE,
            f"{name}: needs Python code from its own repository, which does not run unless you allow it",
            "read that code, then give --trust-remote-code",
            text,
        )
    if isinstance(error, OSError) and not Path(name).exists():
        return ExportError(
            Code.UNKNOWN_MODEL,
            f"{name}: is neither a local folder nor a model that can be reached on the hub",
            f"check the spelling and the network; offline, models come from {cache_folder()}; or give a "
            "folder or a config.json",
            text,
        )
    if isinstance(error, ImportError):
        return ExportError(
            Code.MISSING_PACKAGE,
            f"{name}: needs a package that is not installed: {summarise_error(error)}",
            "install it",
            text,
        )
    return ExportError(
        Code.UNREADABLE_MODEL,
        f"{name}: cannot be loaded: {summarise_error(error)}",
        "check that transformers supports this type of model and that its files are complete",
        text,
    )


def _cached_texts(name: str) -> list[str]:
    """A processor's settings, if the hub has them. They are optional."""
    cached_file: Any = importlib.import_module("transformers.utils").cached_file
    texts = []
    for file in _PROCESSORS:
        try:
            path = cached_file(name, file)
            texts.append(Path(path).read_text())
        except Exception:  # missing, or not reachable
            continue
    return texts


def _hints(texts: list[str]) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    for text in texts:
        try:
            settings = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(settings, dict):
            continue
        for part in (settings, settings.get("image_processor"), settings.get("feature_extractor")):
            if isinstance(part, dict):
                size = part.get("crop_size") or part.get("size")
                if size is not None:
                    hints.setdefault("image_size", size)
    return hints


def import_transformers() -> Any:
    try:
        import transformers
    except ImportError as error:
        raise ExportError(
            Code.MISSING_PACKAGE,
            "the package transformers is not installed",
            "install transformers, or name a factory: package.module:factory",
        ) from error
    return transformers
