"""The model and torch are restored, whatever happens."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tests.python.capture import nets
from tests.python.capture.checking import state
from tests.python.capture.exporting import export
from torch import nn

from thence.capturing import record_module_map
from thence.capturing.execution_trace import execution_trace
from thence.capturing.fx_graph import fx_graph
from thence.capturing.hierarchy import hierarchy
from thence.capturing.inputs import Arguments

X = torch.ones(3, 4)


def record(model: nn.Module, given: Arguments) -> object:
    """The exporter itself changes random states, so these are saved around it."""
    with torch.random.fork_rng(), record_module_map(model) as scopes:
        export(model, given.args)
    return scopes.section()


Source = Callable[[nn.Module, Arguments], object]
SOURCES: dict[str, Source] = {
    "hierarchy": hierarchy,
    "execution_trace": execution_trace,
    "fx_graph": fx_graph,
    "module_map": record,
}
OWN_FORWARD = ["hierarchy", "execution_trace"]


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("make", [nets.Twice, nets.Shared, nets.Bypassing, nets.Reentrant, nets.Tied])
def test_state_is_restored_after_a_capture(source: str, make: Callable[[], nn.Module]) -> None:
    model = make()
    inputs = torch.tensor([1, 2]) if make is nets.Tied else X
    before = state(model)
    SOURCES[source](model, Arguments((inputs,), {}))
    assert state(model) == before


@pytest.mark.parametrize("source", OWN_FORWARD)
def test_side_effects_of_forward_are_undone(source: str) -> None:
    model = nets.Stateful()
    model.norm.eval()  # modules with different flags
    before = state(model)
    SOURCES[source](model, Arguments((X,), {}))
    assert state(model) == before
    assert model.seen == []
    assert model.table == {}
    assert model.steps.item() == 0
    assert model.training
    assert not model.norm.training
    loss = model(X).sum()  # no tensor of inference mode is left in the model
    loss.backward()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_state_is_restored_after_an_error_or_interrupt(source: str, error: BaseException) -> None:
    model = nets.Failing(error)
    model.norm.eval()
    before = state(model)
    with pytest.raises(type(error)):
        SOURCES[source](model, Arguments((X,), {}))
    assert state(model) == before


@pytest.mark.parametrize("source", SOURCES)
def test_grad_mode_and_fused_attention_are_restored(source: str) -> None:
    model = nets.Twice()
    for fastpath in (False, True):
        torch.backends.mha.set_fastpath_enabled(fastpath)
        with torch.no_grad():
            before = state(model)
            SOURCES[source](model, Arguments((X,), {}))
            assert state(model) == before
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("source", OWN_FORWARD)
def test_hooks_of_the_user_run_and_are_kept(source: str) -> None:
    model = nets.Twice()
    seen: list[str] = []
    model.b.register_forward_pre_hook(lambda module, args: seen.append("before"))
    model.b.register_forward_hook(lambda module, args, result: seen.append("after"))
    before = state(model)
    SOURCES[source](model, Arguments((X,), {}))
    assert seen == ["before", "after"] * 2
    assert state(model) == before


@pytest.mark.parametrize("source", OWN_FORWARD)
def test_scripted_and_compiled_children(source: str) -> None:
    scripted: Any = torch.jit.script(nets.Block())
    compiled: Any = torch.compile(nets.Block(), backend="eager")
    model = nn.Sequential(scripted, compiled)
    given = Arguments((X,), {})
    SOURCES[source](model, given)  # the first call fills torch's caches
    before = [(name, type(module), module.training) for name, module in model.named_modules()]
    SOURCES[source](model, given)
    assert [(name, type(module), module.training) for name, module in model.named_modules()] == before
    assert "forward" not in model.__dict__
    assert scripted.graph is not None
    assert torch.equal(model(X), model(X))


@pytest.mark.parametrize("source", OWN_FORWARD)
def test_lazy_module_is_materialised_by_its_first_forward(source: str) -> None:
    model = nn.Sequential(nn.LazyLinear(2), nn.LazyBatchNorm1d())
    SOURCES[source](model, Arguments((X,), {}))
    assert [type(child) for child in model] == [nn.Linear, nn.BatchNorm1d]
    assert model.training
    assert model[0].training
    assert not model[0]._forward_pre_hooks
    model(X).sum().backward()


def test_model_computes_the_same_after_captures() -> None:
    model = nets.Shared().eval()
    before = model(X)
    for source in SOURCES.values():
        source(model, Arguments((X,), {}))
        assert torch.equal(model(X), before)
