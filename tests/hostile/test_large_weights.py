"""Memory does not grow with weights: a command that reads the structure needs as much for 4 GB as for 10 MB. `pytest -rP` prints the figures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hostile import sparse
from tests.hostile.program import MIB, run

SMALL, LARGE = 10 * MIB, 4096 * MIB
MORE = 4 * MIB  # what measuring every millisecond may miss
MAKE: dict[str, Callable[[Path, int], Path]] = {"inline": sparse.inline, "external": sparse.external}
# Commands that read the structure alone.
COMMANDS: dict[str, tuple[str, ...]] = {
    "map": ("map", "MODEL", "--format", "json"),
    "show": ("show", "MODEL"),
    "weights": ("weights", "MODEL"),
    "explain": ("explain", "MODEL", "#0"),
    "query": ("query", "MODEL", "--module", "layers.1.fc"),
    "sql": ("query", "MODEL", "--sql", "SELECT * FROM initializers"),
    "report": ("report", "MODEL", "-o", "OUT/report.html"),
    "check": ("check", "MODEL"),
    "dot": ("convert", "MODEL", "--to", "dot", "-o", "OUT/model.dot"),
    "model-explorer": ("convert", "MODEL", "--to", "model-explorer", "-o", "OUT/model.json"),
    "sqlite": ("convert", "MODEL", "--to", "sqlite", "-o", "OUT/model.db"),
}


def measure(commands: dict[str, tuple[str, ...]], make: str, folder: Path, size: int) -> dict[str, int]:
    """The peak of anonymous memory of each command."""
    place = folder / str(size)
    place.mkdir()
    model = MAKE[make](place / "model.onnx", size)
    places = {"MODEL": str(model), "OUT": str(place)}
    found = {}
    for name, line in commands.items():
        words = [places.get(word, word.replace("OUT", places["OUT"])) for word in line]
        done = run(*words, "--max-memory", "192M", keep=False, timeout=300)
        print(f"{make} {size >> 20} MiB, {name}: {done.anonymous / MIB:.1f} MiB, {done.seconds:.2f} s")
        assert done.code in (0, 1), f"{name}: exit {done.code}, {done.err[-2000:]}"
        found[name] = done.anonymous
    shutil.rmtree(place)
    return found


def compare(commands: dict[str, tuple[str, ...]], make: str, folder: Path) -> None:
    small, large = (measure(commands, make, folder, size) for size in (SMALL, LARGE))
    for name, bytes_needed in large.items():
        assert bytes_needed <= small[name] + MORE, f"{name}: {small[name]} grows to {bytes_needed}"


@pytest.mark.parametrize("make", MAKE)
def test_memory_does_not_grow_with_weights(make: str, folder: Path) -> None:
    compare(COMMANDS, make, folder)
