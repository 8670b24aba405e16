"""Any megabyte of input is answered by `map` within a second and within the memory limit, and by every other
command within five. The tests allow five times as much, because machines differ; `pytest -rP` prints the
figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.hostile import megabyte_more as cases
from tests.hostile.program import MIB, SAMPLE, command, run

SECONDS = 5
# They differ in the amount of text: everything, a few columns twice, every column, the tree, one node.
NAMES = ("map-json", "map-table", "map-csv", "show-table", "explain-json")


@pytest.mark.parametrize("what", cases.CASES)
def test_megabyte(what: str, folder: Path) -> None:
    case = cases.CASES[what]()
    assert len(case.model) < 1_100_000
    model = folder / f"{what}.onnx"
    model.write_bytes(case.model)
    flags: list[str | Path] = []
    if case.capture is not None:
        capture = folder / "capture.json"
        capture.write_bytes(case.capture)
        flags = ["--capture", capture]
    nodes = 0
    for name in NAMES:
        done = run(*command(name, model, *flags), keep=False, timeout=SECONDS)
        print(f"{what} {name}: {done.seconds:.2f} s, {done.anonymous / MIB:.0f} MiB")
        assert done.code == 0, done.err[-2000:]
        assert len(done.err) < 20_000, "words, not data"
        if node_count := re.search(r"^(\d+) nodes: ", done.err, re.MULTILINE):
            nodes = int(node_count[1])
        size = len(case.model) + len(case.capture or b"")
        # The limit of docs/errors.md; names may speak of two modules for each node.
        assert done.anonymous <= 64 * MIB + 3 * size + (112 + 2 * 1024) * nodes


OTHERS: dict[str, tuple[str, ...]] = {
    "report": ("report", "MODEL", "-o", "OUT/report.html"),
    "query": ("query", "MODEL", "--module", "**"),
    "sql": ("query", "MODEL", "--sql", "SELECT count(*) FROM nodes"),
    "explain": ("explain", "MODEL", "/a/x"),
    "tag": ("tag", "MODEL", "-o", "OUT/tagged.onnx"),
    "check": ("check", "MODEL"),
    "strip": ("strip", "MODEL", "-o", "OUT/stripped.onnx"),
    "fold": ("fold", "MODEL", "-o", "OUT/folded.onnx"),
    "unfold": ("unfold", "MODEL", "-o", "OUT/unfolded.onnx"),
    "extract": ("extract", "MODEL", "--module", "a", "-o", "OUT/part.onnx"),
    "transfer": ("transfer", "MODEL", "MODEL"),
    "transfer to": ("transfer", "SAMPLE", "MODEL"),
    "transfer from": ("transfer", "MODEL", "SAMPLE"),
    "diff": ("diff", "MODEL", "MODEL"),
    "graphml": ("convert", "MODEL", "--to", "graphml", "-o", "OUT/model.graphml"),
    "model-explorer": ("convert", "MODEL", "--to", "model-explorer", "-o", "OUT/model.json"),
}
# These were slow in another command than `map`.
SLOW_ONCE = {"bodies_of_many_modules", "one_name_for_all"}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[] if what in SLOW_ONCE else pytest.mark.long) for what in cases.CASES]
)
def test_megabyte_of_every_command(what: str, folder: Path) -> None:
    model = folder / f"{what}.onnx"
    model.write_bytes(cases.CASES[what]().model)
    places = {"MODEL": str(model), "OUT": str(folder), "SAMPLE": str(SAMPLE / "bert.dynamo.onnx")}
    for name, line in OTHERS.items():
        words = [re.sub("MODEL|OUT|SAMPLE", lambda found: places[found[0]], word) for word in line]
        done = run(*words, keep=False, timeout=5 * SECONDS)
        print(f"{what} {name}: {done.seconds:.2f} s")
        assert done.code in (0, 1, 3), f"{name}: exit {done.code}, {done.err[-2000:]}"
