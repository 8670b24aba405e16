"""Names of functions never clash with names of modules, whatever is imported first; users' code is typed."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import thence

ROOT = Path(__file__).parents[3]
FUNCTIONS = [name for name in thence.__all__ if name.islower() and name != "__version__"]


def test_no_module_has_the_name_of_a_public_name() -> None:
    modules = {info.name for info in pkgutil.iter_modules(thence.__path__)}
    assert not modules & set(thence.__all__)
    assert not modules & {"profile", "view", "report", "batch", "doctor", "drift"}, (
        "names of future functions"
    )


@pytest.mark.parametrize(
    "first",
    [
        "import thence.capturing",
        "import thence.exporting, thence.exporting.inputs",
        "import thence.querying, thence.asking, thence.comparing, thence.editing",
        "from thence.capturing import capture",
        "from thence import export",
        "import thence; thence.capture; import thence.capturing; import thence.exporting",
        "import thence.live, thence.pipeline, thence.commands",
    ],
)
def test_functions_stay_functions_after_any_import(first: str) -> None:
    code = f"""
import types
{first}
import thence
for name in {FUNCTIONS!r}:
    value = getattr(thence, name)
    assert callable(value) and not isinstance(value, types.ModuleType), name
from thence import capture, export, query
assert all(one.__module__.startswith("thence.") for one in (capture, export, query))
"""
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(ROOT / "python"), "HOME": "/tmp"}
    )


def test_mapping_does_not_import_torch() -> None:
    code = """
import sys, thence
thence.map("examples/tiny.onnx"); thence.show("examples/tiny.onnx"); thence.tag("examples/tiny.onnx")
thence.query("examples/tiny.onnx", op="*"); thence.diff("examples/tiny.onnx", "examples/tiny.onnx")
assert not {"torch", "onnx", "numpy", "pandas", "pyarrow"} & set(sys.modules)
"""
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "python")}
    )


SAMPLE = """
from __future__ import annotations

from pathlib import Path

import torch

import thence

found: thence.Map = thence.map("model.onnx", "model.capture.json")
modules: list[str | None] = [row["module"] for row in found]
share: float = found.coverage
tree: thence.Tree = thence.show(Path("model.onnx"), sizes={"batch": 1})
flops: int | str | None = tree[""]["flops"]
why: str = thence.explain("model.onnx", "#0").evidence[0]["why"]
names: list[str] = [row["name"] for row in thence.query("model.onnx", layer=0, op=["MatMul"])]
count: int = len(thence.sql("model.onnx", "SELECT 1"))
parameters: tuple[str, ...] = thence.weights("model.onnx")[0].parameters
moved: thence.Map = thence.transfer("model.onnx", "optimised.onnx", output="tagged.onnx")
if thence.diff("a.onnx", "b.onnx").same:
    content: bytes = thence.tag("model.onnx").read()
inputs: tuple[str, ...] = thence.extract("model.onnx", "encoder").inputs
functions: int = thence.fold("model.onnx").functions
text: str = thence.convert("model.onnx", "dot").text
exact: float = thence.eval("model.onnx", "truth.json")["exact"]
summary: thence.Summary = thence.export(torch.nn.Linear(2, 2), torch.zeros(1, 2), "model.onnx")
capture: thence.Capture = thence.capture(torch.nn.Linear(2, 2), torch.zeros(1, 2))
mapper = thence.SemanticMapper("model.onnx", capture)
role: str | None = mapper.map_all_nodes()[0]["semantic_type"]
"""


def test_users_code_passes_mypy(tmp_path: Path) -> None:
    """The sample is right; one wrong type in it is found."""
    mypy = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file="]
    environment = {"MYPYPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(SAMPLE)
    wrong.write_text(SAMPLE.replace("share: float", "share: str"))
    run = [*mypy, "--follow-imports=silent", f"--cache-dir={tmp_path}"]
    checked = subprocess.run([*run, right], capture_output=True, text=True, env=environment, check=False)
    assert checked.returncode == 0, checked.stdout
    checked = subprocess.run([*run, wrong], capture_output=True, text=True, env=environment, check=False)
    assert checked.returncode == 1
    assert "share" not in checked.stdout.split("error:")[0]
    assert "float" in checked.stdout
