"""Models that PyTorch exports and that recording might break, by name.

Commands name them as `hard_nets:name`, with this folder in PYTHONPATH.
"""

# mypy: disable-error-code="misc, no-any-return, no-untyped-call, attr-defined"
# (torch is typed where it is installed, and Any where it is not)

from __future__ import annotations

from collections.abc import Callable

import torch
from tests.python.api import flow_nets, odd_nets
from tests.python.api.flow_nets import X as X
from torch import Tensor, nn

NETS: dict[str, Callable[[], nn.Module]] = {
    "cond_modules": flow_nets.CondModules,
    "cond_lambdas": flow_nets.CondLambdas,
    "cond_nested": flow_nets.CondNested,
    "cond_in_child": flow_nets.CondInChild,
    "while_loop": flow_nets.WhileLoop,
    "scan": flow_nets.Scan,
    "vmap": flow_nets.Vmap,
    "functional_call": flow_nets.FunctionalCall,
    "checkpointed": flow_nets.Checkpointed,
    "custom_function": flow_nets.CustomFunction,
    "attention": flow_nets.Attention,
    "attention_by_time": lambda: flow_nets.Attention(batch_first=False),
    "encoder_layer": flow_nets.encoder_layer,
    "encoder": flow_nets.Encoder,
    "encoder_decoder": flow_nets.EncoderDecoder,
    "scripted_loop": flow_nets.ScriptedLoop,
    "scripted_model": flow_nets.scripted_model,
    "scripted_function": flow_nets.ScriptedFunction,
    "hooked": odd_nets.Hooked,
    "strange": odd_nets.Strange,
    "replaced_forward": odd_nets.replaced_forward,
    "wrapped": lambda: odd_nets.Calls(flow_nets.Block()),
    "data_parallel": lambda: nn.DataParallel(flow_nets.Block()),
    "weight_normed": odd_nets.weight_normed,
    "lazy": odd_nets.lazy,
    "modes": odd_nets.Modes,
    "inference": odd_nets.Inference,
    "recurrent": odd_nets.Recurrent,
    "copies": odd_nets.Copies,
    "threaded": odd_nets.Threaded,
    "generates": odd_nets.Generates,
    "looks_around": odd_nets.LooksAround,
}


def net(name: str) -> nn.Module:
    """The model in eval mode, with the same weights each time."""
    torch.manual_seed(0)
    return NETS[name]().eval()


def __getattr__(name: str) -> Callable[[], tuple[nn.Module, Tensor]]:
    """A factory for commands: `hard_nets:scan`."""
    if name not in NETS:
        raise AttributeError(name)
    return lambda: (net(name), X)
