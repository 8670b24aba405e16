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

from . import _core
from .errors import USAGE, Error, in_python_terms, translate_errors
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
        """Writes the document, which any browser opens from disk. Raises Error; the old file is then
        unchanged."""
        target = Path(path)
        with translate_errors():
            _core.write_file(str(target), self.html.encode())
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
            options: dict[str, str | None] = {"capture": capture, "capture-b": capture_b}
            for name, model in (("ancestor", self.ancestor), ("diff", self.diff)):
                options[name] = None if model is None else _model_file(model, folder / f"{name}.onnx")
            for name, document in (("profile", self.profile), ("drift", self.drift)):
                options[name] = (
                    None if document is None else _document_file(document, folder / f"{name}.json")
                )
            if isinstance(self.options.metadata, SavedModel):
                options["model"] = os.fspath(self.options.metadata.path)
            if depth is not None:
                options["depth"] = str(depth)
            return _run(
                "report",
                [*_flags(options | _map_options(self.options)), *_switches(self.options)],
                _model_file(self.model, folder / "model.onnx"),
            )


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


def _map_options(options: MapOptions) -> dict[str, str | None]:
    exceptions = options.torch_nn_exceptions
    return {
        "strategy": options.strategy,
        "tag-format": options.tag_format,
        "rules": None if options.rules is None else os.fspath(options.rules),
        "granularity": options.granularity,
        "torch-nn-exceptions": None if exceptions is None else ",".join(exceptions),
    }


def _flags(options: Mapping[str, str | None]) -> list[str]:
    """As one word each: a value that begins with - is no flag."""
    return [f"--{name}={value}" for name, value in options.items() if value]


def _switches(options: MapOptions) -> list[str]:
    no_rules = ["--no-rules"] if options.rules is None else []
    return [*no_rules, *(["--ignore-tags"] if options.ignore_tags else [])]


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


def _run(command: str, flags: list[str], model: str) -> str:
    program = find_program()
    if program is None:
        raise Error(
            USAGE, "U008", "the native program of thence is not installed", "install the package again"
        )
    # After --, nothing is a flag: a model may be called --help.
    words = [str(program), command, "--quiet", "--output=-", *flags, "--", model]
    result = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    if result.returncode == 0:
        return result.stdout
    found = _ERROR.search(result.stderr)
    if found is None:
        raise Error(result.returncode, "V008", f"the report was not made: {result.stderr.strip()[-500:]}")
    hint = in_python_terms(found["hint"] or "")
    raise Error(result.returncode, found["code"], in_python_terms(found["text"]), hint)
