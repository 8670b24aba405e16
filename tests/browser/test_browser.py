"""The viewer's page: its types, its style, its logic, and what it does in a real browser."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

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


@pytest.mark.parametrize("file", ["view.test.mjs", "report.test.mjs", "load.test.mjs"])
def test_in_browser(file: str) -> None:
    run(["node", "--test", file], ROOT / "tests" / "browser")


@pytest.mark.long
def test_load_for_a_minute() -> None:
    run(["node", "--test", "load.test.mjs"], ROOT / "tests" / "browser", {"LOAD_SECONDS": "60"})
