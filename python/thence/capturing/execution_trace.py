"""The section `execution_trace`: every operation of one forward, with the module that ran it.

It is recorded in inference mode, which shows composite operations such as `linear` and `layer_norm`, as
exporters see them. It also contains the begin and end of modules, and each time Python reads the size of a
tensor: this is no operation in PyTorch, but makes nodes in an exported graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .calls import Call, CallStack, Listener, is_helper_call, observe_calls
from .inputs import Arguments
from .interrupts import uninterruptible
from .operators import Operator, input_tensors, output_tensors
from .parameters import parameters, paths_by_tensor
from .paths import ModulePaths
from .preserved_state import has_lazy_parameters, preserved_state
from .tensors import tensors_in
from .values import Values

VERSION = 1

# The functions that read a size, with their names in the file.
_SIZE_READS: dict[Any, str] = {
    torch.Tensor.size: "size",
    torch.Tensor.shape.__get__: "shape",  # type: ignore[attr-defined, unused-ignore]
    torch.Tensor.__len__: "len",
    torch.Tensor.dim: "dim",
    torch.Tensor.ndim.__get__: "dim",  # type: ignore[attr-defined, unused-ignore]
    torch.Tensor.numel: "numel",
    torch.Tensor.nelement: "numel",
    torch.numel: "numel",
}


def execution_trace(
    model: torch.nn.Module,
    given: Arguments,
    missed: list[str] | None = None,
    paths: ModulePaths | None = None,
    calls: Listener | None = None,
) -> dict[str, object]:
    """Runs one forward and records its operations. `calls` receives the calls of the same forward.

    An operation that cannot be recorded is left out, with a line in `missed`; the model runs on.
    """
    paths = paths or ModulePaths(model)
    with preserved_state(paths):
        if any(has_lazy_parameters(named.module) for named in paths):
            with torch.no_grad():  # parameters must not be created in inference mode
                warm_up = given.copied()
                model(*warm_up.args, **warm_up.kwargs)
        owned = parameters(paths)  # kept alive to the end, so that no other tensor gets the id of one of them
        inputs = given.copied()
        trace = _Trace(Values(paths_by_tensor(owned)), [] if missed is None else missed)
        first = [trace.values.number_of(tensor) for tensor in tensors_in((inputs.args, inputs.kwargs))]
        with _recording(paths, trace, calls):
            result = model(*inputs.args, **inputs.kwargs)
        last = [trace.values.number_of(tensor) for tensor in tensors_in(result)]
    return {
        "version": VERSION,
        "inputs": first,
        "outputs": last,
        "values": trace.values.rows,
        "events": trace.events,
    }


@uninterruptible
@contextmanager
def _recording(paths: ModulePaths, trace: _Trace, calls: Listener | None) -> Iterator[None]:
    listener = trace if calls is None else _Listeners(trace, calls)
    with (
        torch.inference_mode(),
        observe_calls(paths, listener) as stack,
        _Operations(trace),
        _SizeReads(trace),
    ):
        trace.calls = stack
        yield


class _Listeners:
    """Tells two listeners. The trace decides which calls count: it sees operations, too."""

    def __init__(self, trace: _Trace, other: Listener) -> None:
        self._trace = trace
        self._other = other

    def entered(self, call: Call, caller: Call | None) -> None:
        self._trace.entered(call, caller)
        self._other.entered(call, caller)

    def left(self, call: Call, result: object) -> bool:
        self._other.left(call, result)
        return self._trace.left(call, result)


class _Trace:
    """The events so far. It also listens to the begin and end of modules."""

    def __init__(self, values: Values, missed: list[str]) -> None:
        self.values = values
        self.missed = missed
        self.events: list[dict[str, object]] = []
        self.calls: CallStack | None = None
        self._begun: list[int] = []

    def entered(self, call: Call, caller: Call | None) -> None:
        self._begun.append(len(self.events))
        self.events.append({"kind": "enter"} | call.row())

    def left(self, call: Call, result: object) -> bool:
        begun = self._begun.pop()
        if is_helper_call(call, result, ran_modules=len(self.events) > begun + 1):
            self.events.pop()
            return False
        self.events.append({"kind": "exit"} | call.row())
        return True

    def owner(self) -> dict[str, object] | None:
        """The running module, as an exporter identifies it; None outside of modules and in other threads."""
        if self.calls is None or not self.calls.is_own_thread():
            return None
        call = self.calls.innermost()
        return None if call is None else {"module": call.path, "call": call.number}


class _Operations(TorchDispatchMode):  # type: ignore[misc, no-untyped-call, unused-ignore]
    """Intercepts each operation before its kernel runs."""

    supports_higher_order_operators = True

    def __init__(self, trace: _Trace) -> None:
        super().__init__()  # type: ignore[no-untyped-call, unused-ignore]
        self._trace = trace
        self._operators: dict[Any, Operator] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        owner = self._trace.owner()
        if owner is None:
            return func(*args, **kwargs)
        if isinstance(func, torch._ops.HigherOrderOperator):
            return self._record(func, owner, tuple(self._record_branch(arg) for arg in args), kwargs)
        return self._record(func, owner, args, kwargs)

    def _record(
        self, func: Any, owner: dict[str, object], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        values = self._trace.values
        operator = self._operators.get(func)
        if operator is None:
            operator = self._operators[func] = Operator(func)
        inputs = self._value_numbers(
            operator, lambda: [values.number_of(tensor) for tensor in input_tensors(args, kwargs)]
        )
        result = func(*args, **kwargs)
        outputs = self._value_numbers(operator, lambda: self._written_values(operator, args, kwargs, result))
        if inputs is None or outputs is None:
            return result
        event: dict[str, object] = {"kind": "op", "op": operator.name, **owner, "inputs": inputs}
        event["outputs"] = outputs
        settings = operator.settings(args, kwargs)
        if settings:
            event["arguments"] = settings
        self._trace.events.append(event)
        return result

    def _written_values(
        self, operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> list[int]:
        """The numbers of the values that an operation created or changed."""
        values = self._trace.values
        changed = [
            number for tensor in operator.written(args, kwargs) for number in values.renumber_written(tensor)
        ]
        return list(
            dict.fromkeys([*(values.number_of(tensor) for tensor in output_tensors(result)), *changed])
        )

    def _value_numbers(self, operator: Operator, number: Callable[[], list[int]]) -> list[int] | None:
        """Returns None for tensors of a kind that has no numbers: a recording must not end the forward."""
        try:
            with torch._C.DisableTorchFunction():
                return number()
        except Exception as error:
            self._trace.missed.append(f"{operator.name}: {type(error).__name__}: {error}")
            return None

    def _record_branch(self, branch: Any) -> Any:
        """Makes a branch of a control-flow operator recorded: a dispatch mode is off in its own handler."""
        if not callable(branch) or isinstance(branch, torch.Tensor):
            return branch

        def run(*args: Any, **kwargs: Any) -> Any:
            with self:
                return branch(*args, **kwargs)

        return run


class _SizeReads(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Intercepts reads of sizes by Python."""

    def __init__(self, trace: _Trace) -> None:
        super().__init__()
        self._trace = trace

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        function = _SIZE_READS.get(func)
        if function is not None:
            self._record_size_read(function, args, kwargs or {})
        return result

    def _record_size_read(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        owner = self._trace.owner()
        tensor = args[0] if args else kwargs.get("input")
        if owner is None or not isinstance(tensor, torch.Tensor):
            return
        event: dict[str, object] = {"kind": "size", "value": self._trace.values.number_of(tensor)}
        if function == "len":
            event["dim"] = 0
        elif function == "size":
            dim = args[1] if len(args) > 1 else kwargs.get("dim")
            event["dim"] = dim if isinstance(dim, int) else None
        else:
            event["dim"] = None
        if function != "size":
            event["asked"] = function
        self._trace.events.append(event | owner)
