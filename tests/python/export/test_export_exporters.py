"""Each exporter on real models: the file computes the numbers of torch, and the model is unchanged."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from export_models import FOURTEEN, Net, same_numbers, tiny
from torch import nn

from thence.exporting import (
    ExportError,
    ExportOptions,
    Inputs,
    batch_and_sequence,
    derive_inputs,
    export_model,
    flat_forward,
    given_inputs,
    inputs_of,
    tensors_in,
)

NET_INPUTS = {"x": torch.linspace(-1, 1, 16).reshape(2, 8), "scale": 2.0}


@pytest.mark.parametrize("name", FOURTEEN)
def test_torchscript(name: str, tmp_path: Path) -> None:
    model = tiny(name)
    inputs = derive_inputs(model)
    exported = export_model(model, inputs, tmp_path / "model.onnx", ExportOptions(exporter="torchscript"))
    same_numbers(exported, model, inputs)
    assert exported.exported_program is None
    assert exported.files == [tmp_path / "model.onnx"]
    assert list(tmp_path.iterdir()) == exported.files


@pytest.mark.parametrize("name", ["bert", "gpt2", "resnet", "clip"])
def test_dynamo(name: str, tmp_path: Path) -> None:
    model = tiny(name)
    inputs = derive_inputs(model)
    exported = export_model(model, inputs, tmp_path / "model.onnx")
    assert exported.exporter == "dynamo"
    assert exported.failures == []
    same_numbers(exported, model, inputs)
    assert isinstance(exported.exported_program, torch.export.ExportedProgram)
    written = onnx.load(exported.path)
    assert [value.name for value in written.graph.input] == list(inputs.tensors) == exported.input_names
    assert [value.name for value in written.graph.output] == exported.output_names
    onnx.checker.check_model(written)


@pytest.mark.parametrize("name", ["llama", "vit"])
def test_transformers(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = tiny(name)
    inputs = derive_inputs(model)
    exported = export_model(model, inputs, tmp_path / "model.onnx", ExportOptions(exporter="transformers"))
    same_numbers(exported, model, inputs)
    assert isinstance(exported.exported_program, torch.export.ExportedProgram)
    assert "forward" not in model.__dict__
    assert capfd.readouterr() == ("", "")


def state_of(model: Any) -> dict[str, Any]:
    """All state that an export must not change."""
    return {
        "training": [module.training for module in model.modules()],
        "attributes": [sorted(module.__dict__) for module in model.modules()],
        "hooks": [
            {name: list(value) for name, value in module.__dict__.items() if name.endswith("_hooks")}
            for module in model.modules()
        ],
        "values": {name: value.clone() for name, value in model.state_dict().items()},
        "config": model.config.to_dict() if hasattr(model, "config") else None,
        "rng": torch.get_rng_state(),
        "random": random.getstate(),
        "grad": torch.is_grad_enabled(),
        "requires": [parameter.requires_grad for parameter in model.parameters()],
        "map": torch.jit._trace._trace_module_map,
        "log": torch._C._jit_is_onnx_log_enabled(),
        "dtype": torch.get_default_dtype(),
    }


def assert_same_state(before: dict[str, Any], after: dict[str, Any]) -> None:
    for name in before:
        if name == "values":
            assert before[name].keys() == after[name].keys()
            assert all(torch.equal(value, after[name][key]) for key, value in before[name].items())
        elif name == "rng":
            assert torch.equal(before[name], after[name])
        else:
            assert before[name] == after[name], name


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript", "transformers"])
def test_state_is_restored(exporter: str, tmp_path: Path) -> None:
    model = tiny("gpt2").train()
    model.config.use_cache = True
    list(model.modules())[3].eval()
    calls: list[str] = []
    handle = model.register_forward_hook(lambda *_: calls.append("called"))
    inputs = derive_inputs(model)
    before = state_of(model)
    exported = export_model(model, inputs, tmp_path / "model.onnx", ExportOptions(exporter=exporter))
    assert exported.exporter == exporter
    assert_same_state(before, state_of(model))
    handle.remove()
    model.eval()
    same_numbers(exported, model, inputs)


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_instance_forward_is_kept(exporter: str, tmp_path: Path) -> None:
    model = Net()
    own = type(model).forward.__get__(model)
    model.__dict__["forward"] = own
    export_model(
        model, given_inputs(model, NET_INPUTS), tmp_path / "model.onnx", ExportOptions(exporter=exporter)
    )
    assert model.__dict__["forward"] is own


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_plain_module_with_fixed_argument(exporter: str, tmp_path: Path) -> None:
    model = Net().eval()
    inputs = given_inputs(model, NET_INPUTS)
    exported = export_model(
        model, inputs, tmp_path / "model.onnx", ExportOptions(exporter=exporter, opset=18)
    )
    same_numbers(exported, model, inputs)
    assert exported.input_names == ["x"]
    assert exported.output_names == ["logits", "hidden"]
    assert onnx.load(exported.path).opset_import[0].version == 18


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_dynamic_axes_from_a_spec(exporter: str, tmp_path: Path) -> None:
    model = Net().eval()
    inputs = inputs_of({"inputs": [{"name": "x", "shape": ["batch", 8]}], "sizes": {"batch": 3}})
    exported = export_model(model, inputs, tmp_path / "model.onnx", ExportOptions(exporter=exporter))
    value = onnx.load(exported.path).graph.input[0]
    assert [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim] == ["batch", 8]
    same_numbers(exported, model, Inputs({"x": torch.rand(5, 8)}))


def test_axes_are_static_unless_requested(tmp_path: Path) -> None:
    model = tiny("bert")
    inputs = derive_inputs(model, batch=2)
    static = export_model(model, inputs, tmp_path / "static.onnx", ExportOptions(exporter="torchscript"))
    assert not any(
        d.dim_param for v in onnx.load(static.path).graph.input for d in v.type.tensor_type.shape.dim
    )
    axes = batch_and_sequence(inputs, batch=2)
    assert axes["input_ids"] == {0: "batch", 1: "sequence"}
    exported = export_model(
        model, inputs, tmp_path / "d.onnx", ExportOptions(exporter="torchscript", dynamic=axes)
    )
    longer = {name: torch.ones(3, 11, dtype=torch.int64) for name in inputs.tensors}
    same_numbers(exported, model, Inputs(longer, inputs.fixed))


def test_torchscript_context_encloses_the_call(tmp_path: Path) -> None:
    model, seen = Net().eval(), []

    @contextmanager
    def around(given: nn.Module) -> Iterator[None]:
        assert given is model
        assert "forward" in model.__dict__
        seen.append("in")
        yield
        seen.append("out")

    inputs = given_inputs(model, NET_INPUTS)
    for exporter, expected in (("torchscript", ["in", "out"]), ("dynamo", [])):
        seen.clear()
        export_model(
            model,
            inputs,
            tmp_path / "model.onnx",
            ExportOptions(exporter=exporter, torchscript_context=around),
        )
        assert seen == expected


def test_options_go_to_the_exporter(tmp_path: Path) -> None:
    model = Net().eval()
    inputs = given_inputs(model, NET_INPUTS)
    exported = export_model(
        model,
        inputs,
        tmp_path / "model.onnx",
        ExportOptions(
            exporter="torchscript",
            exporter_options={"output_names": ["a", "b"], "do_constant_folding": False},
        ),
    )
    assert [value.name for value in onnx.load(exported.path).graph.output] == ["a", "b"]
    for options in ({"no_such_option": 1}, {"f": "elsewhere.onnx"}):
        with pytest.raises(ExportError) as caught:
            export_model(
                model,
                inputs,
                tmp_path / "other.onnx",
                ExportOptions(exporter_options=options, report=lambda _text: None),
            )
        assert caught.value.code == "X022"
    assert not (tmp_path / "other.onnx").exists()


def test_flat_forward_has_a_plain_signature_and_is_removed() -> None:
    model = Net()
    with flat_forward(model, ["x"], {"scale": 3.0}) as outputs:
        assert list(inspect.signature(model.forward).parameters) == ["x"]
        result = model(NET_INPUTS["x"])
        assert isinstance(result, tuple)
        assert outputs == ["logits", "hidden"]
    assert "forward" not in model.__dict__
    with pytest.raises(ZeroDivisionError), flat_forward(model, ["x"]):
        raise ZeroDivisionError
    assert "forward" not in model.__dict__


def test_names_of_outputs() -> None:
    one, two = torch.zeros(1), torch.ones(1)
    assert list(tensors_in(one)) == ["output"]
    assert list(tensors_in((one, None, [two, 3]))) == ["output.0", "output.2.0"]
    assert list(tensors_in({"a": one, "b": {"c": two}, "d": object()})) == ["a", "b.c"]
