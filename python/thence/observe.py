"""A capture of a live model in the state in which it is exported: no cache, nothing printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from . import _core
from .capture import Calls, ModuleMap, Unsupported, capture
from .export import LOCK, Code, ExportError, as_found
from .export.errors import words_of
from .export.quiet import quiet


def observed(
    model: nn.Module,
    inputs: Any,
    *,
    needed: Sequence[str] = (),
    welcome: Sequence[str] = (),
    scopes: ModuleMap | None = None,
    program: Any = None,
    calls: Calls | None = None,
    say: Callable[[str], None] | None = None,
    verbose: bool = False,
) -> dict[str, object]:
    """The hierarchy and the sections `needed`; of those `welcome`, the ones that can be made.

    A section that is welcome and cannot be made is told to `say`. Raises ExportError.
    """
    with LOCK, as_found(model, getattr(model, "config", None)), quiet(verbose):
        document = _captured(model, inputs, ("hierarchy",), calls=calls)
        sections: Any = document["sections"]
        for name in dict.fromkeys((*needed, *welcome)):
            try:
                part: Any = _captured(model, inputs, (name,), scopes, program)
            except ExportError as error:
                if name in needed:
                    raise
                if say is not None:
                    say(f"warning[{error.code.value}]: {error.what}; the capture goes without it")
            else:
                sections |= part["sections"]
        return document


def _captured(
    model: nn.Module,
    inputs: Any,
    sections: Sequence[str],
    scopes: ModuleMap | None = None,
    program: Any = None,
    calls: Calls | None = None,
) -> dict[str, object]:
    try:
        return capture(
            model,
            inputs,
            sections=sections,
            fingerprint=_core.fingerprint,
            module_map=scopes,
            program=program,
            calls=calls,
            version=_core.version,
        )
    except Exception as error:
        raise _in_words(model, sections[0], error) from error


def _in_words(model: nn.Module, section: str, error: Exception) -> ExportError:
    kind, words, all_words = type(model).__name__, words_of(error), words_of(error, 4000)
    if isinstance(error, Unsupported):
        return ExportError(
            Code.EXPORTER, f"{kind}: {words}", "use another strategy, or another version of torch", all_words
        )
    if section == "fx_graph":
        return ExportError(
            Code.EXPORTER,
            f"{kind}: torch.export cannot capture the model's graph: {words}",
            "use another strategy, such as auto or htp",
            all_words,
        )
    return ExportError(
        Code.FORWARD,
        f"{kind}.forward fails on the inputs: {words}",
        "correct the inputs (--input-spec FILE), or the model",
        all_words,
    )
