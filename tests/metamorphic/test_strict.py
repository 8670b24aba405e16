"""All output of all commands is read strictly, for the sample and for odd models."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx
import pytest
from tests.hostile.program import RELEASE, run
from tests.hostile.test_odd import UNUSUAL_MODELS
from tests.metamorphic.chosen import each_model
from tests.metamorphic.lines import LINES, Line, write_profile
from tests.metamorphic.strict import PRINTED, is_valid, read_model, read_report, read_sqlite
from tests.models.sample import Model, write_capture

CODES = {0, 1, 3}  # documented: 1 for a difference, a failed check or no match, 3 for input that is not supported
FEW = {"mixtral.dynamo", "deberta.torchscript"}


def check_line(line: Line, model: Path, folder: Path, valid: bool, flags: tuple[str | Path, ...] = ()) -> int:
    """Runs a command, and reads what it printed or wrote. Returns its exit code."""
    folder.mkdir()
    names = [f"node_{i}" for i in range(3)]
    if "PROFILE" in line.words:
        names += [node.name for node in onnx.load(model).graph.node[:99]] if valid else []
        write_profile(folder, names)
    done = run(*line.filled(model, folder), *flags, program=RELEASE, timeout=60)
    what = f"{line.name}: exit {done.code}, {done.err[-500:]}"
    assert done.code in CODES, what
    out = folder / "out"
    try:
        if out.exists():
            read_output(line, out, valid)
        elif done.out:
            assert done.code in (0, 1), what
            PRINTED[line.format](done.out)
        else:
            assert done.code != 0 or line.format in ("jsonl", "table", "json", "collapsed"), what
    except Exception as problem:
        raise AssertionError(f"{what}: {problem!r}") from problem
    assert done.code != 3 or done.err.startswith("error["), what
    return done.code


def read_output(line: Line, out: Path, valid: bool) -> None:
    if line.format == "model":
        read_model(out, valid)
    elif line.format == "sqlite":
        read_sqlite(out)
    elif line.format == "html-file":
        read_report(out.read_bytes())
    if (beside := out.with_name("out.map.json")).exists():
        PRINTED["json"](beside.read_bytes())


def check_lines(model: Path, folder: Path, flags: tuple[str | Path, ...] = ()) -> None:
    valid = is_valid(model)
    with ThreadPoolExecutor(2) as pool:
        work = [
            pool.submit(check_line, line, model, folder / str(i), valid, flags if takes_capture(line) else ())
            for i, line in enumerate(LINES)
        ]
        codes = [each.result() for each in work]
    if valid:
        assert codes.count(0) > len(codes) / 2


def takes_capture(line: Line) -> bool:
    return line.words[0] in ("map", "show", "weights", "query", "convert", "report", "explain", "tag", "fold")


@each_model(FEW)
def test_sample(model: Model, tmp_path: Path) -> None:
    check_lines(model.path, tmp_path)


@each_model(set())
def test_sample_with_a_capture(model: Model, tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    check_lines(model.path, tmp_path / "lines", ("--capture", write_capture(model, tmp_path)))


FIRST_ODD = ("names", "two functions of one name", "nested ifs", "no nodes")


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=[] if what in FIRST_ODD else pytest.mark.long) for what in UNUSUAL_MODELS],
)
def test_odd_models(what: str, tmp_path: Path) -> None:
    model = tmp_path / "odd.onnx"
    model.write_bytes(UNUSUAL_MODELS[what][0])
    (tmp_path / "lines").mkdir()
    check_lines(model, tmp_path / "lines")


def test_readers_refuse_what_is_not_strict() -> None:
    for text in (b'{"a": NaN}', b"[Infinity]", b'{"a": 1, "a": 2}', b'"\\ud800"', b'"\xff"', b"[1,]"):
        with pytest.raises((AssertionError, ValueError)):
            PRINTED["json"](text)
    for text in (b"a,b\n1\n", b'a,b\n"1,2\n', b"a,a\n1,2\n"):
        with pytest.raises((AssertionError, ValueError, Exception)):
            PRINTED["csv"](text)
