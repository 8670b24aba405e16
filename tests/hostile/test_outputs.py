"""A malicious folder must not determine which file is replaced."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest
from tests.hostile.program import SAMPLE, check_error, run

MODEL = SAMPLE / "resnet.torchscript.onnx"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    shutil.copy(MODEL, path)
    return path


@pytest.mark.parametrize("dangling", [False, True])
def test_planted_link_is_replaced_not_followed(model: Path, dangling: bool) -> None:
    """transfer derives the name of the map: the user did not choose the existing file."""
    victim = model.parent / "profile"
    if not dangling:
        victim.write_text("precious")
    sidecar = model.parent / "e.onnx.map.json"
    sidecar.symlink_to(victim)
    assert run("transfer", model, model, "-q", "-o", model.parent / "e.onnx").code == 0
    assert not sidecar.is_symlink()
    json.loads(sidecar.read_text())
    assert not victim.exists() if dangling else victim.read_text() == "precious"


def test_output_link_of_the_user_is_followed(model: Path) -> None:
    (model.parent / "target.json").write_text("old")
    (model.parent / "link.json").symlink_to("target.json")
    assert run("map", model, "-q", "-f", "json", "-o", model.parent / "link.json").code == 0
    assert (model.parent / "link.json").is_symlink()
    json.loads((model.parent / "target.json").read_text())


def test_device_output_writes_no_map_beside_it(model: Path) -> None:
    device = model.parent / "null"
    device.symlink_to("/dev/null")
    assert run("transfer", model, model, "-q", "-o", device).code == 0
    assert not (model.parent / "null.map.json").exists()


def test_special_permission_bits_are_not_kept(model: Path) -> None:
    output = model.parent / "map.json"
    output.write_text("old")
    output.chmod(0o7754)
    assert run("map", model, "-q", "-f", "json", "-o", output).code == 0
    assert stat.S_IMODE(output.stat().st_mode) == 0o754


@pytest.mark.parametrize(
    "command", [("map",), ("convert", "--to", "csv"), ("convert", "--to", "sqlite"), ("show",)]
)
@pytest.mark.parametrize("linked", [False, True])
def test_no_command_replaces_its_own_input(model: Path, command: tuple[str, ...], linked: bool) -> None:
    output = model.parent / "link" if linked else model
    if linked:
        output.symlink_to(model)
    before = model.read_bytes()
    name, *flags = command
    check_error(run(name, model, "-q", *flags, "-o", output), 2, output.name)
    assert model.read_bytes() == before


def test_diff_does_not_replace_its_second_model(model: Path) -> None:
    other = model.parent / "other.onnx"
    shutil.copy(model, other)
    check_error(run("diff", model, other, "-q", "-o", other), 2, "other.onnx")
    assert other.read_bytes() == model.read_bytes()


def test_check_does_not_replace_what_it_compares(model: Path) -> None:
    marked, other = model.parent / "marked.onnx", model.parent / "other.onnx"
    assert run("check", model, "--synthesise", "-q", "-o", marked).code == 0
    shutil.copy(marked, other)
    before = marked.read_bytes()
    for output in (marked, other):
        check_error(run("check", other, "--against", marked, "-o", output), 2, output.name)
        assert output.read_bytes() == before


def test_a_tagged_model_may_replace_the_model(model: Path) -> None:
    assert run("tag", model, "-q", "-o", model).code == 0
    assert run("map", model, "-q").code == 0
