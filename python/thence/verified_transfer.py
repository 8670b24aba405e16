"""`transfer(..., verify=True)`: runs both models of each step, and compares the tensors that were matched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from .errors import BAD_INPUT, Error
from .given import AnyModel, model_bytes


@contextmanager
def model_files(models: Sequence[AnyModel]) -> Iterator[list[str]]:
    """Yields a path for each model, because a runtime needs files: models in memory are written to some."""
    with tempfile.TemporaryDirectory(prefix="thence.") as folder:
        paths = []
        for number, model in enumerate(models):
            if isinstance(model, (str, os.PathLike)):
                paths.append(os.fspath(model))
                continue
            path = Path(folder) / f"model_{number}.onnx"
            path.write_bytes(model_bytes(model))
            paths.append(str(path))
        yield paths


class StepVerifier:
    """The core calls it once for each step, from the first model to the last."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.error: Exception | None = None  # the core cannot pass it on
        self._steps = pairwise(paths)
        _check_packages()

    def __call__(self, claims: Sequence[tuple[list[str], list[str]]]) -> str | None:
        """One line per claim; None if an error is kept."""
        from .progress import Progress
        from .verify import Claim, NotRun, verify

        ancestor, descendant = next(self._steps)
        stated = [Claim(tuple(ours), tuple(theirs)) for ours, theirs in claims]
        try:
            found = verify(Path(ancestor), Path(descendant), stated, Progress(quiet=True))
        except NotRun as error:
            return f"not_run {error}\n"
        except Exception as error:
            self.error = error
            return None
        return "".join(f"{verdict.line()}\n" for verdict in found)


def _check_packages() -> None:
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        hint = "install them: pip install onnx onnxruntime"
        text = f"verify needs the packages onnx and onnxruntime: {error}"
        raise Error(BAD_INPUT, "X006", text, hint) from error


def named_as_given(document: dict[str, Any], paths: Sequence[str], models: Sequence[AnyModel]) -> None:
    """Replaces the paths of temporary files in a map, which the user does not know."""
    names = {
        path: "bytes"
        for path, model in zip(paths, models, strict=True)
        if not isinstance(model, (str, os.PathLike))
    }
    for place, key in [
        (document["model"], "file"),
        *((row, key) for row in document.get("verification", []) for key in ("ancestor", "descendant")),
    ]:
        place[key] = names.get(place[key], place[key])
