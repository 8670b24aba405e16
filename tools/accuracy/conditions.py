"""The conditions: a file, with or without its names, with or without a capture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.sample.choices import DYNAMIC, EQUAL, PAST, base_of, variant_of

EXPORTERS = ("torchscript", "dynamo")

FILE, CAPTURE, HALF, BLIND = "file only", "with capture", "half blind", "blind"
SHUFFLED, LOWERED = "blind, shuffled", "opset 17"
# The conditions of each variant of a model (tools/sample/choices.py), without and with a capture.
VARIANT_CONDITIONS = {
    variant: (f"{label}, file only", f"{label}, with capture")
    for variant, label in {DYNAMIC: "dynamic", PAST: "with past", EQUAL: "equal weights"}.items()
}
# Every condition except the first has a capture.
STRATEGIES = {
    FILE: ("auto", "enhanced_semantic", "usage_based"),
    CAPTURE: ("auto", "enhanced_semantic", "universal", "usage_based", "htp", "fx_graph"),
    HALF: ("auto", "enhanced_semantic", "usage_based", "htp", "fx_graph"),
    BLIND: ("auto", "usage_based", "htp", "fx_graph"),
    SHUFFLED: ("auto", "htp", "fx_graph"),
    LOWERED: ("auto", "enhanced_semantic", "usage_based", "htp", "fx_graph"),
    **{file_only: ("auto",) for file_only, _ in VARIANT_CONDITIONS.values()},
    **{with_capture: ("auto", "htp", "fx_graph") for _, with_capture in VARIANT_CONDITIONS.values()},
}


@dataclass(frozen=True)
class Case:
    """One model under one condition."""

    name: str
    condition: str
    exporter: str
    model: Path
    truth: Path
    capture: Path | None
    scopes: Path  # a capture with the module map of a TorchScript export; may be missing

    def capture_for(self, strategy: str) -> Path | None:
        """The capture for a strategy; None if there is none, or if the strategy uses none."""
        return self.scopes if strategy == "universal" else self.capture

    def can_evaluate(self, strategy: str) -> bool:
        if strategy == "universal":
            return self.exporter == "torchscript" and self.scopes.exists()
        return self.model.exists() and (self.capture is None or self.capture.exists())


@dataclass(frozen=True)
class ModelFiles:
    """The paths of the files of one architecture."""

    name: str
    models: Path
    folder: Path

    def model(self, exporter: str) -> Path:
        return self.models / f"{self.name}.{exporter}.onnx"

    def truth(self, exporter: str) -> Path:
        return self.models / f"{self.name}.{exporter}.truth.json"

    def made(self, exporter: str, what: str, kind: str = "onnx") -> Path:
        return self.folder / f"{self.name}.{exporter}.{what}.{kind}"

    @property
    def capture(self) -> Path:
        # Dynamic axes change the export, not the model that is captured.
        name = base_of(self.name) if variant_of(self.name) == DYNAMIC else self.name
        return self.folder / f"{name}.capture.json"

    @property
    def scopes(self) -> Path:
        return self.folder / f"{self.name}.scopes.capture.json"


def capture_flags(path: Path | None) -> tuple[str, ...]:
    return ("--capture", str(path)) if path else ()


def names(models: Path) -> list[str]:
    """The architectures that have a truth in a folder of models."""
    return sorted({path.name.rsplit(".", 3)[0] for path in models.glob("*.truth.json")})


def cases_of(files: ModelFiles) -> Iterator[Case]:
    """Every condition of one model whose files exist."""
    for exporter in EXPORTERS:
        if files.truth(exporter).exists():
            given = _of_variant(files, exporter) if variant_of(files.name) else _as_exported(files, exporter)
            for condition, model, truth, capture in given:
                yield Case(files.name, condition, exporter, model, truth, capture, files.scopes)


Given = tuple[str, Path, Path, Path | None]  # condition, model, truth, capture


def _of_variant(files: ModelFiles, exporter: str) -> Iterator[Given]:
    file_only, with_capture = VARIANT_CONDITIONS[variant_of(files.name)]
    yield file_only, files.model(exporter), files.truth(exporter), None
    yield with_capture, files.model(exporter), files.truth(exporter), files.capture


def _as_exported(files: ModelFiles, exporter: str) -> Iterator[Given]:
    model, truth = files.model(exporter), files.truth(exporter)
    yield FILE, model, truth, None
    yield CAPTURE, model, truth, files.capture
    yield HALF, files.made(exporter, "half"), truth, files.capture
    yield BLIND, files.made(exporter, "blind"), truth, files.capture
    for condition, what in ((SHUFFLED, "shuffled"), (LOWERED, "lowered")):
        if condition != LOWERED or exporter == "dynamo":
            yield (
                condition,
                files.made(exporter, what),
                files.made(exporter, what, "truth.json"),
                files.capture,
            )
