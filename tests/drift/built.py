"""A tiny Llama, and files of it such as builders of language models write: no exporter of PyTorch has a part.

Attention is one GroupQueryAttention that reads q, k and v from one product, additions are fused with the norm
that follows, weights are transposed or quantised in blocks, and nodes have the scopes of the builder.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, WIDTH, HEADS, GROUPS, HEAD, INNER, ROWS = 3, 64, 4, 2, 16, 96, 211
BLOCK = 32
Array = np.ndarray[Any, Any]


def tiny_llama() -> Any:
    """A model with different random weights everywhere."""
    torch, transformers = (importlib.import_module(name) for name in ("torch", "transformers"))
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=ROWS,
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=GROUPS,
        max_position_embeddings=64,
        tie_word_embeddings=False,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.data.uniform_(0.5, 1.5)
        else:
            parameter.data.normal_(std=0.1)
    return model


class Builder:
    """Writes the graph. `precision` is fp32, fp16 or int4; weights of the scope `damage` are scaled."""

    def __init__(self, model: Any, precision: str = "fp32", damage: str = "") -> None:
        self._state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
        self._precision, self._damage = precision, damage
        self._type = TensorProto.FLOAT16 if precision == "fp16" else TensorProto.FLOAT
        self._nodes: list[Any] = []
        self._tensors: list[Any] = []

    def write(self, path: Path) -> Path:
        self._add_caches()
        self._add(
            "Gather", "/model/embed_tokens/Gather", [self._weight("model.embed_tokens.weight"), "input_ids"]
        )
        hidden, residual = "/model/embed_tokens/Gather/output_0", ""
        for layer in range(LAYERS):
            hidden, residual = self._layer(layer, hidden, residual)
        hidden, _ = self._norm(
            f"/model/layers.{LAYERS}/final_norm_layernorm", "model.norm", hidden, residual, 1
        )
        self._product("/lm_head", ["lm_head"], hidden, "logits")
        onnx.save(self._model(), path)
        return path

    def _layer(self, layer: int, hidden: str, residual: str) -> tuple[str, str]:
        scope, module = f"/model/layers.{layer}", f"model.layers.{layer}"
        norm, residual = self._norm(f"{scope}/input_layernorm", f"{module}.input_layernorm", hidden, residual)
        names = [f"{module}.self_attn.{part}_proj" for part in "qkv"]
        joined = self._product(f"{scope}/attn/qkv_proj", names, norm)
        attention = self._attention(layer, joined)
        hidden = self._product(f"{scope}/attn/o_proj", [f"{module}.self_attn.o_proj"], attention)
        name = "post_attention_layernorm"
        norm, residual = self._norm(f"{scope}/{name}", f"{module}.{name}", hidden, residual)
        gate, up = (
            self._product(f"{scope}/mlp/{part}_proj", [f"{module}.mlp.{part}_proj"], norm)
            for part in ("gate", "up")
        )
        logistic = self._add("Sigmoid", f"{scope}/mlp/act_fn/Sigmoid", [gate])
        active = self._add("Mul", f"{scope}/mlp/act_fn/Mul", [gate, logistic])
        inner = self._add("Mul", f"{scope}/mlp/Mul", [active, up])
        return self._product(f"{scope}/mlp/down_proj", [f"{module}.mlp.down_proj"], inner), residual

    def _norm(self, scope: str, module: str, hidden: str, residual: str, outputs: int = 4) -> tuple[str, str]:
        """The norm, and the sum that it normalises. The last norm of a model does not output the sum."""
        weight = self._weight(f"{module}.weight")
        result = f"{scope}/output_0"
        if not residual:
            name, inputs = f"{scope}/LayerNorm", [hidden, weight]
            node = helper.make_node(
                "SimplifiedLayerNormalization", inputs, [result], name, axis=-1, epsilon=1e-6
            )
            self._nodes.append(node)
            return result, hidden
        names = [result, "", "", f"{scope}/output_3"][:outputs]
        name, inputs = f"{scope}/SkipLayerNorm", [residual, hidden, weight]
        domain = "com.microsoft"
        self._nodes.append(
            helper.make_node(
                "SkipSimplifiedLayerNormalization", inputs, names, name, domain=domain, epsilon=1e-6
            )
        )
        return result, names[-1]

    def _attention(self, layer: int, joined: str) -> str:
        name = f"/model/layers.{layer}/attn/GroupQueryAttention"
        past = [f"past_key_values.{layer}.{part}" for part in ("key", "value")]
        inputs = [joined, "", "", *past, "lengths", "total", "cos_cache", "sin_cache"]
        outputs = [f"{name}/output_0", f"present.{layer}.key", f"present.{layer}.value"]
        settings: dict[str, Any] = {"num_heads": HEADS, "kv_num_heads": GROUPS, "do_rotary": 1}
        operator, domain = "GroupQueryAttention", "com.microsoft"
        self._nodes.append(helper.make_node(operator, inputs, outputs, name, domain=domain, **settings))
        return outputs[0]

    def _product(self, scope: str, modules: list[str], hidden: str, output: str = "") -> str:
        matrix = np.concatenate([self._state[f"{module}.weight"] for module in modules])  # rows are outputs
        output = output or f"{scope}/MatMul/output_0"
        weight = f"{scope[1:].replace('/', '.')}.MatMul.weight"
        damage = 3.0 if scope == self._damage else 1.0
        if self._precision != "int4":
            inputs = [hidden, self._tensor(weight, damage * matrix.T)]
            self._nodes.append(helper.make_node("MatMul", inputs, [output], f"{scope}/MatMul"))
            return output
        packed, scales = quantise(matrix)
        self._tensors.append(numpy_helper.from_array(packed, f"{weight}_Q4"))
        inputs = [hidden, f"{weight}_Q4", self._tensor(f"{weight}_scales", damage * scales)]
        settings = {"K": matrix.shape[1], "N": matrix.shape[0], "bits": 4, "block_size": BLOCK}
        name, domain = f"{scope}/MatMul_Q4", "com.microsoft"
        self._nodes.append(helper.make_node("MatMulNBits", inputs, [output], name, domain=domain, **settings))
        return output

    def _add_caches(self) -> None:
        """The angles of positions, and the lengths that the attention reads, from the mask."""
        angles = np.outer(np.arange(64), 10000.0 ** (-np.arange(0, HEAD, 2) / HEAD))
        for name, values in (("cos_cache", np.cos(angles)), ("sin_cache", np.sin(angles))):
            self._tensor(name, values)
        for name, value in (("one", [1]), ("axis", 1)):
            self._tensors.append(numpy_helper.from_array(np.array(value, np.int64), name))
        scope = "/model/attn_mask_reformat/attn_mask_subgraph"
        count = self._add("ReduceSum", f"{scope}/ReduceSum", ["attention_mask", "one"])
        last = self._add("Sub", f"{scope}/Sub", [count, "one"])
        shape = self._add("Shape", f"{scope}/Shape", ["attention_mask"])
        total = self._add("Gather", f"{scope}/Gather", [shape, "axis"])
        for source, name in ((last, "lengths"), (total, "total")):
            kind = TensorProto.INT32
            self._nodes.append(helper.make_node("Cast", [source], [name], f"{scope}/Cast_{name}", to=kind))

    def _add(self, operator: str, name: str, inputs: list[str]) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [f"{name}/output_0"], name))
        return f"{name}/output_0"

    def _weight(self, name: str) -> str:
        return self._tensor(name, self._state[name])

    def _tensor(self, name: str, values: Array) -> str:
        kind = np.float16 if self._type == TensorProto.FLOAT16 else np.float32
        self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(values.astype(kind)), name))
        return name

    def _model(self) -> Any:
        value = helper.make_tensor_value_info
        past: list[str | int]
        total: list[str | int]
        inputs = [
            value("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"]),
            value("attention_mask", TensorProto.INT64, ["batch_size", "total_sequence_length"]),
        ]
        outputs = [value("logits", self._type, ["batch_size", "sequence_length", ROWS])]
        for layer in range(LAYERS):
            for part in ("key", "value"):
                past = ["batch_size", GROUPS, "past_sequence_length", "kv_cache_dim"]
                total = ["batch_size", GROUPS, "total_sequence_length", "kv_cache_dim"]
                inputs.append(value(f"past_key_values.{layer}.{part}", self._type, past))
                outputs.append(value(f"present.{layer}.{part}", self._type, total))
        graph = helper.make_graph(self._nodes, "main_graph", inputs, outputs, self._tensors)
        imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(
            graph, opset_imports=imports, ir_version=10, producer_name="onnxruntime-genai"
        )


def quantise(matrix: Array) -> tuple[Array, Array]:
    """Four bits in blocks along the inputs, as MatMulNBits reads them: the zero point is 8."""
    rows, columns = matrix.shape
    blocks = matrix.reshape(rows, columns // BLOCK, BLOCK)
    scales = np.abs(blocks).max(axis=-1) / 7
    codes = np.clip(np.rint(blocks / scales[..., None]) + 8, 0, 15).astype(np.uint8)
    return codes[..., ::2] | codes[..., 1::2] << 4, scales.reshape(-1)
