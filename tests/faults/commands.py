"""The commands that get faults, and the files that they read."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import onnx
from tests.hostile import pb

from .injection import ROOT, THENCE, Command

_ONE_THREAD = ("--jobs", "1")  # with several, the order of calls varies
_MODEL, _CAPTURE = "{in}/model.onnx", "{in}/model.capture.json"


def _map(name: str, *arguments: str, out: str = "out", old: bool = True) -> Command:
    """A command that maps the model and writes one file."""
    words = (arguments[0], _MODEL, *arguments[1:], *_ONE_THREAD, "--output", out)
    return Command(name, words, old=(out,) if old else ())


COMMANDS = [
    _map("tag", "tag", "--capture", _CAPTURE),
    _map("tag new", "tag", old=False),
    Command("tag in place", ("tag", "model.onnx", *_ONE_THREAD, "--in-place"), copied=("model.onnx",)),
    Command("tag stdin", ("tag", "-", *_ONE_THREAD, "-o", "out"), old=("out",), stdin="model.onnx"),
    Command(
        "tag pipe", ("tag", "-", *_ONE_THREAD, "-o", "out"), old=("out",), stdin="model.onnx", is_piped=True
    ),
    Command("tag data", ("tag", "{in}/large.onnx", *_ONE_THREAD, "-o", "out"), old=("out",)),
    Command("strip", ("strip", "{in}/tagged.onnx", "-o", "out"), old=("out",)),
    Command("strip in place", ("strip", "tagged.onnx", "--in-place"), copied=("tagged.onnx",)),
    *(_map(f"map {form}", "map", "--format", form) for form in ("table", "json", "jsonl", "csv")),
    Command("map stdout", ("map", _MODEL, *_ONE_THREAD)),
    _map("show", "show"),
    _map("query", "query", "--op", "MatMul"),
    _map("query sql", "query", "--sql", "SELECT name, module FROM nodes"),
    _map("query map", "query", "--op", "MatMul", "--format", "json"),
    Command("explain", ("explain", _MODEL, "#0", *_ONE_THREAD, "-o", "out"), old=("out",)),
    _map("weights", "weights"),
    _map("report", "report"),
    Command(
        "extract",
        ("extract", _MODEL, "--module", "layers.0", *_ONE_THREAD, "-o", "out"),
        old=("out",),
        is_slow=True,
    ),
    Command("fold", ("fold", _MODEL, *_ONE_THREAD, "-o", "out"), old=("out",)),
    Command("unfold", ("unfold", "{in}/folded.onnx", "-o", "out"), old=("out",)),
    Command(
        "transfer",
        ("transfer", _MODEL, "{in}/model.onnx", *_ONE_THREAD, "-o", "out"),
        old=("out", "out.map.json"),
        describing=("out.map.json",),
    ),
    Command(
        "transfer new",
        ("transfer", _MODEL, "{in}/model.onnx", *_ONE_THREAD, "-o", "out"),
        describing=("out.map.json",),
    ),
    Command("transfer map", ("transfer", _MODEL, "{in}/model.onnx", *_ONE_THREAD)),
    Command("diff", ("diff", _MODEL, "{in}/tagged.onnx", "-o", "out"), old=("out",)),
    Command("check", ("check", "{in}/tagged.onnx")),
    Command("check synthesise", ("check", _MODEL, "--synthesise", "-o", "out"), old=("out",)),
    *(
        _map(f"convert {form}", "convert", "--to", form)
        for form in ("graphml", "dot", "csv", "csv-raw", "sqlite", "sarif", "torch-map", "htp-metadata")
    ),
    Command(
        "convert model-explorer",
        ("convert", _MODEL, *_ONE_THREAD, "--to", "model-explorer", "-o", "out", "--overlay", "overlay"),
        old=("out", "overlay"),
        describing=("overlay",),
    ),
    *(
        Command(
            f"profile {form}",
            ("profile", _MODEL, "{in}/profile.json", *_ONE_THREAD, "--format", form, "-o", "out"),
            old=("out",),
        )
        for form in ("table", "json", "csv", "speedscope", "chrome-trace")
    ),
    Command(
        "convert parquet",
        ("convert", _MODEL, *_ONE_THREAD, "--to", "parquet", "-o", "out"),
        old=("out",),
        is_slow=True,
    ),
]


def make_inputs(folder: Path) -> Path:
    """Writes the files that the commands read."""
    folder.mkdir(parents=True)
    examples = ROOT / "examples"
    for name, source in (("model.onnx", "tiny.onnx"), ("model.capture.json", "tiny.capture.json")):
        (folder / name).write_bytes((examples / source).read_bytes())
    for name, command in (("tagged.onnx", "tag"), ("folded.onnx", "fold")):
        words: list[str | Path] = [THENCE, command, folder / "model.onnx"]
        words += ["--quiet", "--output", folder / name]
        subprocess.run(words, check=True)
    proto = onnx.load(folder / "model.onnx")
    onnx.save(
        proto,
        folder / "external.onnx",
        save_as_external_data=True,
        location="external.data",
        size_threshold=0,
    )
    (folder / "large.onnx").write_bytes(_large(folder / "model.onnx"))
    (folder / "profile.json").write_bytes(_profile())
    return folder


def _large(model: Path) -> bytes:
    """The model with a weight so large that it is copied inside the kernel, and written back early."""
    weight = (
        pb.number(1, 17 << 20) + pb.number(2, 3) + pb.message(8, "large") + pb.message(9, bytes(17 << 20))
    )
    return model.read_bytes() + pb.message(7, pb.message(5, weight))  # joined with the graph before it


def _profile() -> bytes:
    """What onnxruntime records of one run."""
    names: list[tuple[str, str, dict[str, str]]] = [("model_run", "Session", {})] + [
        (f"/layers.{i}/fc/MatMul_kernel_time", "Node", {"op_name": "MatMul", "node_index": str(i)})
        for i in (0, 1)
    ]
    events = [
        {
            "cat": category,
            "pid": 1,
            "tid": 1,
            "dur": 5,
            "ts": 10 * i,
            "ph": "X",
            "name": name,
            "args": details,
        }
        for i, (name, category, details) in enumerate(names)
    ]
    return json.dumps(events).encode()
