"""`report`: the page of `thence view` as one HTML document. Notebooks show it in a frame without a server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from .errors import USAGE, Error, in_python_terms
from .given import AnyModel, AnyPath, MapOptions, Metadata, SavedModel, capture_file, model_bytes
from .program import find_program

_HEIGHT = 640  # pixels of the frame in a notebook
_ERROR = re.compile(
    r"^error\[(?P<code>\w+)\]: (?P<text>.*?)(?:\n  help: (?P<hint>.*))?$", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Report:
    """The view of a model as one HTML document. A notebook shows it in a frame that has no access to the page
    around it, to other files, or to a network."""

    html: str = field(repr=False)
    height: int = _HEIGHT

    def save(self, path: AnyPath) -> Path:
        """Writes the document, which any browser opens from disk."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #8884"
        frame = f'<iframe sandbox="allow-scripts allow-downloads" style="{style}"'
        return f'{frame} srcdoc="{escape(self.html)}"></iframe>'


@dataclass(frozen=True)
class Shown:
    """What an answer was made from, to show it again: the model, and the files shown with it."""

    model: AnyModel
    options: MapOptions = field(default_factory=MapOptions)
    ancestor: AnyModel | None = None
    diff: AnyModel | None = None
    profile: AnyPath | Mapping[str, Any] | None = None
    drift: AnyPath | Mapping[str, Any] | None = None
    metadata_b: Metadata | None = None  # the capture of `diff`

    def view(self, height: int = _HEIGHT) -> Report:
        """The report."""
        return Report(self.html(), height)

    def html(self, depth: int | None = None) -> str:
        """The document, made by the native program."""
        with (
            tempfile.TemporaryDirectory(prefix="thence.") as name,
            capture_file(self.options.metadata) as capture,
            capture_file(self.metadata_b) as capture_b,
        ):
            folder = Path(name)
            arguments = ["report", _model_file(self.model, folder / "model.onnx"), "--quiet", "--output", "-"]
            for option, model in (("--ancestor", self.ancestor), ("--diff", self.diff)):
                if model is not None:
                    arguments += [option, _model_file(model, folder / f"{option[2:]}.onnx")]
            for option, document in (("--profile", self.profile), ("--drift", self.drift)):
                if document is not None:
                    arguments += [option, _document_file(document, folder / f"{option[2:]}.json")]
            for option, path in (("--capture", capture), ("--capture-b", capture_b)):
                if path:
                    arguments += [option, path]
            if isinstance(self.options.metadata, SavedModel):
                arguments += ["--model", os.fspath(self.options.metadata.path)]
            if depth is not None:
                arguments += ["--depth", str(depth)]
            return _run(arguments + _flags(self.options))


@dataclass(frozen=True)
class NotShown:
    """Why an answer cannot be shown again."""

    reason: str

    def view(self, height: int = _HEIGHT) -> Report:
        """Raises Error."""
        raise Error(USAGE, "V008", self.reason, "use thence.report(model)")


def report(
    model: AnyModel,
    metadata: Metadata | None = None,
    metadata_b: Metadata | None = None,
    *,
    ancestor: AnyModel | None = None,
    diff: AnyModel | None = None,
    profile: AnyPath | None = None,
    drift: AnyPath | None = None,
    depth: int | None = None,
    strategy: str = "auto",
    rules: AnyPath | None = None,
    granularity: str | None = None,
    ignore_tags: bool = False,
) -> Report:
    """The view of a model as one HTML document, as `thence report` writes it. A notebook shows it.

    `ancestor` and `diff` are models to show beside it; `profile` and `drift` are files to show with it.
    `metadata` is the capture of the model, or of its ancestor; `metadata_b` that of `diff`.

    >>> report("examples/tiny.onnx").html.startswith("<!doctype html>")
    True
    """
    options = MapOptions(metadata, strategy, rules=rules, granularity=granularity, ignore_tags=ignore_tags)
    return Report(Shown(model, options, ancestor, diff, profile, drift, metadata_b).html(depth))


def show_again(shown: Shown | NotShown | None, what: str, height: int) -> Report:
    """The report of an answer; raises Error if the answer was read from a file, without its model."""
    return (shown or NotShown(f"this {what} does not have its model")).view(height)


def _flags(options: MapOptions) -> list[str]:
    flags = ["--strategy", options.strategy, "--tag-format", options.tag_format]
    flags += ["--rules", os.fspath(options.rules)] if options.rules is not None else ["--no-rules"]
    if options.granularity:
        flags += ["--granularity", options.granularity]
    if options.torch_nn_exceptions is not None:
        flags += ["--torch-nn-exceptions", ",".join(options.torch_nn_exceptions)]
    if options.ignore_tags:
        flags.append("--ignore-tags")
    return flags


def _model_file(model: AnyModel, path: Path) -> str:
    """The path of a model; one in memory is written to `path`."""
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    path.write_bytes(model_bytes(model))
    return str(path)


def _document_file(document: AnyPath | Mapping[str, Any], path: Path) -> str:
    if not isinstance(document, Mapping):
        return os.fspath(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def _run(arguments: list[str]) -> str:
    program = find_program()
    if program is None:
        raise Error(
            USAGE, "U008", "the native program of thence is not installed", "install the package again"
        )
    result = subprocess.run([str(program), *arguments], capture_output=True, text=True, encoding="utf-8")
    if result.returncode == 0:
        return result.stdout
    found = _ERROR.search(result.stderr)
    if found is None:
        raise Error(result.returncode, "V008", f"the report was not made: {result.stderr.strip()[-500:]}")
    hint = in_python_terms(found["hint"] or "")
    raise Error(result.returncode, found["code"], in_python_terms(found["text"]), hint)
