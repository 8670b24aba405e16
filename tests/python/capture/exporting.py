"""The TorchScript exporter with and without recording."""

from __future__ import annotations

import io
import warnings
from typing import Any

import onnx
import torch
from tests.python.capture.checking import valid_section
from tools.sample.architectures import build
from tools.sample.choices import CHOICES
from tools.sample.flat import flat_forward

from thence.capturing import record_module_map


def export(model: torch.nn.Module, inputs: tuple[Any, ...], **options: Any) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, inputs, file, dynamo=False, **options)  # type: ignore[arg-type, unused-ignore]
    return file.getvalue()


def recorded(model: torch.nn.Module, inputs: tuple[Any, ...], **options: Any) -> tuple[bytes, dict[str, Any]]:
    with record_module_map(model) as scopes:
        data = export(model, inputs, **options)
    return data, valid_section("module_map", scopes.section())


def owners(section: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """Module and call of each node, by the node's name."""
    scopes = {row["id"]: row for row in section["scopes"]}
    assert len(scopes) == len(section["scopes"])
    return {
        row["name"]: (scopes[row["scope"]]["module"], scopes[row["scope"]]["call"])
        for row in section["nodes"]
    }


def names(data: bytes) -> list[str]:
    return [node.name for node in onnx.load_from_string(data).graph.node]


def sample(name: str, record: bool) -> tuple[bytes, dict[str, Any] | None]:
    """A model of the sample, built and exported like the sample."""
    choice = CHOICES[name]
    built = build(choice)
    axes = {key: {0: "batch"} for key in built.input_names} if choice.dynamic_batch else None
    options: dict[str, Any] = {"opset_version": 17, "input_names": built.input_names, "dynamic_axes": axes}
    with flat_forward(built):
        if record:
            return recorded(built.model, built.inputs, **options)
        return export(built.model, built.inputs, **options), None
