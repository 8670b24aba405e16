"""Makes one descendant of a model, with the names that the pass leaves and with random ones.

Unlike tools.passes it makes no truth, which takes most of the time and is not needed for a comparison.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from tools.corpus.atomic import write_atomically
from tools.passes.make import run_on
from tools.passes.randomise import randomised
from tools.passes.recipes import PASSES
from tools.sample.architectures import inputs_of
from tools.sample.choices import choice_of


def descend(name: str, exporter: str, what: str, models: Path, folder: Path) -> str:
    model = onnx.load(models / f"{name}.{exporter}.onnx")
    inputs = {key: value.numpy() for key, value in inputs_of(choice_of(name)).items()}
    feed = {value.name: inputs[value.name] for value in model.graph.input if value.name in inputs}
    for step in PASSES[what]:
        model = run_on(step.run, model, feed)
    made = folder / f"{name}.{exporter}.{what}"
    write_atomically(made.with_name(f"{made.name}.random.onnx"), randomised(model).SerializeToString())
    write_atomically(made.with_name(f"{made.name}.onnx"), model.SerializeToString())
    return ""
