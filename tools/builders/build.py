"""Runs the tools on the saved models. Each function runs in a separate process (tools/corpus/isolated.py)."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import imported, older
from .folders import Line, line_of

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / ".venv-builders"

# By tool and variant. genai: precision, execution provider and further options; `imported` is how the saved model
# is quantised before (imported.py). mobius: arguments. optimiser:
# the level of onnxruntime before it, and whether it converts to float16. optimum: its level of optimisation,
# and whether only merged decoders are kept, or all files but them.
VARIANTS: dict[str, dict[str, Any]] = {
    "genai": {
        "fp32": ("fp32", "cpu", {}),
        "fp16": ("fp16", "cuda", {}),
        "int4": ("int4", "cpu", {}),
        "int4-rtn": ("int4", "cpu", {"algo_config": "rtn"}),
        "int4-k_quant": ("int4", "cpu", {"algo_config": "k_quant"}),
        "int8": ("int8", "cpu", {}),
        "int4-cuda": ("int4", "cuda", {}),
        "int4-gptq": ("int4", "cpu", {"imported": "gptq"}),
        "int4-awq": ("int4", "cpu", {"imported": "awq"}),
    },
    "mobius": {
        "fp32": (),
        "fp16": ("--dtype", "f16"),
        "cpu": ("--ep", "cpu"),
    },
    "optimiser": {"fp32": {"level": 1, "half": False}, "fp16": {"level": 1, "half": True}},
    "optimum": {
        "exported": {"level": None, "merged": False},
        "merged": {"level": None, "merged": True},
        **{level: {"level": level, "merged": False} for level in ("O1", "O2", "O3", "O4")},
    },
}
PLAIN = {"optimum": "exported"}  # the variant that has the weights of the checkpoint, if it is not fp32


def variants_of(line: Line, tool: str) -> list[str]:
    """Models without a cache have no decoders to merge."""
    has_past = "-with-past" in line.tools[tool].get("task", "")
    return [name for name in VARIANTS[tool] if name != "merged" or has_past]


def enable() -> None:
    """Puts the tools on the path, in front."""
    if not INSTALLED.is_dir():
        raise FileNotFoundError(f"{INSTALLED.name} is missing: run 'tools/setup builders'")
    if str(INSTALLED) not in sys.path:
        sys.path.insert(0, str(INSTALLED))


def build(tool: str, name: str, variant: str, folder: Path, out: Path) -> str:
    """Makes the files of one variant: `out` exists only if the tool succeeded."""
    if not older.is_inside():
        enable()
    part = out.with_name(f"{out.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    _TOOLS[tool](name, VARIANTS[tool][variant], folder, part)
    if not any(part.rglob("*.onnx")):
        raise RuntimeError("no file was written")
    shutil.rmtree(out, ignore_errors=True)
    part.rename(out)
    return ""


def _genai(name: str, variant: tuple[str, str, dict[str, Any]], folder: Path, out: Path) -> None:
    precision, provider, options = variant
    options = {**options, **line_of(name).tools["genai"]}
    with tempfile.TemporaryDirectory() as quantised:
        if method := options.pop("imported", None):
            folder, source = Path(quantised) / name, folder
            imported.quantise_folder(source, folder, method)
        _run_genai(folder, precision, provider, options, out)


def _run_genai(folder: Path, precision: str, provider: str, options: dict[str, Any], out: Path) -> None:
    builder = importlib.import_module("onnxruntime_genai.models.builder")
    pairs = [f"{key}={value}" for key, value in options.items()]
    cache = out / "cache"
    given = ("", str(folder), str(out), precision, provider, str(cache))
    builder.create_model(*given, **builder.parse_extra_options(*given, pairs))
    shutil.rmtree(cache, ignore_errors=True)


def _mobius(name: str, variant: tuple[str, ...], folder: Path, out: Path) -> None:
    options = [f"--{key}={value}" for key, value in line_of(name).tools["mobius"].items()]
    sys.argv = ["mobius", "build", "--config", str(folder), *variant, *options, str(out)]
    os.chdir(out)  # it writes beside where it runs, too
    importlib.import_module("mobius.__main__").main()


def _optimiser(name: str, variant: dict[str, Any], folder: Path, out: Path) -> None:
    importlib.import_module("tools.builders.optimiser").optimise(name, variant, out)


def _optimum(name: str, variant: dict[str, Any], folder: Path, out: Path) -> None:
    importlib.import_module("tools.builders.optimum").export(name, variant, folder, out)


_TOOLS: dict[str, Callable[..., None]] = {
    "genai": _genai,
    "mobius": _mobius,
    "optimiser": _optimiser,
    "optimum": _optimum,
}
