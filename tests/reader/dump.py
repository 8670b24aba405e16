"""Runs thence_model_dump on many models at once and compares its output with libprotobuf."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.reader import reference

ROOT = Path(__file__).parents[2]


def tool() -> Path:
    """The dump tool: beside the thence under test; with sanitizers if it was built."""
    named = os.environ.get("THENCE_MODEL_DUMP")
    beside = [os.environ.get("THENCE_ASAN_BIN"), os.environ.get("THENCE_BIN")]
    places = (
        [Path(named)] if named else [Path(path).with_name("thence_model_dump") for path in beside if path]
    )
    places += [ROOT / "build" / preset / "bin/thence_model_dump" for preset in ("asan", "debug", "release")]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(
        "build thence_model_dump first: cmake --preset asan && cmake --build --preset asan"
    )


def dump(paths: Iterable[Path]) -> dict[Path, list[dict[str, Any]]]:
    """The tool's output for each file: its lines, or one line with the error."""
    names = "".join(f"{path}\n" for path in paths)
    # Checking for leaks takes seconds per process on some machines; the unit tests do that.
    options = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")}
    done = subprocess.run(
        [tool(), "--stdin-list"], input=names.encode(), env=options, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    printed: dict[Path, list[dict[str, Any]]] = {}
    for line in done.stdout.split(b"\n")[:-1]:
        seen = json.loads(line)
        if "file" in seen:
            latest = printed.setdefault(Path(seen["file"]), [])
        else:
            latest.append(seen)
    return printed


# Reasons for which thence may refuse what libprotobuf reads: the code, and the condition on the model.
def may_refuse(code: str, data: bytes, model: reference.Message) -> bool:
    match code:
        case "W007":  # groups, which libprotobuf skips
            return True
        case "W011":
            return not data
        case "W012":
            return not model.HasField("graph")
    return False


def difference(data: bytes, printed: list[dict[str, Any]]) -> str | None:
    """A description of the difference between thence and libprotobuf on a file; None if they agree."""
    model = reference.parse(data)
    error = printed[0].get("error") if printed else "nothing was said"
    if model is None:
        return None if error else "libprotobuf refuses it, thence does not"
    if error:
        return None if may_refuse(error, data, model) else f"thence alone refuses it: {printed[0]['text']}"
    expected = reference.lines(model)
    for wanted, seen in zip(expected, printed, strict=False):
        for key in wanted.keys() | seen.keys():
            if wanted.get(key) != seen.get(key):
                place = wanted.get("node") or wanted.get("graph") or "model"
                return f"{place}: {key}: libprotobuf {wanted.get(key)!r}, thence {seen.get(key)!r}"
    return None if len(expected) == len(printed) else f"{len(expected)} lines, not {len(printed)}"


def check_files(paths: list[Path]) -> None:
    """Fails with the first few files on which the two differ."""
    printed = dump(paths)
    differ = []
    for path in paths:
        found = difference(path.read_bytes(), printed[path])
        if found:
            differ.append(f"{path}: {found}")
    assert not differ, f"{len(differ)} of {len(paths)} differ:\n" + "\n".join(differ[:10])


def check_models(models: list[bytes], folder: Path) -> None:
    """The same for bytes; models that differ are kept in the folder."""
    paths = []
    for number, data in enumerate(models):
        path = folder / f"{number}.onnx"
        path.write_bytes(data)
        paths.append(path)
    check_files(paths)
