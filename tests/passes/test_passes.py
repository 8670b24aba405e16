"""Runs the real tools on models of the sample: their results have a truth that agrees with the ancestor's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.cases.schemas import problems
from tools.accuracy.conditions import ModelFiles
from tools.corpus.isolated import run_isolated
from tools.passes.__main__ import outcomes
from tools.passes.job import Job
from tools.passes.make import run_on, run_steps
from tools.passes.recipes import PASSES
from tools.sample.architectures import inputs_of
from tools.sample.choices import choice_of
from tools.sample.walk import places

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests/models/sample"
AT_A_TIME = 2
# Every pass on at least one model, and some of every kind on each model.
RUN = {
    "bert.torchscript": ("ort-extended", "onnxslim", "prepared-qdq", "onnxscript-opset-ort-extended"),
    "gpt2.dynamo": ("transformers-2", "dynamic", "matmul-4bit", "onnxslim-ort-all", "opset"),
    "resnet.dynamo": ("ort-all", "onnxsim", "qdq", "prepared-qoperator", "onnxsim-float16"),
    "t5.torchscript": ("transformers-1", "float16", "ort-extended-dynamic", "inlined"),
    "vit.dynamo": ("ort-basic", "onnxscript", "qoperator", "onnxsim-ort-basic-qdq"),
    "whisper.torchscript": ("transformers-0", "ort-extended", "dynamic"),
}
WANTED = [
    Job(name, exporter, what)
    for model, passes in RUN.items()
    for name, exporter in [model.split(".")]
    for what in passes
]
Made = tuple[Path, dict[Job, dict[str, Any]]]
EACH = pytest.mark.parametrize("job", WANTED, ids=".".join)


def make_in_subprocess(job: Job, folder: Path) -> dict[str, Any]:
    ok, message = run_isolated("tools.passes.make", "make", *job, SAMPLE, folder, limit=120, max_length=5000)
    assert ok, message
    counts: dict[str, Any] = json.loads(message)
    return counts


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("passes")
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        counts = pool.map(lambda job: make_in_subprocess(job, folder), WANTED)
        return folder, dict(zip(WANTED, counts, strict=True))


def test_every_pass_is_run() -> None:
    assert {job.what for job in WANTED} == set(PASSES)


@EACH
def test_truth_matches_its_file_and_schema(made: Made, job: Job) -> None:
    at = ModelFiles(job.name, SAMPLE, made[0])
    truth = json.loads(at.made(job.exporter, job.what, "truth.json").read_text())
    assert problems(truth, "thence.truth/1") == []
    assert (truth["ancestor"], truth["pass"]) == (at.model(job.exporter).name, job.what)
    rows = [(row["graph"], row["index"]) for row in truth["nodes"]]
    for kind in ("onnx", "random.onnx"):
        held = onnx.load(at.made(job.exporter, job.what, kind))
        assert [(place.graph, place.index) for place in places(held)] == rows
    paths = {module["path"] for module in truth["modules"]}
    assert {row["module"] for row in truth["nodes"]} - {None} <= paths


@EACH
def test_almost_all_data_has_a_truth(made: Made, job: Job) -> None:
    counts = made[1][job]
    # After several passes, the owner of a further output of a merged node is unknown.
    least = 0.96 if len(PASSES[job.what]) < 3 else 0.92
    assert counts["data told"] >= least * counts["data"]
    compared = PASSES[job.what][-1].tolerance is not None
    assert (counts.get("both agree", 0) > 0) == compared
    assert "not run" not in counts


@EACH
def test_owners_equal_those_of_the_origin_nodes(made: Made, job: Job) -> None:
    """Surviving names, which here are those of the ancestor, agree with the truth."""
    at = ModelFiles(job.name, SAMPLE, made[0])
    before = json.loads(at.truth(job.exporter).read_text())["nodes"]
    owner = {(row["graph"], row["index"]): row["module"] for row in before}
    giver = {
        place.node.output[0]: (place.node.op_type, owner[place.graph, place.index])
        for place in places(onnx.load(at.model(job.exporter)))
    }
    truth = json.loads(at.made(job.exporter, job.what, "truth.json").read_text())
    held = list(places(onnx.load(at.made(job.exporter, job.what))))
    named = 0
    for row, place in zip(truth["nodes"], held, strict=True):
        if row["module"] is None:
            continue
        assert row["module"] == owner[row["ancestor"]["graph"], row["ancestor"]["index"]]
        op_type, module = giver.get(place.node.output[0], ("", None))
        if op_type == place.node.op_type and module is not None:
            named += 1
            assert module in (row["module"], *row.get("accept", []))
    assert named > 0


def test_ids_do_not_change_the_result_of_a_pass() -> None:
    """A pass on the model with ids, which are then removed, has the same result as on the model itself."""
    model = onnx.load(SAMPLE / "bert.torchscript.onnx")
    feed = {key: value.numpy() for key, value in inputs_of(choice_of("bert")).items()}
    rows = json.loads((SAMPLE / "bert.torchscript.truth.json").read_text())["nodes"]
    for what in ("ort-basic", "dynamic"):
        plain = run_on(PASSES[what][0].run, model, feed)
        copy = onnx.load(SAMPLE / "bert.torchscript.onnx")
        other, _, _ = run_steps(copy, rows, feed, PASSES[what])
        # Inputs are not compared: which of several equal constants is kept depends on the hashes of names.
        wanted = [(n.op_type, n.name, *n.output) for n in plain.graph.node]
        assert [(n.op_type, n.name, *n.output) for n in other.graph.node] == wanted


def test_last_report_of_a_job_counts(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    assert outcomes(report) == {}
    row = {"name": "a", "exporter": "dynamo", "pass": "qdq"}
    report.write_text(json.dumps(row | {"ok": False}) + "\n" + json.dumps(row | {"ok": True}) + "\n")
    assert outcomes(report)[Job("a", "dynamo", "qdq")]["ok"]


WITHOUT_THE_CORE = """
import sys, types
core = sys.modules["thence._core"] = types.ModuleType("thence._core")
core.version = "none"
import tools.passes.make
ours = {name for name in sys.modules if name.split(".")[0] == "thence"}
allowed = {"thence", "thence._core", "thence.progress", "thence.errors", "thence.limits", "thence.messages"}
print(*sorted(name for name in ours - allowed if not name.startswith("thence.verify")))
"""


def test_truth_is_made_without_the_core() -> None:
    """The program under test must not affect the truth. Of the package, only the code that runs models and
    compares numbers is used, without the native core, which is not even loaded here."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_CORE],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
