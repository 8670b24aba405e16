"""`find_drift`: the steps of a comparison, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BAD_INPUT, Error
from ..given import MapOptions, Metadata
from ..npz import read_npz
from ..progress import Progress
from ..verify.numbers import Feed
from .thresholds import THRESHOLD_DB

SCHEMA = "thence.drift/1"


@dataclass(frozen=True)
class DriftRequest:
    """What is compared, and how. `reference` is a file, a folder, or package.module:factory; or the name of
    the class of `live`, a PyTorch model, whose inputs are `live_inputs` in any form that forward takes."""

    reference: str
    model: str
    inputs: str | None = None
    metadata: Metadata | None = None
    strategy: str = "auto"
    by: str = "module"
    threshold_db: float | None = None
    isolate: bool = True  # also run each module alone
    trust_remote_code: bool = False
    quiet: bool = True
    live: Any = None
    live_inputs: Any = None


@dataclass
class Found:
    """The document, and what further steps need."""

    document: dict[str, Any]
    matched: Any
    measurement: Any
    progress: Progress = field(default_factory=lambda: Progress(quiet=True))

    @property
    def timings(self) -> dict[str, float]:
        return dict(vars(self.measurement.timings))


def find_drift(request: DriftRequest) -> Found:
    """Compares two models. Raises Error D001 if they are unrelated, and K008 if one cannot be run."""
    _require_packages()
    from .alone import Alone
    from .measured import Measurement
    from .quantised import precision
    from .rows import Rows
    from .sides import OnnxSide, Timings

    progress, timings = Progress(quiet=request.quiet), Timings()
    model = OnnxSide(_load(request.model), timings)
    reference, model, matched, inputs = _open_reference(request, model)
    coarsest = precision(model.model)
    threshold = THRESHOLD_DB[coarsest] if request.threshold_db is None else request.threshold_db
    measurement = Measurement(reference, model, matched.pairs, inputs, timings, progress, threshold)
    compared = measurement.run()
    alone = Alone(matched, measurement, progress)
    added = alone.differences([*matched.modules]) if request.isolate else {}
    rows = Rows(matched, compared, added, threshold)
    modules = rows.modules()
    document = {
        "schema": SCHEMA,
        "reference": request.reference,
        "model": request.model,
        "inputs": request.inputs,
        "precision": coarsest,
        "threshold_db": threshold,
        "by": request.by,
        "first": rows.first(),
        "findings": rows.findings(),
        "total": rows.total(),
        "modules": modules,
        "groups": [] if request.by == "module" else rows.groups(request.by, modules),
    }
    return Found(document, matched, measurement, progress)


def _require_packages() -> None:
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        text = f"drift needs the packages onnx and onnxruntime: {error}"
        raise Error(BAD_INPUT, "X006", text, "install them: pip install onnx onnxruntime") from error


def _load(path: str) -> Any:
    from .graph_parts import Model

    return Model(Path(path))


def _open_reference(request: DriftRequest, model: Any) -> tuple[Any, Any, Any, Iterator[Feed]]:
    """The reference, the model, their pairs, and inputs."""
    if request.live is not None or is_live(request.reference):
        from .live_reference import open_live_reference

        return open_live_reference(request, model)
    from .matched import match_models
    from .sides import OnnxSide

    options = MapOptions(request.metadata, request.strategy)
    reference = OnnxSide(_load(request.reference), model.timings)
    matched = match_models(reference.model, model.model, options)
    feeds = None if request.inputs is None else read_npz(Path(request.inputs))
    generated = _generate(reference, model) if feeds is None else iter([feeds])
    return reference, model, matched, generated


def is_live(reference: str) -> bool:
    """Whether a reference is a PyTorch model: a folder, or package.module:factory."""
    path = Path(reference)
    return path.is_dir() or (not path.exists() and ":" in reference and not reference.endswith(".onnx"))


def _generate(reference: Any, model: Any) -> Iterator[Feed]:
    from ..verify.claims import NotRun
    from ..verify.inputs import generate_inputs

    try:
        for feed, _ in generate_inputs(reference.graph, model.graph):
            yield feed
    except NotRun as error:
        hint = "give inputs with --inputs FILE.npz"
        raise Error(BAD_INPUT, "K008", f"no inputs can be generated: {error}", hint) from error
