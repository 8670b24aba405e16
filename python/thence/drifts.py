"""Where the numbers of two models part, by module, as `thence drift` prints it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from . import _core
from .drifting import DriftRequest, Found, find_drift, is_live
from .errors import translate_errors
from .given import AnyModel, AnyPath, Metadata, Output, check_choice, model_bytes
from .row_sequence import RowSequence

if TYPE_CHECKING:
    from torch import nn

# An ONNX model, or a PyTorch model: an object, a folder, or "package.module:factory".
Reference: TypeAlias = Union[AnyModel, "nn.Module"]
BY = ("module", "layer", "class", "role")


@dataclass(frozen=True)
class DriftRow:
    """A module, or a group of modules, with the error of its outputs. `key` is the path of the module, or the
    layer, class or role. The other fields are those of schema/drift.schema.json; infinite numbers are "inf"
    and "-inf", and None was not compared."""

    key: str | None
    outputs: int
    sqnr_db: float | str | None
    cosine: float | None
    max_error: float | str | None
    relative_error: float | str | None
    received: float | str | None
    added: float | str | None
    nan: bool
    inf: bool
    over: bool
    modules: int = 1
    class_name: str | None = None
    layer: str | None = None
    role: str | None = None
    depth: int | None = None
    reason: str | None = None  # why nothing was compared


@dataclass(frozen=True)
class DriftPlace:
    """A tensor, the reference's tensor, and the module that computes it."""

    path: str | None
    value: str
    reference_value: str
    kind: str  # "threshold", "nan" or "inf"


class Drift(RowSequence[DriftRow]):
    """The rows of a comparison (schema/drift.schema.json): modules in the order of the tree, or groups."""

    _html_columns = ("key", "class_name", "sqnr_db", "cosine", "relative_error", "received", "added", "over")

    def __init__(self, found: Found) -> None:
        document = found.document
        rows = document["modules"] if document["by"] == "module" else document["groups"]
        super().__init__(document, [_read_row(row) for row in rows])
        self._found = found

    def __repr__(self) -> str:
        first = None if self.first is None else self.first.path
        return f"<Drift: {len(self)} rows, outputs {self.total['sqnr_db']} dB, first over {first!r}>"

    @property
    def first(self) -> DriftPlace | None:
        """The first tensor over the threshold, with its module."""
        first = self._document["first"]
        return None if first is None else _place({**first, "kind": "threshold"})

    @property
    def findings(self) -> list[DriftPlace]:
        """The first tensors in which the model has NaN or infinity and the reference has not."""
        return [_place(found) for found in self._document["findings"]]

    @property
    def total(self) -> dict[str, Any]:
        """The errors of the model's outputs, and how many tensors were compared."""
        return dict(self._document["total"])

    @property
    def timings(self) -> dict[str, float]:
        """Seconds: `sessions` (creating them), `runs`, `comparing`, and `alone` (modules run alone)."""
        return self._found.timings

    def of(self, key: str) -> DriftRow | None:
        """The row of a module or a group."""
        return next((row for row in self._rows if row.key == key), None)

    def nodes_to_exclude(self, budget: float | str) -> list[str]:
        """Nodes to exclude from quantisation, for `nodes_to_exclude` of onnxruntime: those of the modules
        whose quantisation costs the most. `budget` is the share of weight bytes to keep in float."""
        from .drifting.keep import excluded_names, parse_budget, propose

        return excluded_names(propose(self._found, parse_budget(str(budget))))


def drift(
    reference: Reference,
    model: AnyModel,
    metadata: Metadata | Any = None,
    *,
    inputs: Any = None,
    by: str = "module",
    threshold_db: float | None = None,
    isolate: bool = True,
    strategy: str = "auto",
    trust_remote_code: bool = False,
) -> Drift:
    """Where the numbers of a model part from those of its reference, as `thence drift` prints it.

    `reference` is the model that the other one was made from, or a PyTorch model: an `nn.Module`, a folder,
    or "package.module:factory". `metadata` is its capture. `inputs` are arrays by name or an .npz file, and
    for a PyTorch model also what `export` takes; they may be the third argument instead of a capture.
    Without them, inputs are generated. A tensor is over the threshold if its SQNR is below `threshold_db`, by
    default as suits the precision of the model. Without `isolate`, modules are not run alone, and `added` is
    None.
    """
    check_choice("by", by, BY)
    live: Any = reference if is_module(reference) else None
    _check_types(reference, model, live is not None)
    if is_inputs(metadata):
        if inputs is not None:
            raise TypeError("inputs are given twice: as the third argument, and by name")
        metadata, inputs = None, metadata
    takes_any = live is not None or (isinstance(reference, (str, os.PathLike)) and is_live(str(reference)))
    is_file = isinstance(inputs, (str, os.PathLike))
    with (
        _file_of(reference if live is None else type(live).__name__) as first,
        _file_of(model) as second,
        _npz_of(None if takes_any and not is_file else inputs) as arrays,
        translate_errors(),
    ):
        return Drift(
            find_drift(
                DriftRequest(
                    reference=first,
                    model=second,
                    inputs=arrays,
                    metadata=metadata,
                    strategy=strategy,
                    by=by,
                    threshold_db=threshold_db,
                    isolate=isolate,
                    trust_remote_code=trust_remote_code,
                    live=live,
                    live_inputs=None if is_file else inputs,
                )
            )
        )


def is_module(value: Any) -> bool:
    """Whether a value is a PyTorch model; torch is imported only if something else has done so."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_inputs(value: Any) -> bool:
    """Whether the third argument is inputs: a capture is a path or an object with sections.

    >>> is_inputs("model.capture.json"), is_inputs("inputs.npz"), is_inputs({"x": [1.0]}), is_inputs(None)
    (False, True, True, False)
    """
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value).endswith(".npz")
    return value is not None and not (isinstance(value, Mapping) and "sections" in value)


def _check_types(reference: Any, model: Any, is_live: bool) -> None:
    """Raises TypeError, with what to give instead."""
    if is_module(model):
        raise TypeError("the second model is a PyTorch model: give it first, and the ONNX model second")
    for value, place in ((reference, "the reference"), (model, "the model")):
        is_known = isinstance(value, (str, os.PathLike, bytes)) or hasattr(value, "SerializeToString")
        if not is_known and not (is_live and value is reference):
            kinds = "a path, bytes or an onnx.ModelProto"
            kinds += ", or a PyTorch model" if value is reference else ""
            raise TypeError(f"{place} is {kinds}, not {type(value).__name__}")


def run_command(request: Mapping[str, Any]) -> tuple[str | None, str]:
    """Runs `thence drift`: the text for standard output, or None if it went to a file, and the summary."""
    from .drifting.formats import choose_rows, csv_text, model_explorer, summary, table
    from .drifting.keep import excluded_names, parse_budget, propose

    names_nodes = request.get("as") is not None
    budget = parse_budget(request["budget"]) if names_nodes else 0.0
    target = Output.of(
        request.get("output"), request.get("capture"), None, request["reference"], request["model"]
    )
    found = find_drift(
        DriftRequest(
            reference=request["reference"],
            model=request["model"],
            inputs=request.get("inputs"),
            metadata=request.get("capture"),
            strategy=request.get("strategy", "auto"),
            by=request.get("by", "module"),
            threshold_db=request.get("threshold"),
            isolate=not request.get("no_isolate") and not names_nodes,
            trust_remote_code=bool(request.get("trust_remote_code")),
            quiet=bool(request.get("quiet")),
        )
    )
    document, style = found.document, request.get("format", "table")
    rows = choose_rows(document, request.get("depth"), int(request.get("top", 0)))
    words = summary(document)
    if names_nodes:
        kept = propose(found, budget)
        text = json.dumps(excluded_names(kept), indent=1) + "\n"
        words = f"{len(kept)} modules: " + ", ".join(each.path or "(root)" for each in kept)
    elif style == "json":
        text = json.dumps(document, indent=1) + "\n"
    elif style in ("csv", "csv-raw"):
        text = csv_text(document, rows, escape=style == "csv")
    elif style == "model-explorer":
        text = model_explorer(_by_node(found))
    else:
        is_tree = not request.get("top")
        text = table(document, rows, is_tree=is_tree, width=int(request.get("width", 0)))
    if target.path is None:
        return text, words
    with translate_errors():
        _core.write_file(target.text, text.encode())
    return None, words


def _by_node(found: Found) -> dict[int, float]:
    """The SQNR of the tensor that each node of the model writes."""
    producer = found.measurement.model.model.producer
    return {
        producer[each.ours]: each.difference.sqnr
        for each in found.measurement.found.values()
        if each.difference.sqnr is not None
    }


@contextmanager
def _file_of(model: Any) -> Iterator[str]:
    """The path of a model; one in memory is in a file as long as this lasts."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    with tempfile.TemporaryDirectory(prefix="thence.") as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(model_bytes(model))
        yield str(path)


@contextmanager
def _npz_of(inputs: AnyPath | Mapping[str, Any] | None) -> Iterator[str | None]:
    if inputs is not None and not isinstance(inputs, (str, os.PathLike, Mapping)):
        kind = type(inputs).__name__
        raise TypeError(
            f"inputs of an ONNX model are arrays by name, or the path of an .npz file, not {kind}"
        )
    if not isinstance(inputs, Mapping):
        yield None if inputs is None else os.fspath(inputs)
        return
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="thence.") as folder:
        path = Path(folder) / "inputs.npz"
        np.savez(path, **inputs)
        yield str(path)


def _read_row(row: Mapping[str, Any]) -> DriftRow:
    fields = {key: value for key, value in row.items() if key not in ("path", "class", "key")}
    return DriftRow(key=row.get("path", row.get("key")), class_name=row.get("class"), **fields)


def _place(found: Mapping[str, Any]) -> DriftPlace:
    return DriftPlace(found["path"], found["value"], found["reference_value"], found["kind"])
