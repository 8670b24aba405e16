"""Uses the source line of an operation to decide dynamo's truth.

It is used only if the exporter's module stack and our hook disagree. It decides if the line is in the forward
of one of the two modules' classes and not in that of the other.
"""

from __future__ import annotations

import inspect
import re

import torch

_FRAME = re.compile(r'^\s*File "(.+)", line (\d+), in \w+', re.MULTILINE)


def is_in_forward_of(node: torch.fx.Node, module_class: type, other: type) -> bool:
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    if not frames:
        return False
    file, line = frames[-1]
    return _in_forward(module_class, file, int(line)) and not _in_forward(other, file, int(line))


def _in_forward(module_class: type, file: str, line: int) -> bool:
    forward = inspect.unwrap(module_class.forward)  # type: ignore[attr-defined]
    if inspect.getsourcefile(forward) != file:
        return False
    lines, first = inspect.getsourcelines(forward)
    return first <= line < first + len(lines)
