"""`thence transfer --verify`, from the program to the report: real models, a real optimiser, and descendants
that are wrong on purpose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tests.python.api.running import ENVIRONMENT, PROGRAM, ROOT, files, fits, thence
from tools.passes.optimisers import onnxruntime_saved
from tools.passes.quantisers import dynamic

SAMPLE = ROOT / "tests/models/sample"
ANCESTOR = SAMPLE / "bert.torchscript.onnx"


@pytest.fixture(scope="module")
def optimised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("optimised") / "optimised.onnx"
    onnxruntime_saved("ENABLE_EXTENDED")(ANCESTOR, path, {})
    return path


def verified(*models: Path, flags: tuple[str, ...] = ()) -> Any:
    done = thence("transfer", *models, "--verify", "--format", "json", *flags, cwd=models[-1].parent)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    fits(answer, "map")
    return answer


def changed(model: Path, name: str, change: Any) -> Path:
    """Changes the numbers of a weight, and keeps all names."""
    made = onnx.load(model)
    tensor = next(tensor for tensor in made.graph.initializer if tensor.name == name)
    value = onnx.numpy_helper.to_array(tensor)
    tensor.CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(change(value)), name))
    path = model.parent / f"changed.{len(list(model.parent.iterdir()))}.onnx"
    onnx.save(made, path)
    return path


def pooler_weight(model: Path) -> str:
    return next(
        str(node.input[1]) for node in onnx.load(model).graph.node if node.name.endswith("/pooler/dense/Gemm")
    )


def test_optimised_model_is_confirmed(optimised: Path) -> None:
    (found,) = verified(ANCESTOR, optimised)["verification"]
    assert found["refuted"] == 0
    assert found["not_run"] is None
    assert set(found["not_comparable"]) <= {"too_few_numbers"}  # because of the mask, which is all ones
    assert found["confirmed"] >= 35
    assert found["claims"] == found["confirmed"] + sum(found["not_comparable"].values())


def test_verification_changes_no_confirmed_answer(optimised: Path) -> None:
    plain = thence("transfer", ANCESTOR, optimised, "-f", "json", cwd=optimised.parent)
    assert verified(ANCESTOR, optimised)["nodes"] == json.loads(plain.stdout)["nodes"]


def test_permuted_weight_is_refuted(optimised: Path) -> None:
    """The matcher ignores the order of weights, because optimisers transpose them; numbers do not."""
    wrong = changed(optimised, pooler_weight(optimised), lambda w: w[::-1, ::-1])
    plain = thence("transfer", ANCESTOR, wrong, "-f", "json", cwd=wrong.parent)
    believed = json.loads(plain.stdout)["nodes"][-1]
    assert (believed["module"], believed["level"]) == ("pooler.activation", "high")
    answer = verified(ANCESTOR, wrong)
    refused = answer["nodes"][-1]
    assert (refused["module"], refused["reason"]) == (None, "refuted")
    assert (refused["confidence"], refused["level"]) == (0, "none")
    (found,) = answer["verification"]
    (claim,) = found["refuted_claims"]
    assert found["refuted"] == 1
    assert claim["node"] == f"#{refused['index']}"
    assert claim["off"] > 0.1
    others = [node for node in answer["nodes"][:-1] if node["reason"] == "refuted"]
    assert others == []  # earlier nodes are unchanged


def test_swapped_weights_are_refuted_or_matched_correctly(optimised: Path) -> None:
    """The names are kept, and the weights of query and key are exchanged: each computes the other one."""
    made = onnx.load(optimised)
    first = next(node for node in made.graph.node if node.op_type == "Gemm" and "query" in node.name)
    second = next(node for node in made.graph.node if node.op_type == "Gemm" and "key" in node.name)
    first.input[1], second.input[1] = second.input[1], first.input[1]
    path = optimised.parent / "swapped.onnx"
    onnx.save(made, path)
    answer = verified(ANCESTOR, path)
    by_name = {node["name"]: node for node in answer["nodes"]}
    for node, own in ((first, "query"), (second, "key")):
        row = by_name[node.name]
        assert row["module"] is None or not row["module"].endswith(own)
    (found,) = answer["verification"]
    assert found["refuted"] > 0  # everything that is computed from them differs


def test_report_as_text(optimised: Path) -> None:
    wrong = changed(optimised, pooler_weight(optimised), lambda w: w[::-1, ::-1])
    done = thence("transfer", ANCESTOR, wrong, "--verify", cwd=wrong.parent)
    lines = done.stderr.splitlines()
    assert done.returncode == 0
    at = next(i for i, line in enumerate(lines) if line.endswith(" claims"))
    assert [line.split()[0] for line in lines[at + 1 :]] == ["confirmed", "refuted", "not", "refuted:"]
    assert "pooler/dense/Gemm" in lines[-1]
    assert " off by " in lines[-1]
    quiet = thence("transfer", ANCESTOR, wrong, "--verify", "-q", cwd=wrong.parent)
    assert quiet.stderr == ""


def test_each_step_is_verified(optimised: Path) -> None:
    quantised = optimised.parent / "quantised.onnx"
    dynamic(optimised, quantised, {})
    first, second = verified(ANCESTOR, optimised, quantised)["verification"]
    assert [Path(step["descendant"]).name for step in (first, second)] == ["optimised.onnx", "quantised.onnx"]
    assert first["refuted"] == second["refuted"] == 0
    assert second["confirmed"] > second["claims"] / 2


def test_output_file_contains_the_report(optimised: Path, tmp_path: Path) -> None:
    done = thence("transfer", ANCESTOR, optimised, "--verify", "-o", tmp_path / "tagged.onnx", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == ["tagged.onnx", "tagged.onnx.map.json"]
    assert json.loads((tmp_path / "tagged.onnx.map.json").read_text())["verification"][0]["refuted"] == 0


def test_weights_in_external_data(tmp_path: Path) -> None:
    model = onnx.load(ANCESTOR)
    onnx.save(
        model, tmp_path / "apart.onnx", save_as_external_data=True, location="w.data", size_threshold=1024
    )
    optimised = tmp_path / "optimised.onnx"
    onnxruntime_saved("ENABLE_BASIC")(ANCESTOR, optimised, {})
    external = onnx.load(optimised)
    onnx.save(external, optimised, save_as_external_data=True, location="o.data", size_threshold=1024)
    done = thence("transfer", tmp_path / "apart.onnx", optimised, "--verify", "-f", "json", cwd=Path("/"))
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["verification"]
    assert found["not_run"] is None
    assert found["refuted"] == 0


def test_a_model_that_cannot_be_run_stays_unverified(optimised: Path) -> None:
    made = onnx.load(optimised)
    made.graph.node[-1].domain = "nobody.knows"
    made.opset_import.add(domain="nobody.knows", version=1)
    path = optimised.parent / "foreign.onnx"
    onnx.save(made, path)
    plain = json.loads(thence("transfer", ANCESTOR, path, "-f", "json", cwd=path.parent).stdout)
    answer = verified(ANCESTOR, path)
    (found,) = answer["verification"]
    assert "the descendant cannot be run: " in found["not_run"]
    assert "nobody.knows" in found["not_run"]
    assert (found["confirmed"], found["refuted"]) == (0, 0)
    assert answer["nodes"] == plain["nodes"]
    words = thence("transfer", ANCESTOR, path, "--verify", cwd=path.parent)
    assert "not verified: the descendant cannot be run: " in words.stderr


def run_with(environment: dict[str, str], optimised: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "transfer", ANCESTOR, optimised, "--verify"],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, **environment},
        check=False,
    )


def test_without_the_python_package(optimised: Path, tmp_path: Path) -> None:
    bare = tmp_path / "py"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    done = run_with({"THENCE_PYTHON": str(bare), "PYTHONPATH": str(tmp_path)}, optimised)
    assert (done.returncode, done.stdout) == (2, "")
    missing = f"'thence transfer --verify' needs the Python package thence, which {bare} does not have"
    assert done.stderr.splitlines() == [
        f"error[U008]: {missing}",
        "  help: install it there: pip install thence; or name another interpreter with THENCE_PYTHON",
    ]
    none = run_with({"THENCE_PYTHON": "/nowhere/python"}, optimised)
    assert (none.returncode, none.stdout) == (2, "")
    assert "error[U008]: 'thence transfer --verify' needs Python with the package thence" in none.stderr


def test_without_onnxruntime(optimised: Path, tmp_path: Path) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('not here')\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT / "python")])
    done = run_with({"PYTHONPATH": path}, optimised)
    assert (done.returncode, done.stdout) == (3, "")
    assert "error[X006]: --verify needs the packages onnx and onnxruntime: not here" in done.stderr
    assert "help: install them: pip install onnx onnxruntime" in done.stderr


def test_killed_python(optimised: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -9 $$\n")
    python.chmod(0o755)
    done = run_with({"THENCE_PYTHON": str(python)}, optimised)
    assert (done.returncode, done.stdout) == (4, "")
    assert "error[F005]: Python was ended by signal 9" in done.stderr


def test_standard_input_cannot_be_run(optimised: Path) -> None:
    done = thence("transfer", "-", optimised, "--verify", cwd=optimised.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error[U024]" in done.stderr
