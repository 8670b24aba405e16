"""Makes the derived models: runs the tools of a pass on an exported model."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tools.corpus.atomic import write_atomically
from tools.passes.recipes import PASSES
from tools.sample.architectures import inputs_of
from tools.sample.choices import choice_of


def derive(name: str, what: str, model: Path, out: Path) -> str:
    feed = {key: value.numpy() for key, value in inputs_of(choice_of(name)).items()}
    with tempfile.TemporaryDirectory() as folder:
        source = model
        for number, step in enumerate(PASSES[what]):
            target = Path(folder) / f"{number}.onnx"
            step.run(source, target, feed)
            source = target
        write_atomically(out, source.read_bytes())
    return what
