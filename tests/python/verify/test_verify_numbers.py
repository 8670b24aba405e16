"""Values of a model from onnxruntime: the requested ones, with external data, in bounded portions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.python.verify.small import Array, model, weight, written

from thence.verify import numbers
from thence.verify.numbers import FIRST_PORTION, SMALLEST_PORTION, Portions, Runner

BODY = "a = MatMul(x, w)\n b = Relu(a)\n y = Mul(b, b)"


@pytest.mark.parametrize("external", [False, True])
def test_inner_values_are_returned(tmp_path: Path, external: bool) -> None:
    """Also if the weights are in a file beside the model, and the model is not in the current folder."""
    flags = {"save_as_external_data": True, "location": "w.data", "size_threshold": 0} if external else {}
    path = written(tmp_path, "m.onnx", model(BODY, w=weight(6, 6)), **flags)
    assert (tmp_path / "w.data").exists() == external
    x = weight(4, 6, seed=2)
    found = Runner(path, {"y"}).values(["a", "y", "b", "a"], {"x": x})
    np.testing.assert_allclose(found["a"], x @ weight(6, 6), rtol=1e-5)
    np.testing.assert_array_equal(found["b"], np.maximum(found["a"], 0))
    np.testing.assert_array_equal(found["y"], found["b"] ** 2)


def test_session_is_reused_for_the_same_values(tmp_path: Path) -> None:
    runner = Runner(written(tmp_path, "m.onnx", model(BODY, w=weight(6, 6))), {"y"})
    x = {"x": weight(4, 6)}
    assert [*runner.values(["a"], x)] == ["a"]
    (tmp_path / "m.onnx").unlink()
    assert [*runner.values(["a"], x)] == ["a"]  # the same session
    runner.release()
    with pytest.raises(FileNotFoundError):
        runner.values(["a"], x)


def test_large_values_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "LARGEST", 30)
    body = "a = Relu(x)\n y = ReduceSum <keepdims = 0>(a)"
    runner = Runner(written(tmp_path, "m.onnx", model(body, "float[4, 8] x")), {"y"})
    assert [*runner.values(["a", "y"], {"x": weight(4, 8)})] == ["y"]


def test_portion_size_follows_memory_use() -> None:
    items = list(range(1000))
    portions = Portions(items, memory=8000)
    sizes, seen = [], []
    for portion in portions:
        sizes.append(len(portion))
        seen += portion
        each = 100 if len(seen) < 100 else 4000
        arrays: list[Array] = [np.zeros(each, np.uint8) for _ in portion]
        portions.record_memory(arrays, len(portion))
    assert seen == items
    assert sizes[0] == FIRST_PORTION
    assert sizes[1] == 8000 // 101
    assert set(sizes[3:-1]) == {SMALLEST_PORTION}
