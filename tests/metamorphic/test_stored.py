"""The answers do not depend on how a file stores a model, on how it is given, or on the environment."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.cases.printed_json import run_json
from tests.cases.programs import RELEASE
from tests.metamorphic.answers import map_of
from tests.metamorphic.chosen import FEW, each_model
from tests.metamorphic.stored import STORES
from tests.models.sample import FOLDER, Model, write_capture

COMMANDS: dict[str, Callable[[Path], list[str | Path]]] = {
    "map": lambda path: ["map", path, "-f", "json"],
    "map-table": lambda path: ["map", path],
    "show": lambda path: ["show", path, "-f", "json", "--sort", "flops"],
    "show-table": lambda path: ["show", path],
    "weights": lambda path: ["weights", path],
    "query": lambda path: ["query", path, "--op", "*d*", "-f", "csv"],
    "where": lambda path: ["query", path, "--where", "confidence > 0.5 and op_type ~ '*e*'", "-f", "csv"],
    "graphml": lambda path: ["convert", path, "--to", "graphml"],
    "sarif": lambda path: ["convert", path, "--to", "sarif"],
    "torch-map": lambda path: ["convert", path, "--to", "torch-map"],
}


@each_model(FEW)
def test_other_files_of_the_model(model: Model, tmp_path: Path) -> None:
    """Encodings of protobuf and of tensors, and external data."""
    capture = write_capture(model, tmp_path)
    expected = [answers(model.path, flags) for flags in ((), ("--capture", capture))]
    for name, store in STORES.items():
        (tmp_path / name / "weights").mkdir(parents=True)
        path = store(model.path, tmp_path / name)
        assert [answers(path, flags) for flags in ((), ("--capture", capture))] == expected, name


def answers(path: Path, flags: tuple[str | Path, ...]) -> tuple[object, object]:
    found = map_of(path, *flags)
    del found["model"]
    (weights,) = run_json(RELEASE, "weights", path, "--format", "json", *flags)
    return found, weights["initializers"]


def printed(words: list[str | Path], environment: dict[str, str] | None = None, stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        [RELEASE, *words, "--quiet"],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **(environment or {})},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b""), words
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_input_and_threads(command: str) -> None:
    """As the file with its name, with any number of threads."""
    for model in (FOLDER / "deberta.torchscript.onnx", FOLDER / "resnet.dynamo.onnx"):
        words = COMMANDS[command](model)
        expected = printed(words)
        data = model.read_bytes()
        given = printed(COMMANDS[command](Path("-")), stdin=data)
        assert without_file(given, "standard input", "-") == without_file(expected, str(model), model.name)
        for jobs in ("1", "2", "7"):
            assert printed([*words, "--jobs", jobs]) == expected


def without_file(text: bytes, *names: str) -> bytes:
    """Without the name of the model's file, which some formats print."""
    quoted = [f'"{name}"'.encode() for name in names] + [f'"{quote(name)}"'.encode() for name in names]
    for name in quoted:
        text = text.replace(name, b'""')
    return text


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real locales whose numbers have a comma, and where I is not the capital of i."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None:
        pytest.skip("no localedef")
    for name in ("de_DE", "tr_TR"):
        made = subprocess.run(
            ["localedef", "--no-archive", "-i", name, "-f", "UTF-8", folder / f"{name}.UTF-8"],
            capture_output=True,
            check=False,
        )
        if made.returncode > 1:  # 1: with warnings
            pytest.skip(f"no locale: {made.stderr.decode()[:200]}")
    return folder


def test_locales_are_in_effect(locales: Path) -> None:
    environment = {**os.environ, "LOCPATH": str(locales), "LC_ALL": "de_DE.UTF-8"}
    done = subprocess.run(["locale", "decimal_point"], capture_output=True, env=environment, check=True)
    assert done.stdout == b",\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_locale(command: str, locales: Path) -> None:
    words = COMMANDS[command](FOLDER / "resnet.dynamo.onnx")
    found = {
        printed(words, {"LOCPATH": str(locales), "LC_ALL": name, "LANGUAGE": name})
        for name in ("C", "de_DE.UTF-8", "tr_TR.UTF-8")
    }
    assert len(found) == 1
