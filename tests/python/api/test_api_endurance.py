"""Repeated exports leave nothing behind: on the model, in torch, in memory, on the disk."""

from __future__ import annotations

import gc
import os
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from tests.python.api import nets
from tests.python.api.running import files
from tests.python.capture.checking import state

import thence

ROUNDS, EXPORTS = 2, 60
# The growth that a loop of any length may cause. An export makes thousands of objects.
MOST_OBJECTS = 50
MOST_BYTES = 4 << 20


def test_exports_in_a_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary, place = tmp_path / "temporary", tmp_path / "place"
    temporary.mkdir()
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    model, inputs = nets.net()
    exporter = thence.HierarchyExporter(strategy="htp", exporter="torchscript")
    for _ in range(10):  # create what is made once: caches, pools, torch's folder
        exporter.export(model, inputs, place / "m.onnx")
    before, kept, objects, resident = state(model), files(temporary), _objects(), [_resident()]
    for _ in range(ROUNDS):
        for _ in range(EXPORTS):
            exporter.export(model, inputs, place / "m.onnx")
        resident.append(_resident())
    assert _objects() - objects < MOST_OBJECTS
    # What is kept after each export grows in every round; the heap of earlier tests may still settle in one.
    assert min(later - earlier for earlier, later in pairwise(resident)) < MOST_BYTES
    assert state(model) == before
    assert files(place) == ["m.capture.json", "m.onnx"]
    assert files(temporary) == kept


def _objects() -> int:
    gc.collect()
    return len(gc.get_objects())


def _resident() -> int:
    """The resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
