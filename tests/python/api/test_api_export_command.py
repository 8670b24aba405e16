"""`thence export`: sizes, the hub without a network, output of torch, misspelt inputs, and split models."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
from tests.python.api.running import ENVIRONMENT, PROGRAM, files, fits, mapped, read, thence

NOISY = """
import os
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        os.write(2, b"native noise\\n")
        os.write(1, b"native noise\\n")
        return self.fc(x)


class OneSize(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("rows", torch.rand(2, 4))

    def forward(self, x):
        return self.fc(x) + self.rows


class Untraceable(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvals(x @ x.T).real


def noisy():
    return Noisy()


def one_size():
    return OneSize(), {"x": torch.rand(2, 4)}


def untraceable():
    return Untraceable(), {"x": torch.rand(3, 3)}


def misspelt():
    return OneSize(), {"y": torch.rand(2, 4)}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "noise.py").write_text(NOISY)
    return tmp_path


def dims(path: Path) -> list[Any]:
    shape = onnx.load(path).graph.input[0].type.tensor_type.shape
    return [d.dim_param or d.dim_value for d in shape.dim]


def test_sizes_are_dynamic_unless_fixed_ones_are_requested(tmp_path: Path) -> None:
    for flags, expected in (((), ["batch", "sequence"]), (("--static",), [1, 8])):
        done = thence("export", "--exporter", "torchscript", "-q", *flags, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert dims(tmp_path / "model.onnx") == expected


def test_fixed_sizes_are_used_with_a_warning_if_dynamic_ones_fail(folder: Path) -> None:
    done = thence("export", "noise:one_size", "--exporter", "dynamo", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("warning[X024]: OneSize: exported with fixed sizes, because")
    assert dims(folder / "model.onnx") == [2, 4]
    done = thence("export", "noise:one_size", "--exporter", "dynamo", "--static", cwd=folder)
    assert (done.returncode, "X024" in done.stderr) == (0, False)
    done = thence(
        "export", "noise:one_size", "--exporter", "dynamo", "--dynamic", "-o", "no.onnx", cwd=folder
    )
    assert done.returncode == 3
    assert not (folder / "no.onnx").exists()


def test_native_output_is_shown_only_with_verbose(folder: Path) -> None:
    words = ("export", "noise:noisy", "--exporter", "torchscript")
    quiet, verbose = (thence(*words, *flags, cwd=folder) for flags in ((), ("--verbose",)))
    assert (quiet.returncode, quiet.stdout, quiet.stderr.count("\n")) == (0, "", 1), quiet.stderr
    assert "native noise" in verbose.stderr


def test_graphs_that_torch_dumps_are_not_shown(folder: Path) -> None:
    done = thence("export", "noise:untraceable", "--exporter", "torchscript", cwd=folder)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") <= 3, done.stderr
    assert "graph(" not in done.stderr


def test_misspelt_inputs_are_named_with_what_is_near(folder: Path) -> None:
    spec = folder / "spec.json"
    spec.write_text(json.dumps({"inputs": [{"name": "xx", "shape": [2, 4]}]}))
    done = thence("export", "noise:noisy", "--input-spec", spec, cwd=folder)
    assert done.returncode == 3
    assert "names 'xx', which Noisy.forward does not take" in done.stderr
    assert "did you mean 'x'?" in done.stderr
    done = thence("export", "noise:misspelt", cwd=folder)
    assert done.returncode == 3
    assert done.stderr.startswith("error[X011]: the inputs name 'y', which OneSize.forward does not take")
    spec.write_text(json.dumps({"inputs": [{"name": "inptu_ids", "shape": [2, 4]}]}))
    done = thence("export", "--input-spec", spec, cwd=folder)  # a model that accepts any name
    assert done.returncode == 3
    assert "names 'inptu_ids', which BertModel.forward does not declare; near: input_ids" in done.stderr


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        for connection in kept:
            connection.close()


@pytest.mark.parametrize("case", ["silent", "refused", "offline"])
def test_no_network_is_reported_at_once(case: str, silent_server: str, tmp_path: Path) -> None:
    hub = silent_server if case == "silent" else "http://127.0.0.1:9"
    environment = {**ENVIRONMENT, "HF_ENDPOINT": hub, "HF_HUB_CACHE": str(tmp_path / "cache")}
    del environment["HF_HUB_OFFLINE"]
    words = [str(PROGRAM), "export", "nobody/has-this-model", *(["--offline"] if case == "offline" else [])]
    start = time.monotonic()
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert done.stderr.startswith("error[X001]: nobody/has-this-model: is neither a local folder nor in the")
    assert str(tmp_path / "cache") in done.stderr
    assert "--offline" in done.stderr
    assert ("cannot be reached" in done.stderr) == (case != "offline")
    start_of_python = _seconds_to_start_python()
    assert time.monotonic() - start - start_of_python < 3 + start_of_python
    assert files(tmp_path) == []


def _seconds_to_start_python() -> float:
    """On a busy machine, Python alone takes longer than the request may."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", "import thence"], env=ENVIRONMENT, check=True, timeout=60)
    return time.monotonic() - start


def test_a_cached_model_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from thence.errors import Error
    from thence.hub import prepare_to_load

    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    (tmp_path / "models--someone--tiny/snapshots/0").mkdir(parents=True)
    prepare_to_load("someone/tiny")
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    with pytest.raises(Error, match="someone/other"):
        prepare_to_load("someone/other")
    for local in (None, str(tmp_path), "nets:net", "./missing"):
        prepare_to_load(local)


T5 = {
    "model_type": "t5",
    "architectures": ["T5ForConditionalGeneration"],
    **{"d_model": 32, "d_ff": 64, "d_kv": 16, "num_heads": 2, "num_layers": 1, "vocab_size": 64},
    **{"is_encoder_decoder": True, "decoder_start_token_id": 0},
}


def test_split_writes_two_models_and_one_capture(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(T5))
    words = ("export", "config.json", "--split", "--exporter", "torchscript", "-o", "out")
    done = thence(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    assert files(out) == ["decoder_model.onnx", "encoder_model.onnx", "model.capture.json"]
    assert len(done.stderr.splitlines()) == 2
    fits(read(out / "model.capture.json"), "capture")
    for name, inside, outside in (("encoder", "encoder", "decoder"), ("decoder", "decoder", "encoder")):
        rows = mapped(out / f"{name}_model.onnx", "--capture", out / "model.capture.json")["nodes"]
        paths = [row["module"] or "" for row in rows]
        assert any(path.startswith(f"{inside}.block.0") for path in paths)
        assert not any(path.startswith(f"{outside}.block") for path in paths)
    before = {path: path.read_bytes() for path in out.iterdir()}
    # The second move fails: everything is as it was.
    (out / "decoder_model.onnx").unlink()
    (out / "decoder_model.onnx").mkdir()
    done = thence(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr.startswith("error[X030]")) == (4, True), done.stderr
    assert files(out) == ["decoder_model.onnx", "encoder_model.onnx", "model.capture.json"]
    for name in ("encoder_model.onnx", "model.capture.json"):
        assert (out / name).read_bytes() == before[out / name]


def test_a_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    done = thence("export", "--split", "-o", "out", cwd=tmp_path)  # the tiny model has no decoder
    assert done.returncode == 3
    assert done.stderr.startswith("error[X004]: BertModel cannot be split into encoder and decoder")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("flags", "text"), [(("--static", "--dynamic"), "--dynamic"), (("--split", "--sidecar"), "--split")]
)
def test_options_that_exclude_each_other(flags: tuple[str, ...], text: str, tmp_path: Path) -> None:
    done = thence("export", *flags, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error[U035]: {text} and ")
