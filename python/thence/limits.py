"""Limits on the resources that a model may require from the libraries that process it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .errors import BAD_INPUT, Error

if TYPE_CHECKING:
    import onnx

# Nodes of a model after inlining its functions. onnx infers the types of 200,000 such nodes in half a second;
# the time grows linearly.
# errors.md: nodes for Python's work, with all function calls expanded
MOST_EXPANDED_NODES = 1_000_000

Key = tuple[str, str, str]  # domain, name and overload of a function or an operator
Bodies = dict[Key, Iterable["onnx.NodeProto"]]

# Messages of libraries that run out of memory without raising MemoryError.
_OUT_OF_MEMORY = re.compile(
    r"bad.?alloc|failed to (allocate|map )|(out of|not enough) memory|can(no|')t (allocate memory|map )",
    re.IGNORECASE,
)


def body_nodes(node: onnx.NodeProto) -> Iterator[onnx.NodeProto]:
    """Yields the nodes directly inside the bodies of a node, such as the branches of If."""
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs):
            yield from body.node


def limit_memory(size: int | None) -> None:
    """Limits the memory of this process, in bytes.

    The program passes its limit on, because the interpreter could not start with it. None lifts it.
    """
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if size is None or (most != resource.RLIM_INFINITY and most < size):
        size = most
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))


def raise_if_out_of_memory(error: Exception) -> None:
    """Raises MemoryError if a library's error, or what caused it, means that."""
    cause: BaseException | None = error
    while cause is not None:
        messages = (str(cause), getattr(cause, "details", ""))
        if isinstance(cause, MemoryError) or any(map(_OUT_OF_MEMORY.search, messages)):
            raise MemoryError from error
        cause = cause.__cause__ or cause.__context__


@contextmanager
def find_exhausted_memory() -> Iterator[None]:
    """Turns errors of libraries that mean exhausted memory into MemoryError."""
    try:
        yield
    except Exception as error:
        raise_if_out_of_memory(error)
        raise


def check_function_calls(model: onnx.ModelProto) -> None:
    """Raises Error if the functions of a model expand to too many nodes.

    Functions that each call the previous one twice grow exponentially. onnx and onnxruntime walk or copy the
    body of a function for each call.
    """
    bodies: Bodies = {
        _key(function.domain, function.name, function.overload): function.node for function in model.functions
    }
    if bodies and _expanded(model.graph.node, bodies) > MOST_EXPANDED_NODES:
        raise Error(
            BAD_INPUT,
            "L004",
            f"the model's functions expand to more than {MOST_EXPANDED_NODES} nodes",
            "export the model without functions",
        )


def _key(domain: str, name: str, overload: str) -> Key:
    return "" if domain == "ai.onnx" else domain, name, overload  # two names of one domain


def _expanded(main: Iterable[onnx.NodeProto], bodies: Bodies) -> int:
    """The number of nodes after inlining all calls. A function that calls itself counts as infinite.

    Depth-first without recursion: a chain of calls may be as long as the file allows.
    """
    calls = {key: _calls(body) for key, body in bodies.items()}
    sizes: dict[Key, int] = {}  # number of nodes of each function after inlining

    def size(counts: dict[Key, int]) -> int:
        total = sum(count * (1 + sizes.get(key, 0)) for key, count in counts.items())
        return min(total, MOST_EXPANDED_NODES + 1)  # keeps numbers small

    first = _calls(main)
    stack = [key for key in first if key in bodies]
    ancestors: set[Key] = set()  # functions on the stack whose callees are above them
    while stack:
        key = stack[-1]
        waiting = [callee for callee in calls[key] if callee in bodies and callee not in sizes]
        if key in sizes or not waiting:
            sizes.setdefault(key, size(calls[key]))
            ancestors.discard(stack.pop())
            continue
        if not ancestors.isdisjoint(waiting):
            return MOST_EXPANDED_NODES + 1
        ancestors.add(key)
        stack += waiting
    return size(first)


def _calls(nodes: Iterable[onnx.NodeProto]) -> dict[Key, int]:
    """The number of uses of each operator or function, including those in bodies."""
    counts: dict[Key, int] = {}
    for node in _with_bodies(nodes):
        key = _key(node.domain, node.op_type, node.overload)
        counts[key] = counts.get(key, 0) + 1
    return counts


def _with_bodies(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        pending += body_nodes(node)
