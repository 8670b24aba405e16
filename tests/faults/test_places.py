"""Places that cannot be written, places that fill up, and two writers of one place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.injection import MESSAGE, OLD, ROOT, THENCE

_MODEL = ROOT / "examples/tiny.onnx"
_WRITING: dict[str, list[str | Path]] = {
    "map": ["map", _MODEL, "--format", "json"],
    "tag": ["tag", _MODEL],
    "sqlite": ["convert", _MODEL, "--to", "sqlite"],
    "transfer": ["transfer", _MODEL, _MODEL],
    "report": ["report", _MODEL],
    "strip": ["strip", _MODEL],
    "fold": ["fold", _MODEL],
    "check": ["check", _MODEL, "--synthesise"],
}


def _run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = os.environ | environment
    return subprocess.run([THENCE, *words], capture_output=True, env=env, check=False, timeout=120)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=16k", "tmpfs"]
    if subprocess.run(["mount", *options, folder], capture_output=True, check=False).returncode != 0:
        pytest.skip("no permission to mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("name", _WRITING)
def test_full_disk(name: str, small_disk: Path) -> None:
    (small_disk / "out").write_bytes(OLD)
    (small_disk / "filler").write_bytes(bytes(12 << 10))
    before = _files(small_disk)
    done = _run(*_WRITING[name], "--quiet", "--output", small_disk / "out")
    assert done.returncode == 4
    assert MESSAGE.search(done.stderr), done.stderr
    assert b"No space left" in done.stderr or b"full" in done.stderr
    assert _files(small_disk) == before


@pytest.mark.parametrize("name", _WRITING)
def test_link_to_a_file_is_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/real").write_bytes(OLD)
    (tmp_path / "out").symlink_to("elsewhere/real")
    assert _run(*_WRITING[name], "--output", tmp_path / "out").returncode == 0
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "elsewhere/real").read_bytes() != OLD
    assert os.listdir(tmp_path / "elsewhere") == ["real"]


@pytest.mark.parametrize("name", _WRITING)
def test_link_that_leads_to_itself(name: str, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("out")
    done = _run(*_WRITING[name], "--quiet", "--output", tmp_path / "out")
    assert done.returncode == 4
    assert MESSAGE.search(done.stderr), done.stderr
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("name", _WRITING)
def test_folder_that_cannot_be_written(name: str) -> None:
    target = Path("/proc/out")  # even root may not write there
    done = _run(*_WRITING[name], "--quiet", "--output", target)
    assert done.returncode == 4
    assert MESSAGE.search(done.stderr), done.stderr


@pytest.mark.parametrize("name", _WRITING)
def test_folder_as_target(name: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = _run(*_WRITING[name], "--quiet", "--output", tmp_path / "out")
    assert done.returncode == 4
    assert MESSAGE.search(done.stderr), done.stderr
    assert os.listdir(tmp_path) == ["out"]
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("name", _WRITING)
def test_temporary_folder_is_not_needed(name: str, tmp_path: Path) -> None:
    assert _run(*_WRITING[name], "--output", tmp_path / "out", TMPDIR="/proc/nowhere").returncode == 0


def test_profile_needs_a_temporary_folder() -> None:
    done = _run("profile", _MODEL, "--run", "--quiet", TMPDIR="/proc/nowhere")
    assert done.returncode == 4
    assert MESSAGE.search(done.stderr), done.stderr


def test_map_and_model_of_two_writers_fit(tmp_path: Path) -> None:
    """`transfer -o` writes a model and its map. Both must be of the same run, whichever is last."""
    formats = ("class", "ordinal")
    flags: list[str | Path] = [
        "transfer",
        _MODEL,
        _MODEL,
        "-q",
        "-c",
        _MODEL.with_suffix(".capture.json"),
        "--tag-format",
    ]
    fitting = set()
    for form in formats:
        assert _run(*flags, form, "-o", tmp_path / form).returncode == 0
        fitting.add(_pair(tmp_path / form))
    assert len(fitting) == len(formats)
    out = tmp_path / "out.onnx"
    for _ in range(10):
        words = [[THENCE, *flags, form, "-o", out] for form in formats * 2]
        writers = [subprocess.Popen(each) for each in words]
        assert [writer.wait(60) for writer in writers] == [0] * len(writers)
        assert _pair(out) in fitting
    written = (*formats, out.name)
    assert sorted(os.listdir(tmp_path)) == sorted([*written, *(f"{name}.map.json" for name in written)])


def _pair(model: Path) -> tuple[bytes, bytes]:
    return model.read_bytes(), Path(f"{model}.map.json").read_bytes()
