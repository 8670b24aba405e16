"""The first inputs of the fuzz targets, made from the test cases: models, and pairs of a model with what a command
reads beside it. `python -m tests.fuzz.seeds` keeps those that reach new code and replaces the stored inputs;
reproducers of bugs, whose names begin with `bug-`, stay.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.cases.case_file import Case, read_case
from tests.cases.run_case import file_bytes

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
BUILD = ROOT / "build" / "fuzz"
MAX_BYTES = 6000
MOST_INPUTS = 60  # of a folder, of all sizes: `make test` runs every target on them, in seconds
# Flags of `thence query`, and the letters that stand for them in inputs of the target.
SELECTORS = {
    "--module": "m",
    "-m": "m",
    "--under": "u",
    "--class": "c",
    "--role": "r",
    "--component": "k",
    "--layer": "l",
    "--op": "o",
    "--parameter": "p",
    "--source": "s",
    "--where": "w",
    "--shared": "S",
    "--exact": "E",
    "--unknown": "U",
}
REQUESTS = [
    b"GET / HTTP/1.1\r\n@H\r\n@C\r\n\r\nGET /app.js HTTP/1.1\r\n@H\r\n@C\r\n\r\nHEAD /app.css HTTP/1.1\r\n@H\r\n@C\r\n\r\n",
    *(
        b"GET /api/" + question + b" HTTP/1.1\r\n@H\r\n@C\r\n\r\n"
        for question in (
            b"model",
            b"open?id=m0",
            b"children?id=m1&from=0",
            b"node?id=n0",
            b"locate?id=n3",
            b"locate?path=enc.layer.0",
            b"search?text=a&kind=module",
            b"where?text=op_type+%3D+%27Add%27",
            b"review",
            b"flow?id=n0&direction=upstream",
            b"weights?id=n0",
            b"counterparts?id=n0&side=other",
        )
    ),
    b"POST /api/model HTTP/1.1\r\n@H\r\n@C\r\nOrigin: http://127.0.0.1:4321\r\nSec-Fetch-Site: same-origin\r\n"
    b"Content-Length: 0\r\n\r\nGET /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
]
TEXTS = [
    "/enc/layer.0/fc/MatMul\npkg.torch.onnx.name_scopes=['', 'enc', 'enc.layer.0', 'linear']\n"
    "pkg.torch.onnx.class_hierarchy=['pkg.M', 'torch.nn.modules.linear.Linear', 'aten.linear.default']\n"
    "namespace=: pkg.M/enc: pkg.E/linear: aten.linear.default\n/layers.slice(None, 4, None).1/Add_12",
    "node_1\npkg.onnxscript.name_scopes=['', 'model', 'layers', '0']\n"
    "pkg.onnxscript.class_hierarchy=['M', 'N', 'L', 'Linear']\nnode_2\nwinml.hierarchy.tag=/M/E/L.0/A\n"
    'n\npkg.torch.onnx.stack_trace=File "/a/b.py", line 12, in forward\nFile "c.py", line 3, in g\n    return x',
    "a\npkg.thence.module=enc.layer.0\npkg.thence.class=pkg.L\npkg.thence.tag=/M/E/L.0\npkg.thence.confidence=0.99\n"
    "pkg.thence.modules=enc.a enc.b\npkg.thence.fingerprint=0123456789abcdef\npkg.thence.added=namespace",
]


def pair(first: bytes, second: bytes) -> bytes:
    return len(first).to_bytes(4, "little") + first + second


def files_of(case: Case) -> dict[str, bytes]:
    return {name: file_bytes(name, text) for name, text in case.files.items()}


def paired(words: list[str], files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The inputs of targets that take what a command line names."""
    models = [files[word] for word in words if word.endswith(".onnxtxt") and word in files]
    texts = {word: files[word] for word in words if word in files and not word.endswith(".onnxtxt")}
    if words[1] == "query":
        yield "query", query_of(words[2:])
    if len(models) > 1 and words[1] in ("transfer", "diff", "map"):
        yield (
            "transfer",
            pair(models[-1], models[0]) if words[1] == "transfer" else pair(models[0], models[1]),
        )
    if not models or not texts:
        return
    if words[1] == "profile":
        yield "profile", pair(models[0], b"\n== \n".join(texts.values()))
    for name, text in texts.items():
        if name.endswith(".toml"):
            yield "rules", pair(models[0], text)
        elif words[1] == "eval":
            yield "truth", pair(models[0], text)
        elif {"--capture", "-c"} & set(words):
            yield "capture", pair(models[0], text)


def query_of(words: list[str]) -> bytes:
    if "--sql" in words:
        return ("q" + words[words.index("--sql") + 1]).encode()
    lines = []
    for i, word in enumerate(words):
        if word in SELECTORS:
            values = "" if word in ("--shared", "--exact", "--unknown") else words[min(i + 1, len(words) - 1)]
            lines.append(SELECTORS[word] + values)
    return "\n".join(lines).encode()


def archive_text(text: str) -> bytes:
    """An archive in the text form of the target."""
    entries = json.loads(text)
    parts = []
    for name, content in entries.items():
        data = content if isinstance(content, str) else json.dumps(content)
        parts.append(f"== {name}\n{data}\n")
    return "".join(parts).encode()


def weights() -> Iterator[bytes]:
    """A description of a saved model, and its file of weights."""
    modules = [{"path": "", "class": "M"}, {"path": "fc", "class": "L"}]
    pieces = [{"file": 0, "key": "w", "elements": [1, 3]}, {"file": 0, "key": "w"}]
    description = {
        "schema": "thence.capture/1",
        "sections": {
            "hierarchy": {
                "version": 1,
                "modules": modules,
                "parameters": [
                    {"path": "fc.weight", "shape": [2, 2], "dtype": "float32"},
                    {"path": "fc.bias", "shape": [6], "dtype": "float32"},
                ],
            },
            "weights": {
                "version": 1,
                "files": ["model.safetensors"],
                "parameters": [
                    {"path": "fc.weight", "pieces": pieces[1:]},
                    {"path": "fc.bias", "pieces": pieces},
                ],
            },
        },
    }
    for dtype, shape, size in (("F32", [2, 2], 16), ("BF16", [2, 4], 16), ("U8", [4], 4), ("F64", [], 8)):
        header = {
            "w": {"dtype": dtype, "shape": shape, "data_offsets": [0, size]},
            "__metadata__": {"a": "b"},
        }
        text = json.dumps(header).encode()
        file = len(text).to_bytes(8, "little") + text + bytes(range(size))
        yield pair(json.dumps(description).encode(), file)


def seeds() -> dict[str, set[bytes]]:
    """By folder."""
    found: defaultdict[str, set[bytes]] = defaultdict(set)
    for path in sorted((ROOT / "tests" / "cases").rglob("*.case")):
        case = read_case(path)
        files = files_of(case)
        found["models"] |= {data for name, data in files.items() if name.endswith(".onnxtxt")}
        for name, text in case.files.items():
            if name.endswith(".pt2"):
                found["saved_program"] |= {archive_text(text), files[name]}
        for command in case.commands:
            try:
                words = shlex.split(command.line.removeprefix("$ "))
            except ValueError:
                continue
            for target, data in paired(words, files) if len(words) > 1 else ():
                found[target].add(data)
    found["server"] |= set(REQUESTS)
    found["metadata"] |= {text.encode() for text in TEXTS}
    found["safetensors"] |= set(weights())
    return found


def write(folder: Path, contents: set[bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for data in contents:
        if len(data) <= MAX_BYTES:
            (folder / hashlib.sha1(data).hexdigest()[:12]).write_bytes(data)


def keep_covering(target: str, folder: Path, kept: Path) -> None:
    """Copies the inputs that reach code which smaller ones do not."""
    for old in kept.glob("*"):
        if not old.name.startswith("bug-"):
            old.unlink()
    kept.mkdir(parents=True, exist_ok=True)
    program = BUILD / "bin" / f"thence_fuzz_{target}"
    command: list[str | Path] = [program, "-merge=1", "-rss_limit_mb=4096", kept, folder]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    merged = [path for path in kept.iterdir() if not path.name.startswith("bug-")]
    merged.sort(key=lambda path: (path.stat().st_size, path.name))
    for path in set(merged) - set(merged[:: -(-len(merged) // MOST_INPUTS)]):
        path.unlink()


def main() -> int:
    for name, contents in sorted(seeds().items()):
        write(BUILD / "seeds" / name, contents)
        keep_covering("output" if name == "models" else name, BUILD / "seeds" / name, CORPUS / name)
        files = [path.stat().st_size for path in (CORPUS / name).iterdir()]
        print(f"{name}: {len(files)} of {len(contents)} inputs, {sum(files)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
