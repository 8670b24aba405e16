"""Exports the parts of a model as separate files with one capture: `thence export --split`.

All files are made in a temporary folder inside the output folder, and then moved to their places together: if
one part fails, or one move, the output folder is as it was.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from torch import nn

from .capturing import write
from .deferred_signals import deferred_signals
from .errors import translate_errors
from .exporting import ChosenInputs, Code, ExportError, Inputs, Progress
from .exporting.place import cannot_write
from .observe import capture_live_model
from .pipeline import PipelineOptions, run
from .strategies import needs_of
from .summary import Summary

CAPTURE = "model.capture.json"


def run_split(
    model: nn.Module,
    parts: Mapping[str, ChosenInputs],
    whole: Inputs,
    folder: Path,
    options: PipelineOptions,
    progress: Progress,
) -> list[Summary]:
    """Exports each part to `<name>.onnx` in the folder; the capture is that of a forward on `whole`.

    Raises `Error`; the folder is then unchanged.
    """
    with translate_errors(), ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            temporary = Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix=".split.", suffix=".part", dir=folder))
            )
        except OSError as error:
            raise cannot_write(folder, error) from error
        summaries = []
        for name, chosen in parts.items():
            part = replace(options, static_inputs=chosen.static_inputs)
            target = temporary / name / f"{name}.onnx"
            with translate_errors(str(target), str(folder / target.name)):
                made = run(model, chosen.inputs, target, part, progress).summary
            made.capture.unlink()  # it describes one part
            summaries.append(made)
        capture = temporary / CAPTURE
        with progress.stage("capture"):
            _write_capture(model, whole, capture, options, progress)
        files = [path for made in summaries for path in made.files if path != made.capture]
        with deferred_signals():
            replaced = _move_together([*files, capture], folder, temporary / "replaced")
        return [_in_place(made, folder, replaced) for made in summaries]


def _write_capture(
    model: nn.Module, inputs: Inputs, path: Path, options: PipelineOptions, progress: Progress
) -> None:
    """Captures the whole model, without the sections that describe one exported graph."""
    document = capture_live_model(
        model,
        inputs.arguments,
        optional=[name for name in needs_of(options.strategy).sections if name == "execution_trace"],
        report=progress.print_line,
        verbose=options.verbose,
    )
    try:
        write(document, path)
    except OSError as error:
        raise cannot_write(path, error) from error


def _move_together(files: Sequence[Path], folder: Path, replaced: Path) -> set[str]:
    """Moves all files into the folder, or none. Returns the names of the files that were there before."""
    undo: list[tuple[Path, Path]] = []
    names: set[str] = set()
    try:
        replaced.mkdir()
        for path in files:
            target = folder / path.name
            if target.is_dir():
                raise ExportError(Code.OUTPUT, f"{target}: is a folder", "give another output folder")
            if target.exists():
                _rename(target, replaced / path.name, undo)
                names.add(path.name)
            _rename(path, target, undo)
    except BaseException as error:
        for old, new in reversed(undo):
            os.replace(new, old)
        if isinstance(error, OSError):
            raise cannot_write(folder, error) from error
        raise
    return names


def _rename(old: Path, new: Path, undo: list[tuple[Path, Path]]) -> None:
    os.replace(old, new)
    undo.append((old, new))


def _in_place(made: Summary, folder: Path, replaced: set[str]) -> Summary:
    files = tuple(folder / path.name for path in made.files if path != made.capture)
    capture = folder / CAPTURE
    return replace(
        made,
        path=folder / made.path.name,
        capture=capture,
        files=(*files, capture),
        replaced=made.path.name in replaced,
    )
