"""Makes the installed libraries importable, without changing .venv."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-libraries"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def enable_libraries() -> None:
    """Puts the folder of the libraries on the path, after .venv, and imports torchvision."""
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"{FOLDER.name} is missing: run 'tools/setup libraries'")
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    with _without_fake_operators("torchvision"):
        importlib.import_module("torchvision")


@contextmanager
def _without_fake_operators(namespace: str) -> Iterator[None]:
    """Ignores registrations of fake operators in a namespace.

    The operators of torchvision's wheel need CUDA libraries and do not load, so registering fake
    implementations of them would raise an error. Most of its models do not use them.
    """
    original: Callable[..., Callable[..., Any]] = torch.library.register_fake

    def register(name: Any, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        if isinstance(name, str) and name.startswith(f"{namespace}::"):
            return lambda function: function
        return original(name, *args, **kwargs)

    torch.library.register_fake = register
    try:
        yield
    finally:
        torch.library.register_fake = original


def installed_versions() -> dict[str, str]:
    """The versions of torch and of all required packages."""
    names = [re.split(r"[=\s]", line)[0] for line in REQUIREMENTS.read_text().splitlines()]
    found = {dist.name.lower().replace("_", "-"): dist.version for dist in _distributions()}
    return {"torch": torch.__version__} | {name: found[name] for name in names if name in found}


def _distributions() -> Iterator[importlib.metadata.Distribution]:
    yield from importlib.metadata.distributions(path=[str(FOLDER)])
