"""The viewer's page: its types, its style, its logic, and what it does in a real browser."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import zlib
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from tests.cases.schemas import problems
from tests.profile.record import record

ROOT = Path(__file__).resolve().parents[2]
VIEWER = ROOT / "viewer"


def run(command: list[str], cwd: Path, env: dict[str, str] | None = None) -> None:
    result = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-3000:]


@pytest.mark.parametrize("script", ["check", "lint", "test"])
def test_script(script: str) -> None:
    run(["npm", "run", "--silent", script], VIEWER)


def save_chain(path: Path, nodes: list[tuple[str, str]]) -> None:
    """A chain of nodes, each given by its name and operator."""
    made = [
        helper.make_node(op, [f"v{i}"], [f"v{i + 1}"], name=name, domain="test" if op not in ("Neg",) else "")
        for i, (name, op) in enumerate(nodes)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("v0", f"v{len(nodes)}")]
    onnx.save(helper.make_model(helper.make_graph(made, "g", ends[:1], ends[1:])), path)


def test_hostile_and_flat_models(tmp_path: Path) -> None:
    save_chain(
        tmp_path / "hostile.onnx",
        [
            ("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>"),
            ("x" * 1_000_000, "Long"),
            ("a\u202eb\u2066\x01\n", "Bidi"),
            ("{{constructor}}", "&lt;b&gt;"),
        ],
    )
    save_chain(tmp_path / "flat.onnx", [(f"node_{i}", "Neg") for i in range(100_000)])
    env = {"HOSTILE_MODEL": str(tmp_path / "hostile.onnx"), "FLAT_MODEL": str(tmp_path / "flat.onnx")}
    run(["node", "--test", "hostile.test.mjs"], ROOT / "tests" / "browser", env)


SAMPLE = ROOT / "tests" / "models" / "sample"


def drift_row(path: str, error: float | str) -> dict[str, object]:
    """A module of a drift report, as schema/drift.schema.json describes it."""
    row: dict[str, object] = {
        "path": path,
        "class": None,
        "layer": None,
        "role": None,
        "depth": 1,
        "outputs": 1,
    }
    row |= {
        "outputs": 1,
        "sqnr_db": None,
        "cosine": None,
        "max_error": error,
        "relative_error": error,
        "received": None,
    }
    return {**row, "added": 0.125, "nan": False, "inf": error == "inf", "over": True}


@pytest.fixture(scope="module")
def overlays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A model, the model that onnxruntime makes of it, a profile, and a drift report."""
    folder = tmp_path_factory.mktemp("overlays")
    base = SAMPLE / "bert.torchscript.onnx"
    record(base, folder / "profile.json", level="disable")
    record(base, folder / "other.json", level="extended", optimised=folder / "derived.onnx")
    rows = [drift_row("encoder", 0.25), drift_row("embeddings", 1e-7), drift_row("pooler", "inf")]
    drift = {"schema": "thence.drift/1", "reference": "reference.onnx", "modules": rows}
    (folder / "drift.json").write_text(json.dumps(drift))
    return {
        "BASE_MODEL": str(base),
        "DERIVED_MODEL": str(folder / "derived.onnx"),
        "PROFILE": str(folder / "profile.json"),
        "DRIFT": str(folder / "drift.json"),
    }


@pytest.mark.parametrize("file", ["overlays.test.mjs", "screenshots.test.mjs"])
def test_other_files_in_browser(file: str, overlays: dict[str, str]) -> None:
    run(["node", "--test", file], ROOT / "tests" / "browser", overlays)


def data_of(report: Path) -> dict[str, object]:
    """The data inside a report: the size, then a zlib stream, in base 64."""
    found = re.search(r'id="thence-data">([^<]*)<', report.read_text())
    assert found is not None
    packed = base64.b64decode(found.group(1))
    start = next(i for i, byte in enumerate(packed) if byte < 0x80) + 1
    data: dict[str, object] = json.loads(zlib.decompress(packed[start:]))
    return data


def test_the_data_of_a_report_conforms_to_its_schema(overlays: dict[str, str], tmp_path: Path) -> None:
    options = [
        [
            overlays["BASE_MODEL"],
            "--profile",
            overlays["PROFILE"],
            "--drift",
            overlays["DRIFT"],
            "--depth",
            "2",
        ],
        [overlays["DERIVED_MODEL"], "--ancestor", overlays["BASE_MODEL"], "--depth", "3"],
    ]
    for number, given in enumerate(options):
        report = tmp_path / f"report{number}.html"
        run([os.environ["THENCE_BIN"], "report", *given, "-q", "-o", str(report)], tmp_path)
        data = data_of(report)
        assert problems(data, "thence.report/1") == []
        broken = {**data, "depth": "two"}
        assert problems(broken, "thence.report/1")


@pytest.mark.parametrize("file", ["view.test.mjs", "report.test.mjs", "load.test.mjs"])
def test_in_browser(file: str) -> None:
    run(["node", "--test", file], ROOT / "tests" / "browser")


@pytest.mark.long
def test_load_for_a_minute() -> None:
    run(["node", "--test", "load.test.mjs"], ROOT / "tests" / "browser", {"LOAD_SECONDS": "60"})
