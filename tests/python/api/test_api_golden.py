"""The tags of a few small models with each strategy, as in the files of `golden`.

A line is a node or, where names and order depend on the exporter, a number of equal nodes. `--rebase`
rewrites the files.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.models.sample import EXPORTERS
from tests.python.api import nets
from tests.python.capture.nets import Shared
from tools.sample.architectures import build
from tools.sample.choices import CHOICES

import thence
from thence.rows import NodeRow

GOLDEN = Path(__file__).parent / "golden"
STRATEGIES = ("auto", "htp", "usage_based")


def bert() -> tuple[Any, dict[str, Any]]:
    """A model of the sample: no two weights are equal, so none are merged."""
    live = build(CHOICES["bert"])
    return live.model, dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed


MODELS: dict[str, Callable[[], Any]] = {
    "sequential": lambda: (nets.sequential(), torch.rand(2, 4)),
    "shared": lambda: (Shared(), torch.rand(3, 4)),
    "bert": bert,
}
WITH_NAMES = {"sequential.torchscript", "shared.torchscript"}


@pytest.mark.parametrize("exporter", EXPORTERS)
@pytest.mark.parametrize("name", MODELS)
def test_tags(name: str, exporter: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    summary = thence.HierarchyExporter(strategy="htp", exporter=exporter, embed=False).export(
        model, inputs, tmp_path / "m.onnx", opset_version=18
    )
    answers = [
        thence.SemanticMapper(summary.path, summary.capture, strategy=strategy).map_all_nodes()
        for strategy in STRATEGIES
    ]
    golden = GOLDEN / f"{name}.{exporter}.txt"
    found = text(answers, with_names=f"{name}.{exporter}" in WITH_NAMES)
    if request.config.getoption("--rebase"):
        golden.write_text(found, encoding="utf-8")
    expected = golden.read_text(encoding="utf-8")
    difference = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", n=1)
    assert found == expected, "\n".join(difference)


def text(answers: list[list[NodeRow]], *, with_names: bool) -> str:
    """A table: the node, and its tag with each strategy; `-` if it has none, `=` if it equals the first."""
    rows = [
        (
            first["name" if with_names else "op_type"],
            first["tag"] or "-",
            *("=" if row["tag"] == first["tag"] else row["tag"] or "-" for row in others),
        )
        for first, *others in zip(*answers, strict=True)
    ]
    if with_names:
        return table([("node", *STRATEGIES), *rows])
    counted = sorted(Counter(rows).items())
    return table([("nodes", "op_type", *STRATEGIES), *((str(count), *row) for row, count in counted)])


def table(rows: Iterable[tuple[str, ...]]) -> str:
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in listed)
    return "\n".join(lines) + "\n"
