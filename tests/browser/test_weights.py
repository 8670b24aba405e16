"""The numbers of a weight, as `thence view` sends them: from external data, and of large weights."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

MOST_COUNTED = 1 << 24
Ask = Callable[[str, int], Any]


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Ask]]:
    """Starts servers, and asks them for the weight that is input `i` of a node."""
    started: list[subprocess.Popen[str]] = []

    def start(model: Path) -> Ask:
        command = [os.environ["THENCE_BIN"], "view", str(model), "--no-open", "--quiet"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(server)
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        client.open(url).read()
        base = url[: url.index("/", len("http://"))]

        def ask(node: str, number: int) -> Any:
            try:
                return json.load(client.open(f"{base}/api/weights?id={node}&input={number}"))
            except urllib.error.HTTPError as error:
                return json.load(error)

        return ask

    yield start
    for server in started:
        server.terminate()
        server.communicate()


def save_external(folder: Path, elements: int, length: int | None = None) -> Path:
    """An Add of a weight of float32 numbers in weights.bin, which the caller writes."""
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[elements])
    weight.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "weights.bin"), ("offset", 16), ("length", length or 4 * elements)):
        weight.external_data.add(key=key, value=str(value))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [elements]) for name in "xy"]
    node = helper.make_node("Add", ["x", "w"], ["y"], name="/fc/Add")
    path = folder / "model.onnx"
    onnx.save(helper.make_model(helper.make_graph([node], "g", ends[:1], ends[1:], [weight])), path)
    return path


def test_external_data_is_read(serve: Callable[[Path], Ask], tmp_path: Path) -> None:
    values = np.array([-1, 0, 0, 3, np.inf], np.float32)
    (tmp_path / "weights.bin").write_bytes(bytes(16) + values.tobytes())
    found = serve(save_external(tmp_path, 5))("n0", 1)
    assert (found["elements"], found["counted"], found["zeros"], found["not_finite"]) == (5, 5, 2, 1)
    assert (found["min"], found["max"], found["mean"]) == (-1, 3, 0.5)
    assert found["deviation"] == pytest.approx(1.5)
    assert sum(found["histogram"]) == 4


def test_missing_and_short_external_data_are_named(serve: Callable[[Path], Ask], tmp_path: Path) -> None:
    ask = serve(save_external(tmp_path, 5))
    assert "its data is missing or damaged" in json.dumps(ask("n0", 1))
    (tmp_path / "weights.bin").write_bytes(bytes(20))
    assert "its data is missing or damaged" in json.dumps(serve(tmp_path / "model.onnx")("n0", 1))
    assert "not a constant" in json.dumps(ask("n0", 0))
    assert "no input 2" in json.dumps(ask("n0", 2))


def test_large_weights_are_sampled(serve: Callable[[Path], Ask], tmp_path: Path) -> None:
    elements = 30_000_000
    with (tmp_path / "weights.bin").open("wb") as file:
        file.truncate(16 + 4 * elements)  # a hole: zeros that take no space
    found = serve(save_external(tmp_path, elements))("n0", 1)
    assert found["elements"] == elements
    assert elements / 4 < found["counted"] <= MOST_COUNTED
    assert found["zeros"] == found["counted"] == sum(found["histogram"])
