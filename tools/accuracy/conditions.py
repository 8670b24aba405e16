"""The conditions: a file, with or without its names, with or without a capture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EXPORTERS = ("torchscript", "dynamo")

FILE, CAPTURE, HALF, BLIND = "file only", "with capture", "half blind", "blind"
SHUFFLED, LOWERED = "blind, shuffled", "opset 17"
# Every condition except the first has a capture.
STRATEGIES = {
    FILE: ("auto", "enhanced_semantic", "usage_based"),
    CAPTURE: ("auto", "enhanced_semantic", "universal", "usage_based", "htp", "fx_graph"),
    HALF: ("auto", "enhanced_semantic", "usage_based", "htp", "fx_graph"),
    BLIND: ("auto", "usage_based", "htp", "fx_graph"),
    SHUFFLED: ("auto", "htp", "fx_graph"),
    LOWERED: ("auto", "enhanced_semantic", "usage_based", "htp", "fx_graph"),
}


@dataclass(frozen=True)
class Asked:
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

    def can_ask(self, strategy: str) -> bool:
        if strategy == "universal":
            return self.exporter == "torchscript" and self.scopes.exists()
        return self.model.exists() and (self.capture is None or self.capture.exists())


@dataclass(frozen=True)
class Places:
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
        return self.folder / f"{self.name}.capture.json"

    @property
    def scopes(self) -> Path:
        return self.folder / f"{self.name}.scopes.capture.json"


def capture_flags(path: Path | None) -> tuple[str, ...]:
    return ("--capture", str(path)) if path else ()


def names(models: Path) -> list[str]:
    """The architectures that have a truth in a folder of models."""
    return sorted({path.name.rsplit(".", 3)[0] for path in models.glob("*.truth.json")})


def asked(at: Places) -> Iterator[Asked]:
    """Every condition of one architecture whose files exist."""
    for exporter in EXPORTERS:
        truth = at.truth(exporter)
        if not truth.exists():
            continue
        given = [
            (FILE, at.model(exporter), truth, None),
            (CAPTURE, at.model(exporter), truth, at.capture),
            (HALF, at.made(exporter, "half"), truth, at.capture),
            (BLIND, at.made(exporter, "blind"), truth, at.capture),
            (
                SHUFFLED,
                at.made(exporter, "shuffled"),
                at.made(exporter, "shuffled", "truth.json"),
                at.capture,
            ),
        ]
        if exporter == "dynamo":
            given.append(
                (
                    LOWERED,
                    at.made(exporter, "lowered"),
                    at.made(exporter, "lowered", "truth.json"),
                    at.capture,
                )
            )
        for condition, model, its_truth, capture in given:
            yield Asked(at.name, condition, exporter, model, its_truth, capture, at.scopes)
