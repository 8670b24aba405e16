"""The section `execution_trace`: operations, their modules, and the identity of tensors."""

# mypy: disable-error-code="misc"
# Where torch is not installed, its Module is Any, and Any has no subclasses.
from __future__ import annotations

import gc
from typing import Any

import torch
from tests.python.capture import nets
from tests.python.capture.checking import valid_section
from torch import Tensor, nn

from thence.capturing.execution_trace import execution_trace
from thence.capturing.inputs import Arguments
from thence.capturing.values import Values

X = torch.ones(3, 4)


def record(model: nn.Module, *args: Any, **kwargs: Any) -> dict[str, Any]:
    section = valid_section("execution_trace", execution_trace(model, Arguments(args, kwargs)))
    assert [row["id"] for row in section["values"]] == list(range(len(section["values"])))
    return section


def operations(section: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in section["events"] if event["kind"] == "op"]


def ops(section: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(event["op"], event["module"], event["call"]) for event in operations(section)]


def test_operations_have_their_module_and_call() -> None:
    assert ops(record(nets.Twice(), X)) == [
        ("aten.linear.default", "b.fc", 0),
        ("aten.mul.Tensor", "b", 0),
        ("aten.linear.default", "b_1.fc", 0),
        ("aten.mul.Tensor", "b_1", 0),
        ("aten.linear.default", "b.fc", 1),
        ("aten.mul.Tensor", "b", 1),
    ]


def test_values_connect_operations_and_parameters() -> None:
    section = record(nets.Twice(), X)
    values, events = section["values"], operations(section)
    assert events[0]["inputs"][0] == section["inputs"][0]
    assert [values[number].get("parameter") for number in events[0]["inputs"]] == [
        None,
        "b.fc.weight",
        "b.fc.bias",
    ]
    assert events[1]["inputs"] == events[0]["outputs"]
    assert events[-1]["outputs"] == section["outputs"]
    assert values[section["outputs"][0]] == {"id": section["outputs"][0], "shape": [3, 4], "dtype": "float32"}
    assert events[4]["inputs"][1:] == events[0]["inputs"][1:]


def test_other_arguments_are_recorded_by_name() -> None:
    class Settings(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y = torch.full((2,), float("inf"), dtype=torch.float64)
            return torch.softmax(x, dim=-1).sum() + y.clamp(max=2).sum() + torch.cat([x, x], 1).sum()

    found = {event["op"]: event for event in operations(record(Settings(), X))}
    assert found["aten.softmax.int"]["arguments"] == {"dim": -1}
    assert found["aten.full.default"]["arguments"]["fill_value"] == "inf"
    assert found["aten.full.default"]["arguments"]["dtype"] == "float64"
    assert len(found["aten.cat.default"]["inputs"]) == 2


def test_enter_and_exit_events_enclose_operations() -> None:
    kinds = [(event["kind"], event["module"]) for event in record(nets.Block(), X)["events"]]
    assert kinds == [("enter", ""), ("enter", "fc"), ("op", "fc"), ("exit", "fc"), ("op", ""), ("exit", "")]


def test_operations_of_a_direct_call_belong_to_the_calling_module() -> None:
    section = record(nets.Bypassing(), X)
    assert [(op, module) for op, module, _ in ops(section)] == [
        ("aten.mul.Tensor", ""),
        ("aten.linear.default", "decoder.fc"),
        ("aten.add.Tensor", ""),
        ("aten.linear.default", "decoder.fc"),
        ("aten.add.Tensor", ""),
        ("aten.linear.default", "decoder.fc"),
        ("aten.sub.Tensor", ""),
    ]
    direct = [event for event in section["events"] if event.get("direct")]
    assert [(event["kind"], event.get("method")) for event in direct] == [
        ("enter", "decode"),
        ("exit", "decode"),
        ("enter", None),
        ("exit", None),
    ]


def test_size_reads_of_python() -> None:
    class ReadsSizes(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.reshape(x.shape[0], x.size(1), -1) + x.dim() + len(x) + x.numel() + x.size(dim=0)

    section = record(ReadsSizes(), X)
    reads = [(e.get("asked", "size"), e["dim"]) for e in section["events"] if e["kind"] == "size"]
    assert reads == [("shape", None), ("size", 1), ("dim", None), ("len", 0), ("numel", None), ("size", 0)]
    assert {e["value"] for e in section["events"] if e["kind"] == "size"} == set(section["inputs"])


def test_writing_makes_new_values_of_all_aliases() -> None:
    section = record(nets.InPlace(), X)
    add, select, *_, fill, reset, multiply, view = [
        event for event in operations(section) if event["op"] != "aten.lift_fresh.default"
    ]
    assert fill["op"] == "aten.fill_.Tensor"
    assert fill["inputs"][0] == select["outputs"][0]
    assert len(fill["outputs"]) == 2  # the view, and its base
    assert fill["outputs"][0] not in (*select["outputs"], *add["outputs"])
    assert reset["inputs"] == reset["outputs"] == [fill["outputs"][1]]
    assert multiply["inputs"] == reset["outputs"]
    assert view["inputs"] == [multiply["outputs"][0]]
    assert view["outputs"] == section["outputs"]
    outputs = [number for event in operations(section) for number in event["outputs"] if event is not reset]
    assert len(outputs) == len(set(outputs))


def test_reused_address_is_another_value() -> None:
    values = Values({})
    seen = set()
    for _ in range(100):
        seen.add(values.number_of(torch.ones(2)))
        gc.collect(0)
    assert len(seen) == 100


def test_tied_weights_are_one_parameter() -> None:
    section = record(nets.Tied(), torch.tensor([1, 2]))
    named = [row["parameter"] for row in section["values"] if "parameter" in row]
    assert sorted(set(named)) == ["embed.weight", "scale"]


def test_buffer_replaced_in_forward_is_not_mistaken_for_another_tensor() -> None:
    class Replacing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("cache", torch.zeros(4))

        def forward(self, x: Tensor) -> Tensor:
            for _ in range(20):
                self.cache = x + 1
                x = x * 2
            return x

    assert not [row for row in record(Replacing(), X)["values"] if "parameter" in row]


def test_the_fused_attention_path_is_off() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
    found = {op for op, _, _ in ops(record(layer, torch.ones(1, 3, 8)))}
    assert "aten.scaled_dot_product_attention.default" in found
    assert not any("_transformer_encoder_layer" in op for op in found)


def test_branches_of_control_flow_are_recorded() -> None:
    found = [op for op, _, _ in ops(record(nets.Branching(), X))]
    assert "cond" in found
    assert found.count("aten.sin.default") + found.count("aten.cos.default") == 1


def test_scripted_children_run_in_their_own_module() -> None:
    model = nn.Sequential(torch.jit.script(nets.Block()), nn.ReLU())
    assert [module for _, module, _ in ops(record(model, X))] == ["0", "0", "1"]


def test_nested_outputs_are_recorded_and_inputs_are_unchanged() -> None:
    class Nested(nn.Module):
        def forward(self, x: Tensor, pair: tuple[Tensor, Tensor]) -> dict[str, Any]:
            x.add_(1)
            return {"a": x, "b": [pair[0] + 1, {"c": pair[1]}]}

    mine = torch.zeros(2)
    section = record(Nested(), mine, (torch.ones(2), torch.ones(3)))
    assert len(section["inputs"]) == 3
    assert len(section["outputs"]) == 3
    assert section["outputs"][2] == section["inputs"][2]
    assert mine.sum() == 0
