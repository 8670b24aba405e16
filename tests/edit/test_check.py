"""Tags that no longer match are found; ids show what real tools do to nodes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.cases.programs import RELEASE
from tests.models.sample import models

SAMPLE = next(model for model in models() if model.name == "bert.torchscript")
MODEL = SAMPLE.path
COUNTS = ("survived", "retyped", "copied", "merged", "vanished")


def check(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([RELEASE, "check", *arguments], capture_output=True, check=False, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def tagged(tmp_path: Path) -> Path:
    out = tmp_path / "tagged.onnx"
    subprocess.run([RELEASE, "tag", MODEL, "-o", out, "-q"], check=True)
    return out


def test_fresh_tags_pass(tagged: Path) -> None:
    report = json.loads(check(tagged, "--format", "json").stdout)
    assert report["schema"] == "thence.check/1"
    assert report["tagged"] == report["nodes"] > 0
    assert report["findings"] == []


def test_a_model_without_tags_fails() -> None:
    check(MODEL, code=1)


def test_an_edited_node_is_stale(tagged: Path) -> None:
    model = onnx.load(tagged)
    node = next(node for node in model.graph.node if node.op_type == "MatMul")
    node.op_type = "Gemm"
    onnx.save(model, tagged)
    report = json.loads(check(tagged, "--format", "json", code=1).stdout)
    assert report["stale"] == 1
    assert [(f["node"], f["fault"]) for f in report["findings"]] == [(node.name, "stale")]


def test_tag_contradicted_by_the_file(tagged: Path) -> None:
    model = onnx.load(tagged)
    first, last = model.graph.node[0], model.graph.node[-1]
    swapped = {entry.key: entry.value for entry in last.metadata_props}["pkg.thence.module"]
    for entry in first.metadata_props:
        if entry.key == "pkg.thence.module":
            entry.value = swapped
    onnx.save(model, tagged)
    assert "1 contradicted" in check(tagged).stderr
    check(tagged, "--strict", code=1)


def test_module_missing_in_the_capture(tagged: Path, tmp_path: Path) -> None:
    modules = [m for m in SAMPLE.truth["modules"] if not m["path"].startswith("pooler")]
    capture = {
        "schema": "thence.capture/1",
        "sections": {"hierarchy": {"version": 1, "modules": modules}},
    }
    (tmp_path / "c.json").write_text(json.dumps(capture))
    report = json.loads(check(tagged, "-c", tmp_path / "c.json", "--format", "json", code=1).stdout)
    assert report["no_module"] > 0


def ort(level: str) -> Callable[[Path, Path], None]:
    def run(source: Path, out: Path) -> None:
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        settings.optimized_model_filepath = str(out)
        settings.log_severity_level = 4
        onnxruntime.InferenceSession(str(source), settings)

    return run


def by_onnxsim(source: Path, out: Path) -> None:
    import onnxsim  # type: ignore[import-untyped]

    onnx.save(onnxsim.simplify(onnx.load(source))[0], out)


def by_onnxscript(source: Path, out: Path) -> None:
    import onnxscript.optimizer

    onnx.save(onnxscript.optimizer.optimize(onnx.load(source)), out)


def by_rewriter(source: Path, out: Path) -> None:
    import onnxscript.rewriter

    onnx.save(onnxscript.rewriter.rewrite(onnx.load(source)), out)


def by_quantisation(source: Path, out: Path) -> None:
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(onnx.load(source), out)  # given a path, it writes files beside it


def by_float16(source: Path, out: Path) -> None:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(source)), out)


PASSES: dict[str, Callable[[Path, Path], Any]] = {
    "basic": ort("ORT_ENABLE_BASIC"),
    "extended": ort("ORT_ENABLE_EXTENDED"),
    "all": ort("ORT_ENABLE_ALL"),
    "onnxsim": by_onnxsim,
    "optimizer": by_onnxscript,
    "rewriter": by_rewriter,
    "quantised": by_quantisation,
    "float16": by_float16,
}


def test_ids_through_real_optimisers(tmp_path: Path) -> None:
    marked = tmp_path / "marked.onnx"
    check(MODEL, "--synthesise", "-o", marked)
    onnx.checker.check_model(str(marked))
    ids = [
        {e.key: e.value for e in node.metadata_props}["pkg.thence.id"]
        for node in onnx.load(marked).graph.node
    ]
    assert len(set(ids)) == len(ids)
    files = {name: tmp_path / f"{name}.onnx" for name in PASSES}
    for name, run in PASSES.items():
        run(marked, files[name])
    printed = check(*files.values(), "--against", marked, "--format", "csv").stdout
    rows = {Path(row["model"]).stem: row for row in csv.DictReader(io.StringIO(printed))}
    assert rows.keys() == PASSES.keys()
    for name, row in rows.items():
        assert sum(int(row[count]) for count in COUNTS) == int(row["ids"]) == len(ids)
        after = onnx.load(files[name])
        kept = [n for n in after.graph.node if any(e.key == "pkg.thence.id" for e in n.metadata_props)]
        assert int(row["nodes"]) - int(row["fresh"]) == len(kept)
    # onnxsim drops all metadata, as does onnxruntime once it fuses something; others keep some.
    assert int(rows["all"]["vanished"]) == int(rows["onnxsim"]["vanished"]) == len(ids)
    for name in ("optimizer", "rewriter", "quantised", "float16"):
        assert int(rows[name]["survived"]) > len(ids) // 3, rows[name]


def test_unchanged_file_keeps_all_ids(tmp_path: Path) -> None:
    marked = tmp_path / "marked.onnx"
    check(MODEL, "--synthesise", "-o", marked)
    (row,) = json.loads(check(marked, "--against", marked, "--format", "json").stdout)["passes"]
    assert row["survived"] == row["ids"] == row["nodes"]
    assert row["fresh"] == 0
    back = tmp_path / "back.onnx"
    subprocess.run([RELEASE, "strip", marked, "-o", back, "-q"], check=True)
    assert back.read_bytes() == MODEL.read_bytes()


def test_merged_and_copied_ids(tmp_path: Path) -> None:
    marked, after = tmp_path / "marked.onnx", tmp_path / "after.onnx"
    check(MODEL, "--synthesise", "-o", marked)
    model = onnx.load(marked)
    one, other, third = (
        next(e for e in model.graph.node[i].metadata_props if e.key == "pkg.thence.id") for i in (0, 1, 2)
    )
    one.value = "#0, #1"
    other.value = third.value
    onnx.save(model, after)
    (row,) = json.loads(check(after, "--against", marked, "--format", "json").stdout)["passes"]
    assert (row["merged"], row["copied"], row["vanished"]) == (2, 1, 0)


def test_file_without_ids_is_reported_with_a_hint() -> None:
    assert "error[E002]" in check(MODEL, "--against", MODEL, code=3).stderr
