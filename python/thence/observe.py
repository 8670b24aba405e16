"""Captures a live model in the state in which it is exported: no cache, no output.

What cannot be recorded is left out with a diagnostic, and the rest of the capture is made. Only a model that
fails by itself, without our hooks, is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from . import _core
from .capturing import Calls, ModuleMap, ModulePaths, Unsupported, capture
from .capturing.inputs import arguments
from .exporting import LOCK, Code, ExportError, preserved_state
from .exporting.errors import summarise_error
from .exporting.inputs import forward_failure
from .exporting.quiet import quiet
from .messages import to_stderr

# What a capture lacks without each part, for the diagnostic.
_MISSING_WITHOUT = {
    "calls": "how often and in which order modules run",
    "execution_trace": "the operations of a forward",
    "operations": "some operations of a forward",
    "module_map": "the call of each node",
    "fx_graph": "the graph of torch.export",
}


def capture_live_model(
    model: nn.Module,
    inputs: Any,
    *,
    needed: Sequence[str] = (),
    optional: Sequence[str] = (),
    scopes: ModuleMap | None = None,
    program: Any = None,
    calls: Calls | None = None,
    report: Callable[[str], None] | None = None,
    verbose: bool = False,
) -> dict[str, object]:
    """Records the hierarchy, and those of the sections `needed` and `optional` that can be recorded.

    The others are in `unrecorded`, by name with the reason, and `report` is called with a warning for each;
    by default it prints to standard error. Raises ExportError if a section is needed and the model itself is
    the reason: its forward fails, or torch.export cannot capture it.
    """
    with LOCK, preserved_state(model, getattr(model, "config", None)), quiet(verbose):
        recorder = _Recorder(model, inputs, bool(needed), report or to_stderr)
        wanted = dict.fromkeys((*needed, *optional))
        document = recorder.with_trace(calls) if "execution_trace" in wanted else None
        document = document or recorder.hierarchy(calls)
        sections: Any = document["sections"]
        for name in wanted:
            if name not in sections:
                sections |= recorder.section(name, name in needed, scopes, program)
        if recorder.unrecorded:
            document["unrecorded"] = recorder.unrecorded
        return document


def describe_live_model(model: nn.Module) -> dict[str, object]:
    """The modules, classes and parameters of a model, without running it."""
    with LOCK:
        return capture(
            model, None, sections=("hierarchy",), fingerprint=_core.fingerprint, version=_core.version
        )


class _Recorder:
    """Records part by part, and keeps a list of the parts that fail."""

    def __init__(self, model: nn.Module, inputs: Any, strict: bool, report: Callable[[str], None]) -> None:
        self.unrecorded: dict[str, str] = {}
        self._model = model
        self._inputs = inputs
        self._strict = strict  # a forward that fails by itself is an error
        self._report = report
        self._paths = ModulePaths(model)

    def with_trace(self, calls: Calls | None) -> dict[str, object] | None:
        """The hierarchy and the execution trace, of one forward. None if that fails: then each is recorded by
        itself, and reports what is wrong."""
        try:
            document = self._capture("hierarchy", "execution_trace", calls=calls)
        except Exception:
            return None
        unrecorded: Any = document.pop("unrecorded", {})
        for part, reason in unrecorded.items():
            self._report_unrecorded(part, reason)
        return document

    def hierarchy(self, calls: Calls | None) -> dict[str, object]:
        try:
            return self._capture("hierarchy", calls=calls)
        except Exception as error:
            if self._strict:
                self._check_forward()
            self._report_error("calls", error)
            return self._capture("hierarchy", inputs=None)

    def section(
        self, name: str, needed: bool, scopes: ModuleMap | None, program: Any
    ) -> dict[str, dict[str, object]]:
        try:
            document: Any = self._capture(name, scopes=scopes, program=program)
        except Exception as error:
            if needed:
                self._check_section(name, error)
            self._report_error(name, error)
            return {}
        for part, reason in document.get("unrecorded", {}).items():
            self._report_unrecorded(part, reason)
        return dict(document["sections"])

    def _capture(
        self,
        *sections: str,
        scopes: ModuleMap | None = None,
        program: Any = None,
        calls: Calls | None = None,
        inputs: Any = ...,
    ) -> dict[str, object]:
        return capture(
            self._model,
            self._inputs if inputs is ... else inputs,
            sections=sections,
            fingerprint=_core.fingerprint,
            module_map=scopes,
            program=program,
            calls=calls,
            version=_core.version,
            paths=self._paths,
        )

    def _check_section(self, name: str, error: Exception) -> None:
        """Raises if the model, and not our recording, is the reason why the section is missing."""
        kind, message = type(self._model).__name__, summarise_error(error)
        if isinstance(error, Unsupported):
            what, hint = f"{kind}: {message}", "use another strategy, or another version of torch"
        elif name == "fx_graph":
            what = f"{kind}: torch.export cannot capture the model's graph: {message}"
            hint = "use another strategy, such as auto or htp"
        else:
            self._check_forward()
            return
        raise ExportError(Code.EXPORTER, what, hint, summarise_error(error, 4000)) from error

    def _check_forward(self) -> None:
        """Runs forward without any hooks. Raises ExportError X011 if it fails."""
        try:
            given = arguments(self._inputs).copied()
            with torch.no_grad():
                self._model(*given.args, **given.kwargs)
        except Exception as error:
            raise forward_failure(self._model, error) from error

    def _report_error(self, part: str, error: Exception) -> None:
        self._report_unrecorded(part, summarise_error(error))

    def _report_unrecorded(self, part: str, reason: str) -> None:
        self.unrecorded[part] = reason
        self._report(unrecorded_warning(self._model, part, reason))


def unrecorded_warning(model: nn.Module, part: str, reason: str) -> str:
    """The diagnostic for a part that a capture lacks."""
    kind, missing = type(model).__name__, _MISSING_WITHOUT.get(part, part)
    return f"warning[{Code.UNRECORDED.value}]: {kind}: not recorded: {missing} ({reason})"
