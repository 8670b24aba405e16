"""`--dynamic`: chooses the dynamic axes of derived inputs."""

from __future__ import annotations

from .inputs import Inputs


def batch_and_sequence(inputs: Inputs, *, batch: int) -> dict[str, dict[int, str]]:
    """Makes the batch axis of every input dynamic, and the length of text: of ids and their companions.

    Derive the inputs with a `batch` of 2 or more: exporters treat an axis of 1 as a constant.
    """
    axes: dict[str, dict[int, str]] = {}
    has_media = any(tensor.is_floating_point() for tensor in inputs.tensors.values())
    for name, tensor in inputs.tensors.items():
        found: dict[int, str] = {}
        if tensor.dim() > 0 and tensor.shape[0] == batch:
            found[0] = "batch"
        # With pictures or sound, the length of the text depends on theirs, so it stays static.
        if tensor.dim() == 2 and not tensor.is_floating_point() and not has_media:
            found[1] = "decoder_sequence" if name.startswith("decoder") else "sequence"
        if found:
            axes[name] = found
    return axes
