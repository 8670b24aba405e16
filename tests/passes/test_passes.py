"""The tools run for real on models of the sample: what they leave has a truth, as the ancestor has it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.cases.schemas import problems
from tools.corpus.apart import apart
from tools.passes.__main__ import outcomes
from tools.passes.make import descended, run_on
from tools.passes.recipes import PASSES
from tools.sample.architectures import inputs_of
from tools.sample.choices import choice_of
from tools.sample.walk import places

SAMPLE = Path(__file__).parents[1] / "models/sample"
MODELS = ("bert.torchscript", "resnet.dynamo")
RUN = ("ort-extended", "onnxslim", "dynamic", "prepared-qdq")
AT_A_TIME = 2


def made_apart(model: str, what: str, folder: Path) -> dict[str, Any]:
    name, exporter = model.split(".")
    ok, said = apart("tools.passes.make", "make", name, exporter, what, SAMPLE, folder, limit=120, most=5000)
    assert ok, said
    counts: dict[str, Any] = json.loads(said)
    return counts


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[tuple[str, str], dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("passes")
    wanted = [(model, what) for model in MODELS for what in RUN]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        counts = pool.map(lambda pair: made_apart(pair[0], pair[1], folder), wanted)
        return folder, dict(zip(wanted, counts, strict=True))


Made = tuple[Path, dict[tuple[str, str], dict[str, Any]]]
EACH = pytest.mark.parametrize(("model", "what"), [(model, what) for model in MODELS for what in RUN])


@EACH
def test_truth_fits_its_file_and_its_schema(made: Made, model: str, what: str) -> None:
    folder, _ = made
    truth = json.loads((folder / f"{model}.{what}.truth.json").read_text())
    assert problems(truth, "thence.truth/1") == []
    assert (truth["ancestor"], truth["pass"]) == (f"{model}.onnx", what)
    rows = [(row["graph"], row["index"]) for row in truth["nodes"]]
    for kind in ("onnx", "random.onnx"):
        held = onnx.load(folder / f"{model}.{what}.{kind}")
        assert [(place.graph, place.index) for place in places(held)] == rows
    paths = {module["path"] for module in truth["modules"]}
    assert {row["module"] for row in truth["nodes"]} - {None} <= paths


@EACH
def test_almost_all_data_has_a_truth(made: Made, model: str, what: str) -> None:
    counts = made[1][model, what]
    assert counts["data told"] >= 0.97 * counts["data"]
    assert counts["both agree"] > 0
    assert "not run" not in counts


@EACH
def test_owners_are_those_of_the_nodes_they_come_from(made: Made, model: str, what: str) -> None:
    """And names that survived, which are the ancestor's own here, say the same."""
    folder, _ = made
    before = json.loads((SAMPLE / f"{model}.truth.json").read_text())["nodes"]
    owner = {(row["graph"], row["index"]): row["module"] for row in before}
    giver = {
        place.node.output[0]: (place.node.op_type, owner[place.graph, place.index])
        for place in places(onnx.load(SAMPLE / f"{model}.onnx"))
    }
    truth = json.loads((folder / f"{model}.{what}.truth.json").read_text())
    held = list(places(onnx.load(folder / f"{model}.{what}.onnx")))
    named = 0
    for row, place in zip(truth["nodes"], held, strict=True):
        if row["module"] is None:
            continue
        assert row["module"] == owner[row["ancestor"]["graph"], row["ancestor"]["index"]]
        op_type, module = giver.get(place.node.output[0], ("", None))
        if op_type == place.node.op_type and module is not None:
            named += 1
            assert module in (row["module"], *row.get("accept", []))
    assert named > 10


def test_ids_leave_no_trace_in_what_a_pass_gives() -> None:
    """What comes of the model with ids, once they are taken back, is what comes of the model itself."""
    model = onnx.load(SAMPLE / "bert.torchscript.onnx")
    feed = {key: value.numpy() for key, value in inputs_of(choice_of("bert")).items()}
    rows = json.loads((SAMPLE / "bert.torchscript.truth.json").read_text())["nodes"]
    for what in ("ort-basic", "dynamic"):
        plain = run_on(PASSES[what][0].run, model, feed)
        copy = onnx.load(SAMPLE / "bert.torchscript.onnx")
        other, _, _ = descended(copy, rows, feed, PASSES[what])
        # Not inputs: which of several equal constants stays is a matter of how names are hashed.
        wanted = [(n.op_type, n.name, *n.output) for n in plain.graph.node]
        assert [(n.op_type, n.name, *n.output) for n in other.graph.node] == wanted


def test_the_last_word_on_a_job_counts(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    assert outcomes(report) == {}
    row = {"name": "a", "exporter": "dynamo", "pass": "qdq"}
    report.write_text(json.dumps(row | {"ok": False}) + "\n" + json.dumps(row | {"ok": True}) + "\n")
    assert outcomes(report)["a", "dynamo", "qdq"]["ok"]
