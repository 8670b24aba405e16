"""Describes an exporter's exception in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .errors import ExportError
from .place import cannot_write

_OPERATOR = re.compile(r"\b((?:aten|prims|torchvision|quantized|prim)(?:::|\.)[A-Za-z_]\w*)")
# Parts of exception names, by the step of the exporter that raises them.
_UNTRANSLATED = re.compile("Unsupported|Dispatch")
_NOT_CONVERTED = re.compile("Conversion|GraphConstruction")
_NOT_CAPTURED = re.compile("TorchExport|UserError|DataDependent|ConstraintViolation")
_INVALID_GRAPH = re.compile("SymbolicValueError|CheckerError|InferenceError")
_FULL = re.compile(r"No space left|File too large|[Dd]isk quota|requested and \d+ written")


def describe_failure(exporter: str, error: BaseException) -> str:
    """Names the step of the exporter that failed, which users can act on, without the original message."""
    chain = list(_chain(error))
    names = " ".join(type(link).__name__ for link in chain)
    operator = next((found[1] for link in chain if (found := _OPERATOR.search(str(link)))), None)
    if _UNTRANSLATED.search(names) or "has no ONNX" in str(error):
        which = f" the operation {operator}" if operator else " one of the operations"
        return f"the {exporter} exporter has no ONNX translation for{which}"
    if _NOT_CONVERTED.search(names):
        which = f" (at {operator})" if operator else ""
        return f"the {exporter} exporter could not translate the captured graph{which}"
    if _NOT_CAPTURED.search(names):
        return f"the {exporter} exporter could not capture the model's graph"
    if _INVALID_GRAPH.search(names):
        return f"the {exporter} exporter made a graph that ONNX does not allow"
    return f"the {exporter} exporter stopped with a {type(chain[-1]).__name__}"


def output_failure(error: BaseException, output: Path) -> ExportError | None:
    """Returns the error as a write error if it is one: then every other exporter would fail, too."""
    for link in _chain(error):
        network = isinstance(link, (ConnectionError, TimeoutError))
        # An OSError without a number is not from the system: `inspect` raises one if there is no source code.
        if isinstance(link, OSError) and link.errno is not None and not network:
            return cannot_write(output, link)
        if _FULL.search(str(link)):
            return cannot_write(output, OSError(str(link).splitlines()[0]))
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, the outermost first."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__
