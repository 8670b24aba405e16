"""Many captures in sequence, and several at once."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from typing import Any

import torch
from tests.python.capture import nets
from tests.python.capture.checking import state, valid
from tests.python.capture.exporting import export, owners, recorded

from thence.capturing import capture, record_module_map

X = torch.ones(3, 4)


def _objects() -> int:
    gc.collect()
    return len(gc.get_objects())


def test_thousand_captures_leave_no_objects() -> None:
    model = nets.Shared()
    for _ in range(20):
        capture(model, X)
    before, objects = state(model), _objects()
    for _ in range(1000):
        capture(model, X)
    assert state(model) == before
    assert _objects() - objects < 50


def test_captures_leak_no_memory() -> None:
    model, rounds = nets.Shared(), 50
    tracemalloc.start()
    try:
        used = []
        for _ in range(4):  # the first rounds replace what was allocated before tracing
            for _ in range(rounds):
                capture(model, X)
            gc.collect()
            used.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert (used[3] - used[2]) / rounds < 200  # bytes for each capture, which takes thousands itself


def test_hundred_recorded_exports_leave_no_objects() -> None:
    model = nets.Twice()

    def run() -> None:
        with torch.random.fork_rng(), record_module_map(model):
            export(model, (X,))

    for _ in range(5):
        run()
    before, objects = state(model), _objects()
    for _ in range(100):
        run()
    assert state(model) == before
    assert _objects() - objects < 50


def test_threads_capture_different_models_at_once() -> None:
    makes = [nets.Twice, nets.Shared, nets.Bypassing, nets.Reentrant]
    expected = [capture(make(), X)["sections"] for make in makes]
    faults: list[str] = []

    def work(number: int) -> None:
        try:
            for _ in range(10):
                found = valid(capture(makes[number](), X))
                for section, wanted in valid(_document(expected[number]))["sections"].items():
                    if found["sections"][section] != wanted:
                        faults.append(f"{number}: {section} differs")
        except Exception as error:
            faults.append(repr(error))

    threads = [threading.Thread(target=work, args=(number % 4,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def _document(sections: object) -> dict[str, Any]:
    return {"schema": "thence.capture/1", "sections": sections}


def test_model_used_by_another_thread_is_not_affected() -> None:
    model, stop, faults = nets.Twice().eval(), threading.Event(), []
    wanted = model(X)

    def use() -> None:
        while not stop.is_set():
            if not torch.equal(model(X), wanted):
                faults.append("another result")

    thread = threading.Thread(target=use)
    thread.start()
    try:
        for _ in range(50):
            sections: Any = capture(model, X)["sections"]
            assert len(sections["hierarchy"]["calls"]) == 7
            assert sum(event["kind"] == "op" for event in sections["execution_trace"]["events"]) == 6
    finally:
        stop.set()
        thread.join()
    assert not faults


def test_threads_export_and_capture_in_turns() -> None:
    faults: list[str] = []

    def work() -> None:
        try:
            for _ in range(5):
                _, section = recorded(nets.Twice(), (X,))
                assert owners(section)["/b_1/Mul_1"] == ("b", 1)
                capture(nets.Shared(), X)
        except Exception as error:
            faults.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
