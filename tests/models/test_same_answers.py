"""Answers do not depend on runs, locales, hash seeds or the order of nodes. JSON conforms to the schemas."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import onnx
import pytest
from tests.cases.printed_json import check_printed_json, run_json
from tests.cases.programs import RELEASE, programs
from tests.cases.shuffle import differences, shuffled
from tests.models.sample import Model, models, write_capture

MODELS = models()
LOCALES = ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "none.such")
COMMANDS = (("map", "json"), ("map", "csv"), ("map", "table"), ("show", "json"), ("show", "table"))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_output_is_the_same_in_every_run(model: Model) -> None:
    """Names are hashed with a different seed in each run; text must not depend on the locale."""
    for command, output_format in COMMANDS:
        printed = {
            subprocess.run(
                [RELEASE, command, model.path, "--format", output_format],
                env={**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONHASHSEED": str(run)},
                capture_output=True,
                check=True,
            ).stdout
            for run, locale in enumerate(LOCALES)
        }
        assert len(printed) == 1


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_order_does_not_matter(model: Model, tmp_path: Path) -> None:
    rows = model.map(RELEASE)["nodes"]
    other, order = shuffled(onnx.load(model.path), seed=7)
    path = tmp_path / "shuffled.onnx"
    path.write_bytes(other.SerializeToString())
    other_rows = run_json(RELEASE, "map", path, "--format", "json")[0]["nodes"]
    assert differences(rows, other_rows, order) == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_printed_json_conforms(model: Model) -> None:
    check_printed_json(RELEASE, model.path)


@pytest.mark.parametrize("program", programs())
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_answers_with_a_capture_conform(model: Model, program: Path, tmp_path: Path) -> None:
    flags = ("--capture", write_capture(model, tmp_path), "--format", "json")
    with_capture = run_json(program, "map", model.path, *flags)[0]
    assert with_capture == model.map(RELEASE, *flags[:2])
    assert run_json(program, "show", model.path, *flags)[0]["modules"]
