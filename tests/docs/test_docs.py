"""Runs every command line in README.md and docs/: the lines of ```sh fences that begin with `thence`, and the
```sql fences with `thence query`.

A line may end in `# exit N`; without it the program must succeed. The ```python fences of docs/python.md are
one script, and those of docs/exporters.md another; `print(...)  # text` must print that text. Links between
pages must be valid.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnxruntime.quantization import quantize_dynamic
from tests.cases.archive import archive_bytes
from tests.drift.built import Builder, tiny_llama
from tests.profile.record import record

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "models" / "sample"
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
)


# The configuration of the sample, for --model.
SAVED_CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_size": 16,
    "intermediate_size": 20,
    "max_position_embeddings": 32,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "type_vocab_size": 16,
    "vocab_size": 99,
}


def fences(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def command_lines(page: Path) -> list[str]:
    return [line for fence in fences(page, "sh") for line in fence.splitlines() if line.startswith("thence ")]


def python_script(page: Path) -> str:
    """The page with everything except its Python left blank, so that line numbers are the same.

    A fence that begins with `# needs: package` counts only if the package is installed.
    """
    text = page.read_text()
    lines = [""] * text.count("\n")
    for fence in re.finditer(r"^```python\n((?:# needs: (\w+)\n)?.*?)^```", text, re.MULTILINE | re.DOTALL):
        if fence[2] is None or importlib.util.find_spec(fence[2]):
            first = text.count("\n", 0, fence.start(1))
            code = fence[1].splitlines()
            lines[first : first + len(code)] = code
    return "\n".join(lines)


LINES = [
    pytest.param(line, id=f"{page.relative_to(ROOT)}: {line}")
    for page in PAGES
    for line in command_lines(page)
]


def saved_program(modules: list[dict[str, str]]) -> bytes:
    """An archive like that of torch.export.save, of a program that ran one operation in each module."""
    nodes = [
        {
            "name": f"add_{i}",
            "target": "torch.ops.aten.add.Tensor",
            "inputs": [],
            "outputs": [{"as_tensor": {"name": f"add_{i}"}}],
            "metadata": {"nn_module_stack": f"key,{module['path']},{module['class']}"},
        }
        for i, module in enumerate(modules)
    ]
    listed = [{"fqn": module["path"]} for module in modules]
    program = {"graph_module": {"graph": {"inputs": [], "nodes": nodes}, "module_call_graph": listed}}
    return archive_bytes({"model/models/model.json": program})


@pytest.fixture(scope="session")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("quantised") / "quantised.onnx"
    quantize_dynamic(onnx.load(SAMPLE / "bert.torchscript.onnx"), path)  # given a path, it writes beside it
    return path


@pytest.fixture(scope="session")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an optimised model, its profile, and two profiles of the model without optimisations."""
    folder = tmp_path_factory.mktemp("profiled")
    model = SAMPLE / "bert.torchscript.onnx"
    record(model, folder / "profile.json", level="all", optimised=folder / "optimised.onnx")
    for name in ("before.json", "after.json"):
        record(model, folder / name, level="disable")
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a saved language model and a file that a builder made of it, with a damaged layer."""
    folder, model = tmp_path_factory.mktemp("built"), tiny_llama()
    (folder / "model_int4").mkdir()
    model.save_pretrained(folder / "my-model")
    Builder(model, "int4", "/model/layers.1/mlp/down_proj").write(folder / "model_int4" / "model.onnx")
    return folder


@pytest.fixture
def work_folder(tmp_path: Path, quantised: Path, profiled: Path, built: Path) -> Path:
    """A folder with the files that the docs name."""
    folder = tmp_path
    shutil.copy(SAMPLE / "bert.torchscript.onnx", folder / "model.onnx")
    shutil.copy(SAMPLE / "bert.torchscript.onnx", folder / "simplified.onnx")
    shutil.copy(quantised, folder)
    for made_before in (profiled, built):
        shutil.copytree(made_before, folder, dirs_exist_ok=True)
    for made in (
        "tag model.onnx -o tagged.onnx",
        "check model.onnx --synthesise -o marked.onnx",
        "fold model.onnx -o folded.onnx",
    ):
        subprocess.run([os.environ["THENCE_BIN"], *made.split(), "-q"], cwd=folder, check=True)
    truth = json.loads((SAMPLE / "bert.torchscript.truth.json").read_text())
    capture = {
        "schema": "thence.capture/1",
        "sections": {"hierarchy": {"version": 1, "modules": truth["modules"]}},
    }
    (folder / "model.capture.json").write_text(json.dumps(capture))
    (folder / "model.truth.json").write_text(json.dumps(truth))
    (folder / "saved").mkdir()
    (folder / "saved" / "config.json").write_text(json.dumps(SAVED_CONFIG))
    (folder / "model.pt2").write_bytes(saved_program(truth["modules"]))
    (folder / "rules.toml").write_text(fences(ROOT / "docs" / "rules.md", "toml")[0])
    programs = folder / "bin"
    programs.mkdir()
    (programs / "thence").symlink_to(Path(os.environ["THENCE_BIN"]).resolve())
    return folder


def run_line(line: str, work_folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{work_folder / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", line],
        cwd=work_folder,
        env={**os.environ, "PATH": path, "THENCE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=120,
    )


def check_server(line: str, work_folder: Path) -> None:
    """A server runs until it is interrupted: it must print its address."""
    command = [os.environ["THENCE_BIN"], *shlex.split(line)[1:]]
    with subprocess.Popen(command, cwd=work_folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline()
        server.send_signal(signal.SIGINT)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}\n", address)
    assert server.returncode == 130


@pytest.mark.parametrize("line", LINES)
def test_command_line(line: str, work_folder: Path) -> None:
    if line.startswith("thence view "):
        return check_server(line, work_folder)
    noted = re.search(r"# exit (\d+)$", line)
    expected = int(noted.group(1)) if noted else 0
    result = run_line(line, work_folder)
    assert result.returncode == expected, result.stderr
    words = line.split()
    writes_files = {"--output", "-o", "--in-place"} & {*words} or words[1] in ("export", "capture")
    if expected == 0 and not writes_files:
        assert result.stdout.strip()


@pytest.mark.parametrize("sql", [sql for page in PAGES for sql in fences(page, "sql")])
def test_sql(sql: str) -> None:
    command = [os.environ["THENCE_BIN"], "query", str(SAMPLE / "bert.torchscript.onnx"), "--sql", sql]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")


PAGES_WITH_OUTPUT = [
    ROOT / "docs" / "rules.md",
    *(
        page
        for page in (ROOT / "docs" / "questions").glob("*.md")
        # Times, and the last digits of quantised numbers, depend on the machine.
        if page.stem not in ("README", "where-time-goes", "which-layer-diverges")
    ),
]
LINE_AND_OUTPUT = re.compile(r"^```sh\n(thence [^\n]*)\n```\n\n```\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES_WITH_OUTPUT, ids=lambda page: page.stem)
def test_page_shows_the_actual_output(page: Path, work_folder: Path, request: pytest.FixtureRequest) -> None:
    """The page has fences with a command, each followed by one with its output; `--rebase` writes these."""

    def with_output(shown: re.Match[str]) -> str:
        done = run_line(shown[1], work_folder)
        return f"```sh\n{shown[1]}\n```\n\n```\n{done.stdout or done.stderr}```"

    text = page.read_text()
    assert LINE_AND_OUTPUT.search(text)
    actual = LINE_AND_OUTPUT.sub(with_output, text)
    if request.config.getoption("--rebase"):
        page.write_text(actual)
    else:
        assert text == actual


@pytest.mark.parametrize("page", ["python.md", "exporters.md"])
def test_script_of_a_page_runs(page: str, tmp_path: Path) -> None:
    script = python_script(ROOT / "docs" / page)
    (tmp_path / "script.py").write_text(script)
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert result.returncode == 0, result.stderr  # line numbers of script.py are those of the page
    promised = [
        (number, found[1])
        for number, line in enumerate(script.splitlines(), start=1)
        if (found := re.match(r" *print\(.*\)  # (.+)$", line))
    ]
    printed = result.stdout.splitlines()
    assert len(promised) > 5
    assert [
        f"docs/{page}:{number}: printed {line!r}"
        for (number, text), line in zip(promised, printed, strict=False)
        if line != text
    ] == []
    assert len(printed) == len(promised)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_link_targets_exist(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_symbols_in_how_it_works_exist() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text()
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.h"))
    for symbol in re.findall(r"`(?!onnx::\w+_\d)\w+::(\w+)`", text):
        assert re.search(rf"\b{symbol}\b", source), symbol


def test_the_page_and_the_schema_of_explain_list_every_rule() -> None:
    source = (ROOT / "src" / "resolve" / "decision_rule.cpp").read_text()
    rules = re.findall(r'^    \{"(\w+)", "', source, flags=re.MULTILINE)
    assert rules
    schema = json.loads((ROOT / "schema" / "explanation.schema.json").read_text())
    assert schema["properties"]["rule"]["enum"] == rules
    page = (ROOT / "docs" / "commands" / "explain.md").read_text()
    assert re.findall(r"`(\w+)`", page[page.index("## Rules") :]) == ["rule", *rules]


def test_how_it_works_lists_every_matcher() -> None:
    source = (ROOT / "src" / "transfer" / "matchers.cpp").read_text()
    table = source[source.index("table[] = {") : source.index("};")]
    matchers = re.findall(r'\{"(\w+)",\s*"([^"]+)",\s*Proof::(\w+)', table)
    assert len(matchers) == table.count('{"') > 0
    page = (ROOT / "docs" / "how-it-works.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| `(\w+)` \|$", page, flags=re.MULTILINE)
    assert rows == matchers
