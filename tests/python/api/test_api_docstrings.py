"""Docstrings: every public name has one, and their examples are right."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator

import pytest
from tests.python.api.running import ROOT

import thence

PACKAGE = ROOT / "python/thence"
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


def public() -> Iterator[tuple[str, object]]:
    """The public names of `thence`, and the public methods and properties of its classes."""
    for name in thence.__all__:
        value = getattr(thence, name)
        if name.startswith("__"):
            continue
        yield name, value
        if inspect.isclass(value):
            for inner, member in vars(value).items():
                if not inner.startswith("_") and (callable(member) or hasattr(member, "__get__")):
                    yield f"{name}.{inner}", member


def test_every_public_name_has_a_docstring() -> None:
    found = dict(public())
    assert {"SemanticMapper.modules", "SemanticMapper.of_map", "Summary.coverage", "export_to_onnx"} <= set(
        found
    )
    assert [name for name, value in found.items() if not inspect.getdoc(value)] == []
