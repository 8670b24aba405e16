"""Damaged and malicious profiles: no crash, no partial output, bounded time and memory."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile.program import ASAN, MIB, RELEASE, SAMPLE, run

MODEL = SAMPLE / "bert.torchscript.onnx"
PROGRAM = ASAN if ASAN.exists() else RELEASE
FORMATS = ("table", "json", "csv", "speedscope", "collapsed", "chrome-trace", "model-explorer")
SIZE = 40 * MIB
SECONDS = 20.0


def event(name: str, begin: int, duration: int, thread: int = 1) -> str:
    return (
        f'{{"cat":"Node","tid":{thread},"ts":{begin},"dur":{duration},"name":"{name}_kernel_time",'
        '"args":{"op_name":"Add"}}'
    )


def valid_trace() -> str:
    names = ["/embeddings/Add", "/encoder/layer.0/attention/self/query/MatMul", "/pooler/Gather"]
    events = [event(name, 10 * i, 5) for i, name in enumerate(names)]
    events.append('{"cat":"Session","tid":1,"ts":0,"dur":40,"name":"model_run","args":{}}')
    return "[\n" + ",\n".join(events) + "\n]"


def damaged(count: int) -> Iterator[bytes]:
    source, chance = valid_trace().encode(), random.Random(3)
    for _ in range(count):
        data = bytearray(source)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    del data[at : at + chance.randrange(1, 40)]
                case 2:
                    data[at:at] = chance.choice(
                        [b"-", b"9" * 30, b"\\u0000", b"[[", b"}}", b'"', b"\xff", b"1e999"]
                    )
                case _:
                    data[at:at] = data[at : at + 60]
        yield bytes(data)


def test_damaged_traces(tmp_path: Path) -> None:
    trace = tmp_path / "profile.json"
    codes = set()
    for data in damaged(150):
        trace.write_bytes(data)
        done = run("profile", MODEL, trace, "--format", "json", "-q", program=PROGRAM)
        assert done.code in (0, 1, 3), (data, done.err)
        assert (done.code == 0) == bool(done.out)
        codes.add(done.code)
    assert codes >= {0, 3}


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_cut_traces(cut: int, tmp_path: Path) -> None:
    trace = tmp_path / "profile.json"
    text = valid_trace()
    trace.write_text(text[: len(text) * cut // 60])
    done = run("profile", MODEL, trace, "-o", tmp_path / "answer", program=PROGRAM)
    assert done.code == 3
    assert not (tmp_path / "answer").exists()


IMPOSSIBLE_TIMES = {
    "duration": event("a", 0, 5).replace('"dur":5', '"dur":"{}"'),
    "begin": event("a", 0, 5).replace('"ts":0', '"ts":"{}"'),
    "run": '{"cat":"Session","tid":1,"ts":0,"dur":"{}","name":"model_run","args":{"a":1}}',
}


@pytest.mark.parametrize("time", ["nan", "-nan", "inf", "-inf", "1e999", "NaN"])
@pytest.mark.parametrize("where", [*IMPOSSIBLE_TIMES, "layer"])
def test_impossible_times_are_rejected(where: str, time: str, tmp_path: Path) -> None:
    """Text such as "nan" is a number for a parser, but not in JSON."""
    if where == "layer":
        profile = tmp_path / "graph.xml"
        profile.write_text(
            f'<net name="n"><layer id="0" name="a" type="Add"><data execTimeMcs="{time}"/></layer></net>'
        )
    else:
        profile = tmp_path / "profile.json"
        profile.write_text(f"[{IMPOSSIBLE_TIMES[where].replace('{}', time)}]")
    for format in FORMATS:
        done = run("profile", MODEL, profile, "--format", format, "-q", program=PROGRAM)
        assert (done.code, done.out) == (3, b""), (format, done.err)
        assert "error[K002]" in done.err


def test_escape_codes_are_not_printed(tmp_path: Path) -> None:
    trace = tmp_path / "profile.json"
    names = ["/embeddings/Add", "\\u001b[31m;\\n", "\\u0000", "=1+1"]
    trace.write_text("[" + ",".join(event(name, 10 * i, 5) for i, name in enumerate(names)) + "]")
    for format in FORMATS:
        done = run("profile", MODEL, trace, "--format", format, "-q", program=PROGRAM)
        assert done.code == 0, done.err
        assert b"\x1b" not in done.out
        assert b"\x00" not in done.out


def other_names() -> Iterator[str]:
    """Every kernel has another name; some are in the model."""
    number = 0
    while True:
        yield event(f"kernel_{number}" if number % 2 else "/embeddings/Add", 10 * number, 5)
        number += 1


def nested() -> Iterator[str]:
    """Each event contains all before it."""
    number = 1
    while True:
        yield event("/embeddings/Add", 10_000_000 - number, 2 * number)
        number += 1


def one_run_each() -> Iterator[str]:
    number = 0
    while True:
        yield event("/embeddings/Add", 10 * number, 5)
        yield f'{{"cat":"Session","tid":1,"ts":{10 * number},"dur":6,"name":"model_run","args":{{}}}}'
        number += 1


def threads() -> Iterator[str]:
    number = 0
    while True:
        yield event("/embeddings/Add", 10 * number, 5, thread=number)
        yield f'{{"cat":"Session","tid":{number},"ts":{10 * number},"dur":6,"name":"model_run","args":{{}}}}'
        number += 1


def without_runs() -> Iterator[str]:
    number = 0
    while True:
        yield event("/embeddings/Add", 10 * number, 5)
        number += 1


@pytest.mark.parametrize("make", [other_names, nested, one_run_each, threads, without_runs])
def test_long_traces(make: object, tmp_path: Path) -> None:
    assert callable(make)
    trace = tmp_path / "profile.json"
    with trace.open("w") as file:
        file.write("[")
        written = 0
        for text in make():
            written += file.write(("" if written == 0 else ",\n") + text)
            if written > SIZE:
                break
        file.write("]")
    done = run("profile", MODEL, trace, "--warmup", "0", timeout=100)
    known = done.code == 0 or (done.code == 1 and "K005" in done.err)
    assert known, done.err
    assert done.seconds < SECONDS
    assert done.anonymous < 96 * MIB


def test_long_execution_graph(tmp_path: Path) -> None:
    graph = tmp_path / "graph.xml"
    layer = '<layer id="0" name="/embeddings/Add" type="Add">'
    graph.write_text('<net name="n">' + layer * (SIZE // len(layer)) + "</net>")
    done = run("profile", MODEL, graph)
    assert done.code == 1  # no kernels
    assert done.seconds < SECONDS
    quotes = '<layer id="0" name="a" type="Add"><data execTimeMcs="1" originalLayersNames="'
    graph.write_text('<net name="n">' + quotes * (SIZE // len(quotes)) + "</net>")
    done = run("profile", MODEL, graph)
    assert done.code in (1, 3)
    assert done.seconds < SECONDS


def test_many_ranges(tmp_path: Path) -> None:
    """Each layer names the first and the last node of the model."""
    first, last = "/embeddings/word_embeddings/Gather", "/pooler/dense/Gemm"
    entries = [{"name": f"{{ForeignNode[{first}...{last}]}} + {i}", "timeMs": 1.0} for i in range(100_000)]
    times = tmp_path / "times.json"
    times.write_text(json.dumps([{"count": 1}, *entries]))
    done = run("profile", MODEL, times, "-q")
    assert done.code == 0, done.err
    assert done.seconds < SECONDS
