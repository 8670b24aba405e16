"""The section `hierarchy`: paths, classes, aliases, calls, parameters."""

# mypy: disable-error-code="misc"
# Where torch is not installed, its Module is Any, and Any has no subclasses.
from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.checking import fingerprint, valid_section
from torch import Tensor, nn

from thence.capturing.hierarchy import hierarchy
from thence.capturing.inputs import Arguments
from thence.capturing.parameters import parameters
from thence.capturing.paths import ModulePaths

X = torch.ones(3, 4)


def record(model: nn.Module, *args: Any, **kwargs: Any) -> dict[str, Any]:
    return valid_section("hierarchy", hierarchy(model, Arguments(args, kwargs), fingerprint))


def by_path(section: dict[str, Any], key: str = "modules") -> dict[str, dict[str, Any]]:
    return {row["path"]: row for row in section[key]}


def called(section: dict[str, Any]) -> list[tuple[str, int, str | None]]:
    return [(row["module"], row["call"], row["caller"]) for row in section["calls"]]


def test_modules_are_in_the_order_of_named_modules() -> None:
    model = nets.Shared()
    section = record(model, X)
    assert [row["path"] for row in section["modules"]] == [path for path, _ in model.named_modules()]
    assert section["modules"][0]["class"] == "tests.python.capture.nets.Shared"
    assert by_path(section)["encoder.a b.fc"]["class"] == "torch.nn.modules.linear.Linear"


def test_module_with_two_paths_has_an_alias() -> None:
    section = by_path(record(nets.Shared(), X))
    assert section["encoder.a b"]["aliases"] == ["head"]
    assert section["encoder.a b.fc"]["aliases"] == ["head.fc"]
    assert section["encoder.a b"]["calls"] == 2
    assert "head" not in section


def test_calls_are_counted() -> None:
    section = record(nets.Twice(), X)
    assert called(section) == [
        ("", 0, None),
        ("b", 0, ""),
        ("b.fc", 0, "b"),
        ("b_1", 0, ""),
        ("b_1.fc", 0, "b_1"),
        ("b", 1, ""),
        ("b.fc", 1, "b"),
    ]
    assert section["calls"][-1]["caller_call"] == 1
    modules = by_path(section)
    assert [modules[path]["calls"] for path in ("", "b", "b_1", "unused")] == [1, 2, 1, 0]


def test_caller_need_not_be_the_parent() -> None:
    assert ("encoder.a b", 1, "borrower") in called(record(nets.Shared(), X))


def test_called_container_has_calls_and_module_dict_has_none() -> None:
    modules = by_path(record(nets.Shared(), X))
    assert modules["encoder.x_1"]["calls"] == 1
    assert modules["encoder"]["calls"] == 0


def test_a_module_that_calls_itself() -> None:
    section = record(nets.Reentrant(), X)
    assert called(section) == [("", 0, None), ("", 1, ""), ("", 2, "")]
    assert section["modules"][0]["calls"] == 3


def test_bypassing_methods_are_direct_and_counted_separately() -> None:
    section = record(nets.Bypassing(), X)
    decoder = [
        (row["call"], row.get("method", "forward"), row.get("direct", False), row["caller"])
        for row in section["calls"]
        if row["module"] == "decoder"
    ]
    assert decoder == [
        (0, "decode", True, ""),
        (0, "forward", False, "decoder"),
        (1, "forward", True, ""),
        (1, "forward", False, ""),
    ]
    inside = next(row for row in section["calls"] if row["caller"] == "decoder")
    assert inside["caller_direct"] is True
    assert by_path(section)["decoder"]["calls"] == 3


def test_tied_weights_are_one_parameter_with_aliases() -> None:
    section = by_path(record(nets.Tied(), torch.tensor([1, 2])), "parameters")
    assert section["embed.weight"]["aliases"] == ["head.weight", "other.weight"]
    assert section["scale"]["buffer"] is True
    assert "head.weight" not in section


def test_two_views_of_one_storage_are_two_parameters() -> None:
    model = nn.Module()
    shared_storage = torch.arange(8.0)
    model.a, model.b = nn.Parameter(shared_storage[:4]), nn.Parameter(shared_storage[4:])
    assert [p.path for p in parameters(ModulePaths(model))] == ["a", "b"]


def test_fingerprints_of_every_type_and_layout() -> None:
    model = nn.Module()
    for name in ("bfloat16", "float16", "float64", "int8", "bool", "complex64", "float8_e4m3fn"):
        model.register_buffer(f"as_{name}", torch.zeros(2, 3).to(getattr(torch, name)))
    model.register_buffer("scalar", torch.tensor(1.5))
    model.register_buffer("empty", torch.zeros(0, 3))
    model.register_buffer("turned", torch.arange(6.0).reshape(2, 3).t())
    model.register_buffer("straight", torch.arange(6.0).reshape(2, 3).t().contiguous())
    model.register_buffer("sparse", torch.eye(2).to_sparse())
    model.register_buffer("nowhere", torch.zeros(2, device="meta"))
    model.register_buffer("quantised", torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8))
    rows = by_path(valid_section("hierarchy", hierarchy(model, None, fingerprint)), "parameters")
    without = {path for path, row in rows.items() if "fingerprint" not in row}
    assert without == {"sparse", "nowhere", "quantised"}
    assert rows["turned"]["fingerprint"] == rows["straight"]["fingerprint"]
    assert rows["scalar"]["shape"] == []


def test_fingerprint_gets_the_bytes_of_each_tensor() -> None:
    alive: list[int] = []

    def count(data: memoryview, shape: Any, dtype: str) -> dict[str, object]:
        assert data.nbytes == 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        alive.append(data.nbytes)
        return {"sketch": [1.0]}

    valid_section("hierarchy", hierarchy(nets.Twice(), None, count))
    assert len(alive) == 6


def test_without_inputs_no_calls_are_recorded() -> None:
    section = valid_section("hierarchy", hierarchy(nets.Twice(), None))
    assert "calls" not in section
    assert "calls" not in section["modules"][0]


def test_lazy_modules_are_recorded_with_their_final_class() -> None:
    section = record(nn.Sequential(nn.LazyLinear(2), nn.ReLU()), X)
    assert by_path(section)["0"]["class"] == "torch.nn.modules.linear.Linear"
    assert by_path(section, "parameters")["0.weight"]["shape"] == [2, 4]


def test_lazy_modules_without_a_forward_have_no_shape() -> None:
    section = valid_section("hierarchy", hierarchy(nn.LazyLinear(2), None, fingerprint))
    assert "shape" not in by_path(section, "parameters")["weight"]
    assert "fingerprint" not in by_path(section, "parameters")["weight"]


@pytest.mark.parametrize("traced", [False, True])
def test_scripted_and_traced_children_are_called(traced: bool) -> None:
    jit: Any = torch.jit
    child = jit.trace(nets.Block(), X) if traced else jit.script(nets.Block())
    model = nn.Sequential(child, nn.ReLU())
    section = record(model, X)
    assert ("0", 0, "") in called(section)
    assert ("1", 0, "") in called(section)


def test_compiled_modules_run_uncompiled() -> None:
    compiled: Any = torch.compile(nets.Block())
    model = nn.Sequential(compiled, nn.ReLU())
    section = record(model, X)
    assert [path for path, _, _ in called(section)] == ["", "0", "0._orig_mod", "0._orig_mod.fc", "1"]
    block = nets.Block()
    block.compile()
    assert [path for path, _, _ in called(record(block, X))] == ["", "fc"]


def test_odd_names_and_local_classes() -> None:
    class Local(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + 1

    odd = ["a/b", ": ", "'\"", "ü€", "x_1", "0", "a::b"]
    model = nn.ModuleDict({name: Local() for name in odd})
    section = valid_section("hierarchy", hierarchy(model, None))
    assert [row["path"] for row in section["modules"]] == ["", *odd]
    assert section["modules"][1]["class"].endswith("test_odd_names_and_local_classes.<locals>.Local")


def test_module_inside_itself_terminates() -> None:
    model = nets.Block()
    model.fc.register_module("up", model)
    assert [named.path for named in ModulePaths(model)] == ["", "fc"]


def test_number_of_paths_of_shared_modules_is_limited() -> None:
    model: nn.Module = nets.Block()
    for _ in range(40):
        model = nn.Sequential(model, model)
    paths = ModulePaths(model)
    assert len(list(paths)) == 42


def test_instance_with_its_own_forward() -> None:
    model = nets.Twice()
    original = model.forward

    def forward(x: Tensor) -> Tensor:
        return original(x) + 1

    model.forward = forward  # type: ignore[method-assign]
    assert called(record(model, X))[:2] == [("", 0, None), ("b", 0, "")]
    assert model.forward is forward


def test_a_parametrised_weight_is_computed_by_its_own_modules() -> None:
    model = torch.nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))
    section = record(model, X)
    assert ("parametrizations.weight.0", 0, "parametrizations.weight") in called(section)
    assert "parametrizations.weight.original0" in by_path(section, "parameters")


def test_a_slice_of_a_list_of_modules() -> None:
    class Slice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(nn.ReLU() for _ in range(4))

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers[1:3]:
                x = layer(x)
            return x

    assert called(record(Slice(), X)) == [("", 0, None), ("layers.1", 0, ""), ("layers.2", 0, "")]


class OwnCall(nn.Module):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return super().__call__(*args, **kwargs)

    forward = functools.partialmethod(lambda self, y, x: x + y, 1)


class StaticForward(nn.Module):
    forward = staticmethod(lambda x: x + 1)


class Decorated(nn.Module):
    forward = torch.no_grad()(lambda self, x: x + 1)


class EqualToAll(nn.Module):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1

    def forward(self, x: Tensor) -> Tensor:
        return x + 1


@pytest.mark.parametrize("make", [OwnCall, StaticForward, Decorated, EqualToAll])
def test_odd_forwards(make: type[nn.Module]) -> None:
    section = record(nn.Sequential(make(), make()), X)
    assert called(section) == [("", 0, None), ("0", 0, ""), ("1", 0, "")]
    assert [row["path"] for row in section["modules"]] == ["", "0", "1"]


def test_keyword_inputs() -> None:
    assert called(record(nets.Reentrant(), x=X, depth=0)) == [("", 0, None)]
