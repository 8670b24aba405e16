"""Every command on structures of a grammar: a documented exit code, a row for each node, within a second."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from tests.hostile.program import ASAN, RELEASE, Run
from tests.metamorphic.lines import LINES, Line, write_profile
from tests.metamorphic.measured import timed
from tests.metamorphic.strict import PRINTED, is_valid
from tests.metamorphic.structures import make_structure
from tests.metamorphic.test_strict import CODES, read_output
from tools.sample.walk import places

COUNT, COUNT_LONG = 60, 300
PER_TEST = 10
SECONDS, SECONDS_ASAN = 1.0, 5.0  # of processor time, so that other work on the machine does not matter


def batches() -> list[object]:
    firsts = range(0, COUNT_LONG, PER_TEST)
    return [pytest.param(first, marks=[] if first < COUNT else pytest.mark.long) for first in firsts]


def lines_of(seed: int) -> list[Line]:
    """Four command lines for each model in `make test`, so that all lines get several models; later ones get all."""
    if seed >= COUNT:
        return LINES
    return [LINES[(seed * 4 + i) % len(LINES)] for i in range(4)] + [LINES[1]]


def check(line: Line, model: Path, folder: Path, proto: onnx.ModelProto, program: Path) -> None:
    done, seconds = timed(*line.filled(model, folder), program=program)
    assert done.code in CODES, f"{line.name}: exit {done.code}, {done.err[-2000:]}"
    assert seconds < (SECONDS if program == RELEASE else SECONDS_ASAN), line.name
    out = folder / "out"
    if out.exists():
        read_output(line, out, is_valid(model))
        out.unlink()
    elif done.out:
        found = PRINTED[line.format](done.out)
        if isinstance(found, dict) and found.get("schema") == "thence.map/1":
            check_rows(found["nodes"], proto)
    else:
        assert_explained(done, line)


def assert_explained(done: Run, line: Line) -> None:
    """An error, an empty list, or a failed check, of which `--quiet` leaves only the exit code."""
    failed_check = done.code == 1 and line.words[0] == "check"
    assert done.code == 0 or failed_check or done.err.startswith("error["), f"{line.name}: {done.err}"


def check_rows(rows: list[dict[str, object]], proto: onnx.ModelProto) -> None:
    expected = sorted((place.graph, place.index, place.node.op_type) for place in places(proto))
    assert sorted((row["graph"], row["index"], row["op_type"]) for row in rows) == expected


@pytest.mark.parametrize("first", batches())
def test_structures(first: int, tmp_path: Path) -> None:
    program = ASAN if ASAN.exists() else RELEASE
    for seed in range(first, first + PER_TEST):
        proto = make_structure(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        model = folder / "model.onnx"
        model.write_bytes(proto.SerializeToString())
        write_profile(folder, [node.name for node in proto.graph.node])
        for line in lines_of(seed):
            try:
                check(line, model, folder, proto, program)
            except Exception as problem:
                raise AssertionError(f"structure {seed}, {line.name}: {problem}") from problem


def test_the_grammar_reaches_what_it_should() -> None:
    """Some are valid, and every kind of structure occurs."""
    models = [make_structure(seed) for seed in range(COUNT)]
    assert sum(bool(proto.functions) for proto in models) > COUNT / 2
    graphs = {place.graph.count(".") for proto in models for place in places(proto)}
    assert max(graphs) >= 3
    operators = {place.node.op_type for proto in models for place in places(proto)}
    assert operators >= {"If", "Loop", "Scan", "F", "Add"}
    names = [place.node.name for place in places(models[0])]
    assert len(set(names)) < len(names)
