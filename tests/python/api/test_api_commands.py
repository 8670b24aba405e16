"""`thence export` and `thence capture`, from the native program to the files."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from tests.python.api.running import files, fits, read, thence

EXPORTERS = ("default", "torchscript", "dynamo")
PREFIX = "pkg.thence."
DYNAMIC_SIZE = 3


@dataclass
class Run:
    """A tiny BERT, exported into a separate folder."""

    folder: Path
    stderr: str

    @property
    def model(self) -> Path:
        return self.folder / "model.onnx"

    def map(self, *flags: str) -> Any:
        done = thence("map", "model.onnx", "--format", "json", *flags, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    made: dict[str, Run] = {}
    for name in EXPORTERS:
        folder = tmp_path_factory.mktemp(name)
        done = thence("export", *([] if name == "default" else ["--exporter", name]), cwd=folder)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        made[name] = Run(folder, done.stderr)
    return made


@pytest.mark.parametrize("name", EXPORTERS)
def test_export_writes_model_and_capture_and_prints_one_line(name: str, runs: dict[str, Run]) -> None:
    run = runs[name]
    assert files(run.folder) == ["model.capture.json", "model.onnx"]
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("model.onnx, model.capture.json: ")
    assert ("torchscript" if name == "torchscript" else "dynamo") in run.stderr
    assert "100.0% with a module" in run.stderr


@pytest.mark.parametrize("name", EXPORTERS)
def test_files_conform_to_their_schemas(name: str, runs: dict[str, Run]) -> None:
    run = runs[name]
    onnx.checker.check_model(str(run.model), full_check=True)
    capture = read(run.folder / "model.capture.json")
    fits(capture, "capture")
    second = "module_map" if name == "torchscript" else "fx_graph"
    assert list(capture["sections"]) == ["hierarchy", second]
    assert all("exact" in row["fingerprint"] for row in capture["sections"]["hierarchy"]["parameters"])
    fits(run.map("--capture", "model.capture.json"), "map")


@pytest.mark.parametrize("name", EXPORTERS)
def test_tags_alone_give_every_module(name: str, runs: dict[str, Run]) -> None:
    run = runs[name]
    alone, captured = run.map(), run.map("--capture", "model.capture.json")
    assert alone["summary"]["by_source"].get("tags", 0) > 0
    assert [row["module"] for row in alone["nodes"]] == [row["module"] for row in captured["nodes"]]
    assert alone["summary"]["unknown"] == 0


@pytest.mark.parametrize("name", EXPORTERS)
def test_tag_is_read_as_it_was_written(name: str, runs: dict[str, Run]) -> None:
    rows = runs[name].map()["nodes"]
    nodes = onnx.load(runs[name].model).graph.node
    written = [
        next((entry.value for entry in node.metadata_props if entry.key == f"{PREFIX}tag"), None)
        for node in nodes
    ]
    assert [row["tag"] for row in rows if row["graph"] == ""] == written


@pytest.mark.parametrize("name", EXPORTERS)
def test_tags_change_no_result(name: str, runs: dict[str, Run]) -> None:
    tagged = onnx.load(runs[name].model)
    plain = onnx.load(runs[name].model)
    removed = 0
    for node in plain.graph.node:
        kept = [entry for entry in node.metadata_props if not entry.key.startswith(PREFIX)]
        removed += len(node.metadata_props) - len(kept)
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    assert removed >= len(plain.graph.node)
    for one, other in zip(_outputs(tagged), _outputs(plain), strict=True):
        np.testing.assert_array_equal(one, other)


def test_every_layer_has_the_same_attention_nodes(runs: dict[str, Run]) -> None:
    computing = {
        "MatMul",
        "Gemm",
        "Softmax",
        "Reshape",
        "Transpose",
    }  # sizes are computed once for all layers
    for name in EXPORTERS:
        counts = [
            Counter(
                row["op_type"]
                for row in runs[name].map()["nodes"]
                if row["semantic_type"] == "attention"
                and row["layer_id"] == layer
                and row["op_type"] in computing
            )
            for layer in (0, 1)
        ]
        assert counts[0] == counts[1]
        assert counts[0].total() > 0


def test_no_embed_writes_no_tag(tmp_path: Path) -> None:
    words = ("-m", "nets:net", "-o", "sub/net.onnx", "--exporter", "torchscript", "--no-embed", "--quiet")
    done = thence("export", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert files(tmp_path / "sub") == ["net.capture.json", "net.onnx"]
    model = onnx.load(tmp_path / "sub/net.onnx")
    assert not any(entry.key.startswith(PREFIX) for node in model.graph.node for entry in node.metadata_props)


def test_strategy_adds_its_section_to_the_capture(tmp_path: Path) -> None:
    words = ("-m", "nets:net", "--exporter", "torchscript", "--strategy", "htp", "--opset", "17", "--dynamic")
    done = thence("export", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    capture = read(tmp_path / "model.capture.json")
    fits(capture, "capture")
    assert set(capture["sections"]) == {"hierarchy", "module_map", "execution_trace"}
    model = onnx.load(tmp_path / "model.onnx")
    assert model.opset_import[0].version == 17
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


@pytest.mark.parametrize("sections", [None, "hierarchy", "hierarchy,fx_graph"])
def test_capture_alone(sections: str | None, tmp_path: Path) -> None:
    flags = [] if sections is None else ["--sections", sections]
    done = thence("capture", "-m", "nets:net", *flags, "-o", "net.capture.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert files(tmp_path) == ["net.capture.json"]
    capture = read(tmp_path / "net.capture.json")
    fits(capture, "capture")
    assert list(capture["sections"]) == (sections or "hierarchy,execution_trace").split(",")
    assert done.stderr.startswith("net.capture.json: 9 modules, ")


def _outputs(model: onnx.ModelProto) -> list[Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    generator = np.random.default_rng(0)
    feeds = {
        given.name: generator.integers(
            0, 2, [size if isinstance(size, int) else DYNAMIC_SIZE for size in given.shape]
        ).astype(np.int64)
        for given in session.get_inputs()
    }
    return list(session.run(None, feeds))
