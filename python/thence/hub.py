"""Decides whether a hub id can be loaded, before torch and transformers are imported.

Without a network, the client of the hub repeats its requests for minutes. So one short request is made first:
if nothing answers, the model is loaded from the cache alone, or the command ends at once.
"""

from __future__ import annotations

import os
import re
import threading
import urllib.error
import urllib.request
from pathlib import Path

from .errors import BAD_INPUT, Error

_FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_DEFAULT_HUB = "https://huggingface.co"
_SECONDS = 2.0  # to wait for an answer: with the start of Python, an error takes less than 3


def is_factory(name: str) -> bool:
    """Whether this is package.module:factory."""
    return bool(_FACTORY.fullmatch(name))


def is_hub_id(name: str) -> bool:
    """Whether this names a model of the hub, and not a path or a factory.

    >>> [is_hub_id(name) for name in ("some-user/some-model", "./some-model", "model.onnx", "nets:make")]
    [True, False, False, False]
    """
    return (
        bool(_HUB_ID.fullmatch(name)) and not name.startswith(".") and not name.endswith((".json", ".onnx"))
    )


def cache_folder() -> Path:
    """The folder in which the client of the hub keeps models."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if folder := os.environ.get(variable):
            return Path(folder).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{caches}/huggingface"
    return Path(home).expanduser() / "hub"


def prepare_to_load(source: str | None, *, offline: bool = False) -> None:
    """Checks that a hub id is in the cache or can be fetched; sources of other kinds need no check.

    If only the cache can be used, it sets HF_HUB_OFFLINE. Call it before huggingface_hub is imported,
    which reads that once.
    """
    if offline:
        os.environ["HF_HUB_OFFLINE"] = "1"
    if source is None or Path(source).expanduser().exists() or not is_hub_id(source):
        return
    if _is_offline():
        failure = ""
    else:
        failure = _connection_failure()
        if not failure:
            return
        os.environ["HF_HUB_OFFLINE"] = "1"
    if not _is_cached(source):
        raise _not_found(source, failure)


def _is_offline() -> bool:
    words = (os.environ.get(name, "") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(word.upper() in ("1", "ON", "YES", "TRUE") for word in words)


def _is_cached(name: str) -> bool:
    snapshots = cache_folder() / f"models--{name.replace('/', '--')}" / "snapshots"
    try:
        return any(snapshots.iterdir())
    except OSError:
        return False


def _not_found(name: str, failure: str) -> Error:
    what = f"{name}: is neither a local folder nor in the cache {cache_folder()}"
    if not failure:
        hint = "without --offline (HF_HUB_OFFLINE), the hub is asked; or give a folder or a config.json"
        return Error(BAD_INPUT, "X001", what, hint)
    hint = "check the network; --offline uses the cache alone; or give a folder or a config.json"
    return Error(BAD_INPUT, "X001", f"{what}, and {_hub()} cannot be reached: {failure}", hint)


def _hub() -> str:
    return (os.environ.get("HF_ENDPOINT") or _DEFAULT_HUB).rstrip("/")


def _connection_failure() -> str:
    """Why the hub does not answer; empty if it does. The name server may be slow, too, hence the thread."""
    failure = [f"no answer within {_SECONDS:.0f} seconds"]
    thread = threading.Thread(target=lambda: failure.append(_request_failure()), daemon=True)
    thread.start()
    thread.join(_SECONDS)
    return failure[-1]


def _request_failure() -> str:
    request = urllib.request.Request(_hub(), method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS):
            return ""
    except urllib.error.HTTPError:
        return ""  # it answers, if only to refuse this request
    except urllib.error.URLError as error:
        if "SSL" in type(error.reason).__name__:
            return ""  # the client of the hub may have other certificates
        return str(getattr(error.reason, "strerror", None) or error.reason)
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__
