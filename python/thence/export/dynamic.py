"""`--dynamic`: which axes of derived inputs may vary."""

from __future__ import annotations

from .inputs import Inputs


def batch_and_sequence(inputs: Inputs, *, batch: int) -> dict[str, dict[int, str]]:
    """The batch of every input that has one, and the length of text: of ids and what goes with them.

    Derive the inputs with a `batch` of 2 or more: exporters take an axis of 1 for a constant.
    """
    axes: dict[str, dict[int, str]] = {}
    fenced = any(tensor.is_floating_point() for tensor in inputs.tensors.values())
    for name, tensor in inputs.tensors.items():
        found: dict[int, str] = {}
        if tensor.dim() > 0 and tensor.shape[0] == batch:
            found[0] = "batch"
        # Beside pictures or sound the text's length is tied to theirs: it stays as it is.
        if tensor.dim() == 2 and not tensor.is_floating_point() and not fenced:
            found[1] = "decoder_sequence" if name.startswith("decoder") else "sequence"
        if found:
            axes[name] = found
    return axes
