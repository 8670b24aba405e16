"""`tag`, `strip`, `extract`, `fold`, `unfold` and `convert`: functions like the commands that make a file.

With `output` they write a file, as a whole or not at all, and replace one that is there. Without it, the
result has the content.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from .documents import Map
from .errors import NOTHING_FOUND, USAGE, Error, translate_errors
from .files import (
    Converted,
    ExtractedModel,
    FoldedModel,
    MadeModel,
    StrippedModel,
    TaggedModel,
    UnfoldedModel,
)
from .given import AnyModel, AnyPath, MapOptions, Metadata, Output, check_choice, core_model

FORMATS = (*_core.text_formats, "parquet", "sqlite")


def tag(
    model: AnyModel,
    metadata: Metadata | None = None,
    *,
    output: AnyPath | None = None,
    namespace: bool = False,
    strip_stack_traces: bool = False,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
    rules: AnyPath | None = None,
    granularity: str | None = None,
    ignore_tags: bool = False,
) -> TaggedModel:
    """Writes the module of each node into the model, as `thence tag` does. All other bytes stay the same.

    `output` may be the model itself. `namespace` also writes the property that Model Explorer shows, and
    `strip_stack_traces` removes those of the exporter. The others are those of `map`.

    >>> tagged = tag("examples/tiny.onnx")
    >>> tagged.tagged, tagged.nodes
    (11, 11)
    """
    target = Output.of(output, metadata, rules)
    options = MapOptions(metadata, strategy, torch_nn_exceptions, tag_format, rules, granularity, ignore_tags)
    with options.in_core() as core_options:
        content, document = _core.tag(
            core_model(model), core_options, target.text, namespace, strip_stack_traces
        )
    answers = Map(json.loads(document), target.path)
    counts = answers.summary
    known = counts["nodes"] - counts["unknown"]
    return TaggedModel(target.path, content, target.existed, counts["nodes"], known, answers)


def strip(model: AnyModel, *, output: AnyPath | None = None) -> StrippedModel:
    """Removes everything that thence wrote into a model, as `thence strip` does.

    >>> strip(tag("examples/tiny.onnx").read()).read() == open("examples/tiny.onnx", "rb").read()
    True
    """
    target = Output.of(output)
    with translate_errors():
        content, had_tags = _core.strip(core_model(model), target.text)
    return StrippedModel(target.path, content, target.existed, had_tags)


def add_ids(model: AnyModel, *, output: AnyPath | None = None) -> MadeModel:
    """Writes a unique id into every node, as `thence check --synthesise` does; see `survival`."""
    target = Output.of(output)
    with translate_errors():
        content = _core.add_ids(core_model(model), target.text)
    return MadeModel(target.path, content, target.existed)


def extract(
    model: AnyModel,
    module: str,
    metadata: Metadata | None = None,
    *,
    output: AnyPath | None = None,
    call: int | None = None,
    keep_names: bool = False,
    types: Mapping[str, Mapping[str, Any]] | None = None,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
) -> ExtractedModel:
    """Makes a model of one module, as `thence extract` does.

    `module` is its path, and `call` the number of the call, if it runs several times. Inputs and outputs are
    named after the module, unless `keep_names` is set. Types come from the model; where it has none, onnx
    infers them, unless `types` gives them: `{"name": {"elem_type": 1, "shape": [1, "batch"]}}`.

    >>> extract("examples/tiny.onnx", "layers.0").outputs
    ('layers.0.output',)
    """
    target = Output.of(output, metadata)
    given = core_model(model)

    def run(text: str, *, allow_untyped: bool) -> tuple[bytes | None, dict[str, Any]]:
        return _core.extract(given, core_options, module, call, keep_names, text, allow_untyped, target.text)

    options = MapOptions(metadata, strategy, torch_nn_exceptions)
    with options.in_core() as core_options:
        content, about = run("" if types is None else json.dumps(types), allow_untyped=types is not None)
        if about["untyped"] and types is None:
            content, about = run(json.dumps(_inferred_types(model)), allow_untyped=True)
    about = {key: tuple(value) if isinstance(value, list) else value for key, value in about.items()}
    return ExtractedModel(target.path, content, target.existed, module, **about)


def _inferred_types(model: AnyModel) -> dict[str, Any]:
    """Types that onnx infers; none if it fails, because those of the module may not be needed."""
    from .infer_types import infer_missing_types
    from .limits import raise_if_out_of_memory

    try:
        return infer_missing_types(model)
    except (Error, MemoryError, ImportError):
        raise
    except Exception as error:
        raise_if_out_of_memory(error)
        return {}


def fold(
    model: AnyModel,
    metadata: Metadata | None = None,
    *,
    output: AnyPath | None = None,
    depth: int = 0,
    module: str = "",
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
) -> FoldedModel:
    """Turns modules into nested functions of the model, as `thence fold` does.

    `depth` limits the nesting (0: as deep as the modules), and `module` is a pattern of the paths to fold.

    >>> fold("examples/tiny.onnx").functions > 0
    True
    """
    target = Output.of(output, metadata)
    with MapOptions(metadata, strategy, torch_nn_exceptions).in_core() as core_options:
        content, about = _core.fold(core_model(model), core_options, depth, module, target.text)
    about = {key: tuple(value) if isinstance(value, list) else value for key, value in about.items()}
    return FoldedModel(target.path, content, target.existed, **about)


def unfold(model: AnyModel, *, output: AnyPath | None = None) -> UnfoldedModel:
    """Turns the functions of a model back into nodes, as `thence unfold` does.

    >>> unfold(fold("examples/tiny.onnx").read()).is_restored
    True
    """
    target = Output.of(output)
    with translate_errors():
        made = _core.unfold(core_model(model), target.text)
    if made is None:
        raise Error(NOTHING_FOUND, "E018", "the model has no functions", "the model is flat already")
    content, about = made
    return UnfoldedModel(target.path, content, target.existed, about["is_restored"], tuple(about["kept"]))


def convert(
    model: AnyModel,
    to: str,
    metadata: Metadata | None = None,
    *,
    output: AnyPath | None = None,
    strategy: str = "auto",
    torch_nn_exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
    rules: AnyPath | None = None,
    granularity: str | None = None,
) -> Converted:
    """The map in the format of another program, as `thence convert` writes it.

    `to` is "graphml", "model-explorer", "dot", "csv", "csv-raw", "sarif", "torch-map", "htp-metadata",
    "parquet" or "sqlite"; the last one needs `output`. The others are those of `map`.

    >>> convert("examples/tiny.onnx", "dot").text.splitlines()[0]
    'digraph "examples/tiny.onnx" {'
    """
    check_choice("to", to, FORMATS)
    target = Output.of(output, metadata, rules, model)
    options = MapOptions(metadata, strategy, torch_nn_exceptions, tag_format, rules, granularity)
    with options.in_core() as core_options:
        if to == "sqlite":
            if target.path is None:
                raise Error(USAGE, "U011", "sqlite is a file, and no output is given", "give output=PATH")
            _core.write_database(core_model(model), core_options, target.text)
            return Converted(target.path, None, target.existed, to)
        content = _core.convert(core_model(model), core_options, to)
    if to == "parquet":
        content = _parquet(content)
    if target.path is None:
        return Converted(None, content, False, to)
    with translate_errors():
        _core.write_file(target.text, content)
    return Converted(target.path, None, target.existed, to)


def _parquet(lines: bytes) -> bytes:
    from .parquet import write

    made = io.BytesIO()
    write(io.BytesIO(lines), made)
    return made.getvalue()
