"""`transfer`, `diff`, `diff_stat`, `check` and `eval`: functions for a model and another file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _core
from .comparison_documents import Diff, DiffStat
from .documents import Check, Map, Score, Survival
from .errors import USAGE, Error, translate_errors
from .given import AnyModel, AnyPath, MapOptions, Metadata, Output, core_model
from .verified_transfer import StepVerifier, model_files, named_as_given
from .viewing import NotShown, Shown


def transfer(
    ancestor: AnyModel,
    *models: AnyModel,
    metadata: Metadata | None = None,
    output: AnyPath | None = None,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    rules: AnyPath | None = None,
    granularity: str | None = None,
    verify: bool = False,
) -> Map:
    """The map of an optimised or quantised model, from that of the model it was made from.

    With several models, each is the ancestor of the next. `metadata` is the capture of the ancestor. With
    `output`, the last model is written there with tags, and its map beside it as `OUTPUT.map.json`. With
    `verify`, both models of each step are run on the same inputs, and matches that the numbers refute become
    unknown (`Map.verification`); this needs onnxruntime. The others are those of `map`, as in `thence
    transfer`.

    >>> transfer("examples/tiny.onnx", "examples/tiny.onnx").summary["by_source"]
    {'transferred': 11}
    """
    if not models:
        text = "transfer needs two models: the ancestor and the model made from it"
        raise Error(USAGE, "U022", text, "thence.transfer(ancestor, model)")
    target = Output.of(output, metadata, rules, ancestor, *models[:-1])
    options = MapOptions(metadata, strategy, torch_nn_exceptions, rules=rules, granularity=granularity)
    with options.in_core() as core_options:
        if verify:
            document = _verified((ancestor, *models), core_options, target.text)
            return Map(document, target.path, NotShown("the view of a transfer does not verify matches"))
        chain = [core_model(model) for model in (ancestor, *models)]
        document = json.loads(_core.transfer(chain, core_options, target.text, None))
        if len(models) > 1:
            return Map(document, target.path, NotShown("the view of a transfer has one step, not several"))
        return Map(document, target.path, Shown(models[0], options, ancestor=ancestor))


def _verified(models: Sequence[AnyModel], options: _core.Options, output: str) -> dict[str, Any]:
    with model_files(models) as paths:
        verifier = StepVerifier(paths)
        try:
            text = _core.transfer([core_model(path) for path in paths], options, output, verifier)
        except _core.CoreError:
            if verifier.error is None:
                raise
            raise verifier.error from None
        document: dict[str, Any] = json.loads(text)
        named_as_given(document, paths, models)
        return document


def diff(
    a: AnyModel,
    b: AnyModel,
    metadata: Metadata | None = None,
    metadata_b: Metadata | None = None,
    *,
    ignore: Sequence[str] = (),
) -> Diff:
    """The differences of two models, module by module, as `thence diff` prints them.

    `metadata` is the capture of `a`, `metadata_b` that of `b`. `ignore` lists kinds of difference. The result
    is true if there are differences.

    >>> diff("examples/tiny.onnx", "examples/tiny.onnx").same
    True
    """
    with MapOptions(metadata).in_core() as options_a, MapOptions(metadata_b).in_core() as options_b:
        document, text = _core.diff(
            core_model(a), core_model(b), options_a, options_b, list(ignore), False, None
        )
    return Diff(
        json.loads(document), text.decode(), Shown(a, MapOptions(metadata), diff=b, metadata_b=metadata_b)
    )


def diff_stat(
    a: AnyModel,
    b: AnyModel,
    metadata: Metadata | None = None,
    metadata_b: Metadata | None = None,
    *,
    ignore: Sequence[str] = (),
    depth: int | None = None,
) -> DiffStat:
    """The differences of two models in numbers, one row per module, as `thence diff --stat` prints them.

    Each row has the number of differences by kind, and the relative norm of the changes of the weights.
    Modules deeper than `depth` are added to the module around them. The others are those of `diff`.

    >>> diff_stat("examples/tiny.onnx", "examples/tiny.onnx").total["weights_changed"]
    0
    """
    if depth is not None and depth < 0:
        raise Error(USAGE, "U026", f"depth: {depth} is out of range", "give 0 or more")
    with MapOptions(metadata).in_core() as options_a, MapOptions(metadata_b).in_core() as options_b:
        document, text = _core.diff(
            core_model(a), core_model(b), options_a, options_b, list(ignore), True, depth
        )
    return DiffStat(json.loads(document), text.decode())


def check(model: AnyModel, metadata: Metadata | None = None) -> Check:
    """Whether the tags of a model still fit its nodes, as `thence check` reports it.

    `metadata` is the capture of the tagged model. `add_ids` and `survival` are its other two uses.

    >>> check("examples/tiny.onnx").tagged
    0
    """
    with MapOptions(metadata, ignore_tags=True).in_core() as options:
        return Check(json.loads(_core.check(core_model(model), options)))


def survival(against: AnyModel, *models: AnyModel) -> Survival:
    """What tools did to the ids that `add_ids` wrote into the nodes of `against`, in each of the models.

    It is `thence check MODELS --against FILE`.
    """
    if not models:
        raise Error(USAGE, "U012", "survival needs a model", "thence.survival(against, model)")
    with translate_errors():
        found = _core.survival([core_model(model) for model in models], core_model(against))
    return Survival(json.loads(found))


def eval(
    model: AnyModel,
    truth: AnyPath,
    metadata: Metadata | None = None,
    *,
    ancestor: AnyModel | None = None,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    ignore_tags: bool = False,
) -> Score:
    """A map compared with a truth file, as `thence eval` prints it.

    With `ancestor`, the transfer from that model is scored. A model with tags is refused, unless
    `ignore_tags` is set. The others are those of `map`.
    """
    options = MapOptions(metadata, strategy, torch_nn_exceptions, ignore_tags=ignore_tags)
    with options.in_core() as core_options:
        document, text = _core.score(
            core_model(model),
            core_options,
            os.fspath(truth),
            None if ancestor is None else core_model(ancestor),
        )
    return Score(json.loads(document), text.decode())
