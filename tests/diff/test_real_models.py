"""Real models compared with models derived from them: by hand, by optimisers, by the other exporter."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper
from onnxruntime.quantization import quantize_dynamic
from tests.cases.programs import RELEASE
from tests.cases.schemas import problems
from tests.cases.shuffle import shuffled
from tests.models.sample import models

Document = dict[str, Any]
NAMES = ("bert.torchscript", "bert.dynamo", "t5.torchscript", "t5.dynamo")


def path_of(name: str) -> Path:
    return next(model for model in models() if model.name == name).path


def diff(a: Path, b: Path, *flags: str) -> Document:
    """The whole answer, after checking its invariants."""
    done = subprocess.run(
        [RELEASE, "diff", a, b, "--format", "json", *flags], capture_output=True, check=False, timeout=120
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    document: Document = json.loads(done.stdout)
    assert problems(document, "thence.diff/1") == []
    assert document["same"] == (done.returncode == 0) == (not document["differences"])
    counts = Counter(each["kind"] for each in document["differences"])
    assert document["summary"]["by_kind"] == counts
    by_module: Counter[str | None] = Counter(each["module"] for each in document["differences"])
    assert {row["module"]: sum(row["by_kind"].values()) for row in document["modules"]} == by_module
    for side, path in (("a", a), ("b", b)):
        nodes = onnx.load(path, load_external_data=False).graph.node
        for node in [node for each in document["differences"] for node in each[side]]:
            if node["place"].startswith("#"):
                told = nodes[int(node["place"][1:])]
                assert (node["name"], node["op_type"]) == (told.name, told.op_type)
    return document


def rename(graph: onnx.GraphProto, new: dict[str, str]) -> None:
    for named in [*graph.initializer, *graph.value_info, *graph.output]:
        named.name = new.get(named.name, named.name)
    for node in graph.node:
        node.name = ""
        del node.metadata_props[:]
        node.input[:] = [new.get(name, name) for name in node.input]
        node.output[:] = [new.get(name, name) for name in node.output]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                rename(attribute.g, new)


def renamed(model: onnx.ModelProto, seed: int) -> onnx.ModelProto:
    """Renames everything except the model's inputs and outputs, and removes the metadata of nodes."""
    kept = {value.name for value in [*model.graph.input, *model.graph.output]}
    names = [tensor.name for tensor in model.graph.initializer]
    names += [name for node in model.graph.node for name in node.output if name]
    numbers = random.Random(seed).sample(range(10**6), len(names))
    new = {name: f"n{number}" for name, number in zip(names, numbers, strict=True) if name not in kept}
    rename(model.graph, new)
    return model


@pytest.mark.parametrize("name", [model.name for model in models()])
def test_names_and_order_make_no_difference(name: str, tmp_path: Path) -> None:
    model = onnx.load(path_of(name))
    other, _ = shuffled(model, seed=1)
    onnx.save(renamed(other, seed=2), tmp_path / "other.onnx")
    assert diff(path_of(name), path_of(name))["differences"] == []
    assert diff(path_of(name), tmp_path / "other.onnx")["differences"] == []
    assert diff(tmp_path / "other.onnx", path_of(name))["differences"] == []


@pytest.mark.parametrize("name", NAMES)
def test_one_change_is_one_difference(name: str, tmp_path: Path) -> None:
    model = onnx.load(path_of(name))
    consumers = Counter(value for node in model.graph.node for value in node.input)
    weight = next(
        each
        for each in model.graph.initializer
        if len(each.dims) == 2 and each.data_type == 1 and consumers[each.name] == 1
    )
    values = numpy_helper.to_array(weight).copy()
    values[0, 0] += 0.125
    weight.CopyFrom(numpy_helper.from_array(values, weight.name))
    softmax = next(node for node in model.graph.node if node.op_type == "Softmax")
    del softmax.attribute[:]
    softmax.attribute.append(onnx.helper.make_attribute("axis", 0))
    onnx.save(model, tmp_path / "changed.onnx")
    document = diff(path_of(name), tmp_path / "changed.onnx")
    assert document["summary"]["by_kind"] == {"weights": 1, "attributes": 1}
    (attributes,) = (each for each in document["differences"] if each["kind"] == "attributes")
    assert [node["name"] for node in attributes["b"]] == [softmax.name]
    assert diff(path_of(name), tmp_path / "changed.onnx", "--ignore", "weights,attributes")["same"]


@pytest.mark.parametrize("name", [model.name for model in models()])
def test_retrained_model(name: str, tmp_path: Path) -> None:
    """All weights differ, and only weights are reported: no node is mistaken for another."""
    model = onnx.load(path_of(name))
    numbers = np.random.default_rng(1)
    for tensor in model.graph.initializer:
        if tensor.data_type == 1 and len(tensor.dims) > 0:
            values = numbers.standard_normal(tuple(tensor.dims)).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    onnx.save(model, tmp_path / "trained.onnx")
    document = diff(path_of(name), tmp_path / "trained.onnx")
    assert document["summary"]["by_kind"].keys() == {"weights"}
    for each in document["differences"]:
        assert [node["name"] for node in each["a"]] == [node["name"] for node in each["b"]]


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_one_module(name: str, tmp_path: Path) -> None:
    """That module is reported, and no other."""
    truth = next(model for model in models() if model.name == name).truth["nodes"]
    model = onnx.load(path_of(name))
    consumers = Counter(value for node in model.graph.node for value in node.input)
    floats = {
        each.name: each
        for each in model.graph.initializer
        if each.data_type == 1 and len(each.dims) == 2 and consumers[each.name] == 1
    }
    reading = [
        (place, value)
        for place, node in enumerate(model.graph.node)
        for value in node.input
        if value in floats and node.op_type == "MatMul"
    ]
    for place, value in reading[:: max(1, len(reading) // 4)]:
        changed = onnx.ModelProto()
        changed.CopyFrom(model)
        weight = next(each for each in changed.graph.initializer if each.name == value)
        values = numpy_helper.to_array(weight) * np.float32(1.5)
        weight.CopyFrom(numpy_helper.from_array(values, value))
        onnx.save(changed, tmp_path / "changed.onnx")
        document = diff(path_of(name), tmp_path / "changed.onnx")
        module = next(row["module"] for row in truth if row["index"] == place and not row.get("graph"))
        assert [(row["module"], row["by_kind"]) for row in document["modules"]] == [(module, {"weights": 1})]


@pytest.mark.parametrize("name", ["bert.torchscript", "t5.torchscript"])
def test_another_opset_makes_no_difference(name: str, tmp_path: Path) -> None:
    model = onnx.load(path_of(name))
    onnx.save(onnx.version_converter.convert_version(model, 20), tmp_path / "opset20.onnx")
    assert diff(path_of(name), tmp_path / "opset20.onnx")["differences"] == []


def optimised(path: Path, to: Path) -> Path:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(to)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return to


@pytest.mark.parametrize("name", ["bert.torchscript", "bert.dynamo", "t5.torchscript", "gpt2.dynamo"])
def test_an_optimised_model(name: str, tmp_path: Path) -> None:
    document = diff(path_of(name), optimised(path_of(name), tmp_path / "optimised.onnx"))
    kinds = document["summary"]["by_kind"]
    assert kinds["fused"] > 0
    assert not {"weights", "quantised", "moved", "renamed"} & kinds.keys()
    # Nodes that the optimiser fused are reported as such, not as removed and added.
    made = Counter(node["op_type"] for each in document["differences"] for node in each["b"])
    added = Counter(
        node["op_type"] for each in document["differences"] if each["kind"] == "added" for node in each["b"]
    )
    fused_operators = {op for op in made if op.startswith(("Fused", "Skip", "Bias", "Simplified"))}
    assert fused_operators
    assert not fused_operators & added.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_quantised_model(name: str, tmp_path: Path) -> None:
    quantised = tmp_path / "quantised.onnx"
    quantize_dynamic(onnx.load(path_of(name)), quantised)  # given a path, it writes files beside it
    document = diff(path_of(name), quantised)
    told = {
        node["name"] for each in document["differences"] if each["kind"] == "quantised" for node in each["b"]
    }
    integers = {node.name for node in onnx.load(quantised).graph.node if node.op_type == "MatMulInteger"}
    assert integers
    assert integers <= told
    assert not {"weights", "moved", "removed"} & document["summary"]["by_kind"].keys()


@pytest.mark.parametrize("name", ["bert", "t5"])
def test_two_exporters(name: str) -> None:
    document = diff(path_of(f"{name}.torchscript"), path_of(f"{name}.dynamo"))
    summary = document["summary"]
    assert summary["modules_same"] > summary["modules"] / 2
    assert summary["nodes_same"] > document["b"]["nodes"] / 2
    # The weights are those of one model, except the values for minus infinity in masks.
    changed = [each for each in document["differences"] if each["kind"] == "weights"]
    assert all(node["op_type"] == "Where" for each in changed for node in each["b"])


def test_float16_is_another_precision(tmp_path: Path) -> None:
    model = onnx.load(path_of("bert.torchscript"))
    weight = next(
        each
        for each in model.graph.initializer
        if each.name.endswith("query.weight") or "MatMul" in each.name
    )
    values = numpy_helper.to_array(weight).astype(np.float16)
    name = weight.name
    weight.CopyFrom(numpy_helper.from_array(values, name + "_half"))
    model.graph.node.insert(0, onnx.helper.make_node("Cast", [name + "_half"], [name], to=1))
    onnx.save(model, tmp_path / "half.onnx")
    document = diff(path_of("bert.torchscript"), tmp_path / "half.onnx")
    assert document["summary"]["by_kind"] == {"added": 1, "precision": 1}


def test_weights_in_other_files(tmp_path: Path) -> None:
    """Weights are compared wherever they are stored. If they cannot be read, this is reported."""
    model = onnx.load(path_of("bert.torchscript"))
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()

    def save(path: Path) -> None:
        onnx.save(model, path, save_as_external_data=True, size_threshold=0, location="weights.bin")

    save(tmp_path / "one" / "model.onnx")
    model = onnx.load(path_of("bert.torchscript"))
    model.graph.initializer.sort(key=lambda each: each.name, reverse=True)  # they are at other offsets
    save(tmp_path / "other" / "model.onnx")
    one, other = tmp_path / "one" / "model.onnx", tmp_path / "other" / "model.onnx"
    for a, b in ((one, other), (path_of("bert.torchscript"), one), (other, path_of("bert.torchscript"))):
        document = diff(a, b)
        assert document["same"]
        assert document["summary"]["weights_not_compared"] == 0
    data = bytearray((other.parent / "weights.bin").read_bytes())
    weight = next(
        each
        for each in onnx.load(other, load_external_data=False).graph.initializer
        if len(each.dims) == 2 and each.data_type == 1
    )
    offset = int({entry.key: entry.value for entry in weight.external_data}["offset"])
    data[offset : offset + 4] = np.float32(9).tobytes()
    (other.parent / "weights.bin").write_bytes(data)
    assert diff(one, other)["summary"]["by_kind"].keys() == {"weights"}
    # Files outside of the folder are not read, nor through a link.
    (other.parent / "weights.bin").rename(tmp_path / "weights.bin")
    (other.parent / "weights.bin").symlink_to(tmp_path / "weights.bin")
    document = diff(one, other)
    assert document["summary"]["weights_not_compared"] > 0
    # Weights that are not compared are not the same, even if both models lack the data.
    assert not document["same"]
    assert document["summary"]["by_kind"].keys() == {"not_compared"}
    assert diff(other, other)["summary"]["by_kind"].keys() == {"not_compared"}
    assert diff(other, other, "--ignore", "not_compared")["same"]


def test_weights_in_other_files_and_of_another_type(tmp_path: Path) -> None:
    """Wherever weights are stored, a cast is recognised, and fused nodes are found by their inputs."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    half = convert_float_to_float16(onnx.load(path_of("bert.torchscript")), keep_io_types=True)
    fused = onnx.load(optimised(path_of("bert.torchscript"), tmp_path / "optimised.onnx"))
    for folder, model in (("half", half), ("fused", fused)):
        inside, beside = tmp_path / f"{folder}.onnx", tmp_path / folder / "model.onnx"
        beside.parent.mkdir()
        onnx.save(model, inside)
        onnx.save(model, beside, save_as_external_data=True, size_threshold=0, location="weights.bin")
        expected = diff(path_of("bert.torchscript"), inside)["summary"]
        assert diff(path_of("bert.torchscript"), beside)["summary"] == expected
        assert "weights" not in expected["by_kind"]


def test_unrelated_models(tmp_path: Path) -> None:
    document = diff(path_of("bert.dynamo"), path_of("resnet.dynamo"))
    assert document["nothing_in_common"]
    assert not diff(path_of("bert.torchscript"), path_of("bert.dynamo"))["nothing_in_common"]
