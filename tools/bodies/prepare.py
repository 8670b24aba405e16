"""Makes the capture of one live model, which exists as Python code before anything is compiled."""

from __future__ import annotations

import json
from pathlib import Path

from tools.accuracy.live_capture import capture_live
from tools.corpus.atomic import write_atomically

from .models import MODELS


def prepare(name: str, folder: Path) -> str:
    """Writes the capture if there is none, and returns a description of what could not be captured."""
    path = folder / f"{name}.capture.json"
    if path.exists():
        return ""
    model = MODELS[name]
    found, missing = capture_live(lambda: (model.live(), {"x": model.inputs()[0]}))
    write_atomically(path, json.dumps(found).encode())
    return missing
