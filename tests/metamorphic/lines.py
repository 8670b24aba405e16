"""Every command that reads a model, in every format: what it prints or writes, and how that is read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TABLES = ("table", "json", "jsonl", "csv", "csv-raw")
CONVERSIONS = (
    *("graphml", "model-explorer", "dot", "csv", "csv-raw", "sarif", "torch-map", "htp-metadata"),
    "sqlite",
)
LISTS = (
    *("nodes-to-exclude", "nodes-to-quantize", "node-block-list", "op-block-list", "op-name-dict", "ignored-scope"),
    *("aimet-quantizers", "tensorrt-names", "extract-io"),
)
PROFILES = ("table", "json", "jsonl", "csv", "csv-raw", "speedscope", "chrome-trace", "collapsed")


@dataclass(frozen=True)
class Line:
    """A command line, and the format of what it prints; `model` and `sqlite` are files that it writes."""

    words: tuple[str, ...]  # MODEL, OTHER, PROFILE, MODULE and OUT stand for what `filled` puts there
    format: str

    @property
    def name(self) -> str:
        return " ".join(word for word in self.words if word not in ("MODEL", "-o", "OUT", "-q"))

    def filled(self, model: Path, folder: Path, module: str = "a") -> list[str | Path]:
        """The words, with files in the folder."""
        places: dict[str, str | Path] = {
            "MODEL": model,
            "OTHER": model,
            "PROFILE": folder / "profile.json",
            "OUT": folder / "out",
            "MODULE": module,
        }
        return [places.get(word, word) for word in self.words]


def line(text: str, format: str) -> Line:
    return Line((*text.split(" "), "-q"), format)


def formats(text: str, names: Iterable[str], option: str = "-f") -> list[Line]:
    return [line(f"{text} {option} {name}", name) for name in names]


LINES: list[Line] = [
    *formats("map MODEL", TABLES),
    line("map MODEL -s all -f json", "json"),
    *formats("show MODEL", TABLES),
    line("show MODEL -f json --order execution --sort flops", "json"),
    *formats("weights MODEL", TABLES),
    *formats("explain MODEL #0", ("table",)),
    line("explain MODEL #0 -f json", "jsonl"),
    *formats("query MODEL --op *", TABLES),
    line("query MODEL --where layer_id>=0 -f json", "json"),
    *[
        Line(("query", "MODEL", "--sql", "SELECT * FROM nodes", "-f", each, "-q"), each)
        for each in ("table", "json", "jsonl", "csv")
    ],
    *[line(f"query MODEL --op * --as {each}", "json") for each in LISTS],
    *[
        line(f"convert MODEL --to {each} -o OUT", each) if each == "sqlite" else line(f"convert MODEL --to {each}", each)
        for each in CONVERSIONS
    ],
    line("report MODEL -o OUT", "html-file"),
    *formats("check MODEL", TABLES),
    *formats("diff MODEL OTHER", ("table", "json", "markdown", "sarif")),
    *formats("diff MODEL OTHER --stat", ("json", "csv")),
    *formats("transfer MODEL OTHER", TABLES),
    *formats("profile MODEL PROFILE", PROFILES),
    line("tag MODEL -o OUT", "model"),
    line("strip MODEL -o OUT", "model"),
    line("check MODEL --synthesise -o OUT", "model"),
    line("fold MODEL -o OUT", "model"),
    line("unfold MODEL -o OUT", "model"),
    line("transfer MODEL OTHER -o OUT", "model"),
]


def write_profile(folder: Path, names: Iterable[str]) -> None:
    """A trace of onnxruntime with one kernel per name."""
    events = [
        {"cat": "Node", "tid": 1, "ts": 10 * i, "dur": 5, "name": f"{name}_kernel_time", "args": {"op_name": "Add"}}
        for i, name in enumerate(names)
    ]
    run = {"cat": "Session", "tid": 1, "ts": 0, "dur": 10 * len(events) + 1, "name": "model_run", "args": {}}
    (folder / "profile.json").write_text(json.dumps([*events, run]))
