"""What the nodes of a file compute, and in which modules of the live model the same numbers are computed.

The live model runs once with every operation recorded by the running module; the file runs in onnxruntime,
which returns the output of every node. Builders lay tensors out differently (heads, packed projections), so
numbers are compared sorted.
"""

from __future__ import annotations

from collections import defaultdict
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from tools.corpus.values import has_enough_distinct_numbers

from .folders import Line

Array = np.ndarray[Any, Any]
TOKENS = 7


def inputs_of(line: Line, live: Any) -> dict[str, Any]:
    """The inputs of the live model: those of the corpus, or made for its main input."""
    generator = torch.Generator().manual_seed(0)
    if not line.make:
        from tools.sample.architectures import inputs_of as corpus_inputs
        from tools.sample.choices import Choice

        found = corpus_inputs(Choice(line.type, line.config))
        first = {key: torch.ones_like(v[:1]) if "mask" in key else v[:1] for key, v in found.items()}
        if "position_ids" in signature(live.forward).parameters and "input_ids" in first:
            first.setdefault("position_ids", torch.arange(first["input_ids"].shape[1])[None])
        return first
    config, tokens = live.config, torch.randint(4, 300, (1, TOKENS), generator=generator)
    if live.main_input_name == "input_ids":
        found = {"input_ids": tokens}
    elif live.main_input_name == "input_features":
        shape = (1, config.num_mel_bins, 2 * config.max_source_positions)
        found = {"input_features": torch.rand(shape, generator=generator)}
    else:
        found = {live.main_input_name: torch.rand((1, 3, 30, 30), generator=generator)}
    if getattr(config, "is_encoder_decoder", False):
        found["decoder_input_ids"] = tokens
    return found


class Recorded:
    """The numbers that the live model computes, by module."""

    def __init__(self, live: Any, inputs: dict[str, Any]) -> None:
        self._rows: defaultdict[int, list[tuple[Array, str]]] = defaultdict(list)
        self.outputs: defaultdict[str, list[Array]] = defaultdict(list)
        self._record(live, inputs)

    def modules(self, value: Any) -> list[str]:
        """The modules in which these numbers, in any order, were computed, the first first."""
        if not isinstance(value, np.ndarray) or not has_enough_distinct_numbers(value):
            return []
        wanted = np.sort(value.astype(np.float32), axis=None)
        return [*dict.fromkeys(path for numbers, path in self._rows[wanted.size] if _close(numbers, wanted))]

    def is_output_of(self, value: Any, parts: tuple[str, ...]) -> bool:
        """Whether the value holds the outputs of all these modules together."""
        given = [self.outputs[part][-1] for part in parts if self.outputs[part]]
        if len(given) < len(parts) or sum(each.size for each in given) != value.size:
            return False
        return _close(np.sort(np.concatenate([g.ravel() for g in given])), np.sort(value, axis=None))

    def _add(self, tensor: Any, path: str) -> None:
        if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
            value = tensor.detach().float().numpy()
            if has_enough_distinct_numbers(value):
                self._rows[value.size].append((np.sort(value, axis=None), path))

    def _record(self, live: Any, inputs: dict[str, Any]) -> None:
        from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
        from torch.utils._pytree import tree_leaves

        running, add = [""], self._add

        class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                result = func(*args, **(kwargs or {}))
                for leaf in tree_leaves(result):
                    add(leaf, running[-1])
                return result

        def leave(path: str, result: Any) -> None:
            running.pop()
            if isinstance(result, torch.Tensor):
                with _disable_current_modes():  # or the copy is recorded
                    self.outputs[path].append(result.detach().float().numpy())

        for path, module in live.named_modules():
            module.register_forward_pre_hook(lambda _module, _args, path=path: running.append(path))
            module.register_forward_hook(lambda _module, _args, result, path=path: leave(path, result))
        with torch.no_grad(), Recorder():  # type: ignore[no-untyped-call]
            live(**inputs)


def _close(one: Array, other: Array) -> bool:
    scale = float(np.abs(other).max()) or 1.0
    return bool(np.allclose(one, other, rtol=1e-3, atol=1e-4 * scale))


def run(file: Path, given: dict[str, Any], before: dict[str, Any], head: int) -> dict[str, Any]:
    """The values of a file's inputs and node outputs.

    `before` are the outputs of files that ran before, and `head` is the width of a head in the cache.
    """
    import onnxruntime

    model = onnx.load(file)
    wanted = [value.name for value in model.graph.output]
    extra = [name for node in model.graph.node for name in node.output if name and name not in wanted]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(extra))
    for node in model.graph.node:  # a cache of fixed length cannot be empty
        kept = [attribute for attribute in node.attribute if attribute.name != "sliding_window_cache"]
        del node.attribute[:]
        node.attribute.extend(kept)
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings)
    feed = {value.name: _fed(value, given, before, head) for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs()]
    found = dict(zip(names, session.run(names, feed), strict=True)) | feed
    before.update({name: found[name] for name in wanted})
    return found


_TYPES: dict[str, Any] = {
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(bool)": np.bool_,
}


def _fed(value: Any, given: dict[str, Any], before: dict[str, Any], head: int) -> Array:
    """The value of an input of the file: of the live model, of a file that ran before, or a neutral one."""
    kind, name = _TYPES[value.type], value.name
    own = {"input_ids": "decoder_input_ids", "audio_features": "input_features"}
    for other in (own.get(name, name), name):
        if other in given:
            return np.asarray(given[other].numpy().astype(kind))
    names = [name, name.replace("past", "present")]
    if name.startswith("encoder_"):
        names += ["hidden_states", "last_hidden_state"]
    for other in names:
        if other in before:
            return np.asarray(before[other].astype(kind))
    tokens = given.get("decoder_input_ids", next(iter(given.values())))
    shape = [_size(size, tokens, head) for size in value.shape]
    if "position" in name:
        return np.broadcast_to(np.arange(shape[-1], dtype=kind), shape).copy()
    return np.ones(shape, kind) if "mask" in name else np.zeros(shape, kind)


def _size(size: Any, tokens: Any, head: int) -> int:
    if isinstance(size, int):
        return size
    if "past" in size and "+" not in size:
        return 0
    return head if "dim" in size else int(tokens.shape[0 if "batch" in size else 1])
