"""The modules of a saved model, on the meta device: classes and shapes, without memory for weights."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import torch

from ..exporting.errors import Code, ExportError
from ..exporting.lock import LOCK
from ..exporting.pretrained import import_transformers, model_class, unloadable
from .source import Source

# Other implementations of attention can be packages that are fetched from the hub and run.
_PLAIN_ATTENTION = (None, "eager", "sdpa")


def build(source: Source) -> torch.nn.Module:
    """The model of the class that the configuration names. Raises ExportError X002, X003 or X006."""
    transformers = import_transformers()
    try:
        config = transformers.AutoConfig.from_pretrained(
            source.config, trust_remote_code=False, local_files_only=True
        )
        kind = model_class(config, None)
        with LOCK, torch.device("meta"), _safe_creation():
            model: torch.nn.Module = _from_config(kind, config)
            model.tie_weights()  # type: ignore[operator]
    except MemoryError:
        raise
    except Exception as error:
        raise _explained(unloadable(source.name, error)) from error
    return model.eval()


def _from_config(kind: Any, config: Any) -> Any:
    options: dict[str, Any] = {}
    if getattr(config, "_attn_implementation", None) not in _PLAIN_ATTENTION:
        options["attn_implementation"] = "eager"
    if kind.__name__.startswith("Auto"):
        return kind.from_config(config, trust_remote_code=False, **options)
    return kind._from_config(config, **options)


def _safe_creation() -> Any:
    """Lets models compute numbers while they are built, as transformers does when it loads them."""
    with contextlib.suppress(ImportError, AttributeError):
        return importlib.import_module("transformers.initialization").meta_device_safe_creation_ops()
    return contextlib.nullcontext()


def _explained(error: ExportError) -> ExportError:
    if error.code != Code.REMOTE_CODE:
        return error
    name = error.what.partition(":")[0]
    what = f"{name}: needs Python code from its own repository, which is not run here"
    hint = "read that code, run thence capture --trust-remote-code, and give the file with --capture"
    return ExportError(Code.REMOTE_CODE, what, hint, error.details)
