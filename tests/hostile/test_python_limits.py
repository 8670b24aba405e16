"""Small models that would need years or all memory in Python's libraries: a limit ends the work, and a signal
to the program also ends Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tests.hostile import pb
from tests.hostile.program import RELEASE, ROOT, Run, check_error, run

from thence import Error
from thence.limits import MOST_EXPANDED_NODES, check_function_calls

PYTHON = {"THENCE_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python")}
OPSET = [helper.make_opsetid("", 20)]


def floats(name: str, size: int | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [size])


def model_of(nodes: list[onnx.NodeProto], size: int | None) -> bytes:
    graph = helper.make_graph(nodes, "main", [floats("x", 1)], [floats("y", size)])
    return bytes(helper.make_model(graph, opset_imports=OPSET, ir_version=9).SerializeToString())


def endless() -> bytes:
    """A loop of 2^62 steps."""
    scalar = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Neg", ["v"], ["w"])],
        "body",
        [scalar("i", TensorProto.INT64, []), scalar("go", TensorProto.BOOL, []), floats("v", 1)],
        [scalar("on", TensorProto.BOOL, []), floats("w", 1)],
    )
    count = helper.make_node("Constant", [], ["n"], value_int=1 << 62)
    return model_of([count, helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], 1)


def large(numbers: int) -> bytes:
    """A tensor of this many numbers, made from its size."""
    nodes = [
        helper.make_node("Constant", [], ["n"], value_ints=[numbers]),
        helper.make_node("ConstantOfShape", ["n"], ["zeros"]),
        helper.make_node("Add", ["zeros", "x"], ["y"]),
    ]
    return model_of(nodes, None)


def call(number: int, output: str = "y", overload: bytes = b"") -> bytes:
    return pb.node(f"f{number}", f"/layer/f{number}", ["x"], [output], domain="f") + overload


def functions(bodies: list[list[bytes]]) -> bytes:
    return b"".join(pb.function(f"f{i}", nodes, ["x"], ["y"]) for i, nodes in enumerate(bodies))


def doubling(count: int) -> bytes:
    """Functions that each call the previous one twice."""
    bodies = [[pb.node("Neg", "", ["x"], ["y"])]]
    bodies += [[call(i, "a"), call(i)] for i in range(count - 1)]
    # As many plain nodes: two models that consist only of functions have too little in common to be verified.
    nodes = [call(count - 1, "v0")]
    nodes += [pb.node("Exp", f"/last/Exp_{i}", [f"v{i}"], [f"v{i + 1}"]) for i in range(count)]
    nodes += [pb.node("Neg", "/last/Neg", ["x"], ["y"])]
    return pb.model(nodes, pb.value_info(11, "x") + pb.value_info(12, "y"), functions(bodies))


def verify(model: bytes, folder: Path, *flags: str, **environment: str) -> Run:
    (folder / "model.onnx").write_bytes(model)
    words: list[str | Path] = [
        "transfer",
        folder / "model.onnx",
        folder / "model.onnx",
        "--verify",
        "--quiet",
    ]
    return run(*words, *flags, env={**PYTHON, **environment}, timeout=60)


def extract(model: bytes, folder: Path, *flags: str, **environment: str) -> Run:
    (folder / "model.onnx").write_bytes(model)
    words: list[str | Path] = [
        "extract",
        folder / "model.onnx",
        "--module",
        "layer",
        "-o",
        folder / "part.onnx",
    ]
    done = run(*words, *flags, env={**PYTHON, **environment}, timeout=60)
    assert not (folder / "part.onnx").exists()
    return done


def interpreter(folder: Path, script: str) -> Path:
    """The program that is started in place of Python."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_endless_loop_reaches_the_time_limit(tmp_path: Path) -> None:
    done = verify(endless(), tmp_path, "--timeout", "2")
    assert check_error(done, 3, "time limit of 2 s") == "L001"
    assert "--timeout" in done.err
    assert done.seconds < 20


@pytest.mark.parametrize("command", [verify, extract])
def test_hanging_python_reaches_the_time_limit(command: Callable[..., Run], tmp_path: Path) -> None:
    python = interpreter(tmp_path, "trap '' TERM INT ALRM\nexec sleep 60")
    done = command(doubling(3), tmp_path, "--timeout", "1", THENCE_PYTHON=str(python))
    assert check_error(done, 3, "time limit of 1 s") == "L001"


def test_a_large_tensor_reaches_the_memory_limit(tmp_path: Path) -> None:
    done = verify(large(700_000_000), tmp_path)
    assert check_error(done, 3, "limit of 2048 MiB") == "L002"
    assert "--memory" in done.err


def test_the_memory_limit_can_be_chosen(tmp_path: Path) -> None:
    model = large(60_000_000)
    assert verify(model, tmp_path).code == 0
    assert check_error(verify(model, tmp_path, "--memory", "300"), 3, "limit of 300 MiB") == "L002"


def profile_run(model: bytes, folder: Path) -> Run:
    (folder / "model.onnx").write_bytes(model)
    np.savez(folder / "inputs.npz", x=np.zeros(1, np.float32))
    words: list[str | Path] = ["profile", folder / "model.onnx", "--run", "--inputs", folder / "inputs.npz"]
    return run(*words, env=PYTHON, timeout=60)


@pytest.mark.parametrize("command", [verify, extract, profile_run])
def test_exponential_function_calls(command: Callable[..., Run], tmp_path: Path) -> None:
    done = command(doubling(40), tmp_path)
    assert check_error(done, 3, f"more than {MOST_EXPANDED_NODES} nodes") == "L004"
    assert done.seconds < 20


@pytest.mark.parametrize("command", [verify, extract])
def test_python_that_crashes(command: Callable[..., Run], tmp_path: Path) -> None:
    python = interpreter(tmp_path, "kill -SEGV $$")
    done = command(doubling(3), tmp_path, THENCE_PYTHON=str(python))
    assert check_error(done, 3, "crashed on the model (signal 11)") == "L003"


def is_running(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("command", ["transfer", "extract"])
def test_signal_also_ends_python(command: str, number: signal.Signals, tmp_path: Path) -> None:
    started = tmp_path / "started"
    # The script ignores signals, as Python does while a library computes. If the program is killed by
    # SIGKILL, it cannot end the processes that the script starts.
    more = "" if number == signal.SIGKILL else "sleep 60 &\nothers=$!\n"
    script = f"trap '' TERM INT HUP\n{more}echo $$ $others > {started}.new\nmv {started}.new {started}\nexec sleep 60"
    python = interpreter(tmp_path, script)
    model = tmp_path / "model.onnx"
    model.write_bytes(doubling(3))
    words: list[str | Path] = [model, "--verify"]
    if command == "extract":
        words = ["--module", "layer", "-o", tmp_path / "part.onnx"]
    process = subprocess.Popen(
        [RELEASE, command, model, *words],
        env={**os.environ, "THENCE_PYTHON": str(python)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(started.exists)
    children = [int(word) for word in started.read_text().split()]
    assert all(is_running(child) for child in children)
    process.send_signal(number)
    assert process.wait(20) == (130 if number == signal.SIGINT else -number)
    assert wait_until(lambda: not any(is_running(child) for child in children))


def expands(bodies: list[list[bytes]], nodes: list[bytes]) -> bool:
    """Whether a model is within the limit."""
    model = onnx.load_from_string(pb.model(nodes, functions=functions(bodies)))
    try:
        check_function_calls(model)
    except Error as error:
        if (error.kind, error.code) != (3, "L004"):
            raise
        return False
    return True


NEG = pb.node("Neg", "", ["x"], ["y"])


def test_calls_are_counted_exactly() -> None:
    thousand = [NEG] * 999  # a thousand nodes, including the call
    assert expands([thousand], [call(0)] * 1000)
    assert not expands([thousand], [call(0)] * 1000 + [NEG])


def test_calls_in_bodies_count() -> None:
    hundred = [pb.node("If", "", ["x"], ["y"], attributes=pb.body("then_branch", pb.graph([call(0)] * 100)))]
    assert expands([[NEG], hundred], [call(1)] * 1000)
    assert not expands([[NEG] * 1000, hundred], [call(1)] * 1000)


def test_recursive_functions_are_rejected() -> None:
    assert not expands([[call(0)]], [call(0)])
    assert not expands([[call(1)], [call(2)], [call(0)]], [call(1)])
    assert expands([[call(0)]], [NEG])  # it is never called
    assert expands([[NEG], [call(0)], [call(1), call(0)]], [call(2), call(1)])


def test_long_chain_of_calls_is_not_recursion() -> None:
    assert expands([[NEG], *([call(i)] for i in range(2000))], [call(2000)])


def test_overloads_are_separate_functions() -> None:
    head = pb.message(1, "f0") + pb.message(10, "f") + pb.message(13, "many")
    many = pb.message(25, head + pb.texts(7, [NEG] * 2000))
    few = functions([[NEG]])
    nodes = [call(0, overload=pb.message(8, "many"))] * 1000
    with pytest.raises(Error):
        check_function_calls(onnx.load_from_string(pb.model(nodes, functions=many + few)))
    check_function_calls(onnx.load_from_string(pb.model([call(0)] * 1000, functions=many + few)))
