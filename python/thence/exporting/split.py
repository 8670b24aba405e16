"""`--split`: the encoder and the decoder of a model as two calls of the whole model.

Each call has its own inputs and outputs, and the modules keep their paths, so one capture serves both files.
The names of the graphs' inputs are those that runtimes expect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from .errors import Code, ExportError, summarise_error
from .flat import forward_parameters, tensors_in
from .inputs import Inputs
from .lock import LOCK
from .preserved_state import preserved_state
from .quiet import quiet

_STATES = "encoder_hidden_states"
_MASK = "attention_mask"


def encoder_inputs(model: nn.Module, inputs: Inputs) -> Inputs:
    """The inputs of a call that runs the encoder alone. Raises ExportError X004 if there is none."""
    encoder = _encoder_of(model)
    accepted = forward_parameters(encoder)
    tensors = {
        name: tensor
        for name, tensor in inputs.tensors.items()
        if name in accepted and not name.startswith("decoder_")
    }
    if not tensors:
        raise _cannot_split(model, f"its encoder takes none of {', '.join(inputs.tensors)}")

    def call(_forward: Any, given: dict[str, torch.Tensor], _fixed: dict[str, Any]) -> Any:
        return {"last_hidden_state": _hidden_states(encoder, given)}

    return replace(inputs, tensors=tensors, fixed={}, dynamic={}, call=call)


def decoder_inputs(model: nn.Module, inputs: Inputs) -> Inputs:
    """The inputs of a call that runs all but the encoder, whose result is an input. Raises ExportError."""
    encoder = encoder_inputs(model, inputs)
    try:
        with LOCK, preserved_state(model, getattr(model, "config", None)), quiet(), torch.no_grad():
            states = _hidden_states(_encoder_of(model), encoder.tensors)
    except Exception as error:
        raise _cannot_split(model, f"its encoder fails: {summarise_error(error)}") from error
    ids = {name: tensor for name, tensor in inputs.tensors.items() if name.startswith("decoder_")}
    if not ids:
        raise _cannot_split(model, "its decoder has no input")
    is_text = inputs.tensors.get("input_ids") is not None
    tensors = {**ids, _STATES: states.detach().clone()}
    if _MASK in inputs.tensors and inputs.tensors[_MASK].shape == states.shape[:2]:
        tensors[_MASK] = inputs.tensors[_MASK]
    axes = {name: {0: "batch", 1: "decoder_sequence"} for name, t in ids.items() if t.dim() == 2}
    for name in (_STATES, _MASK):
        if name in tensors:
            axes[name] = {0: "batch", 1: "sequence"} if is_text else {0: "batch"}
    names = {"decoder_input_ids": "input_ids", _MASK: "encoder_attention_mask"}
    return replace(inputs, tensors=tensors, dynamic=axes, call=_call_decoder, graph_names=names)


PARTS: dict[str, Callable[[nn.Module, Inputs], Inputs]] = {
    "encoder_model": encoder_inputs,
    "decoder_model": decoder_inputs,
}


def _call_decoder(forward: Any, tensors: dict[str, torch.Tensor], fixed: dict[str, Any]) -> Any:
    from transformers.modeling_outputs import BaseModelOutput

    rest = {name: tensor for name, tensor in tensors.items() if name != _STATES}
    states = BaseModelOutput(last_hidden_state=tensors[_STATES])  # type: ignore[arg-type]
    found = tensors_in(forward(**rest, **fixed, encoder_outputs=states))
    return {name: tensor for name, tensor in found.items() if not name.startswith("encoder_")}


def _hidden_states(encoder: nn.Module, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
    return next(iter(tensors_in(encoder(**tensors)).values()))


def _encoder_of(model: nn.Module) -> nn.Module:
    get_encoder: Any = getattr(model, "get_encoder", None)
    encoder = get_encoder() if callable(get_encoder) else None
    if not isinstance(encoder, nn.Module) or encoder is model:
        raise _cannot_split(model, "it has no encoder")
    if "encoder_outputs" not in forward_parameters(model):
        raise _cannot_split(model, "its forward does not take encoder_outputs")
    return encoder


def _cannot_split(model: nn.Module, reason: str) -> ExportError:
    what = f"{type(model).__name__} cannot be split into encoder and decoder: {reason}"
    return ExportError(Code.TASK, what, "leave --split out, or choose the head with --task")
