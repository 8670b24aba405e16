"""Labels of onnxruntime-genai's model builder: its node names are scopes of its own, a fixed set.

A rule is a pattern of the scope and the modules of the Hugging Face model: alternatives separated by `|`, of
which the first that exists counts; parts of one node separated by `+`, the primary first; after `?` another
right answer. If none exists, later rules that match apply. The paths are below the layer (LAYER_RULES) or the
decoder (RULES); a path that starts with `/` is absolute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .labels import Label, Tree

# Arithmetic of masks, positions and sizes, and constants: no module computes them.
NOT_COUNTED = re.compile(
    r"/model/(constant_nodes|attn_mask_reformat|pos_ids_reformat|rope_caches_subgraph|context_length_subgraph"
    r"|preprocessing/(input_ids_subgraph|past_key_subgraph|Add_1$|Unsqueeze_0$))|/lm_head/(Cast|Where|prune)"
    r"|/model/layers\.\d+/.*/constant"
)
RULES = (
    (r"/model/embed_tokens/Mul", "embed_tokens<Scaled>|."),
    (r"/model/embed_tokens/", "embed_tokens"),
    (r"/model/layers\.\d+/final_norm_layernorm/", "norm|final_layernorm|embedding_norm|layer_norm"),
    (r"/lm_head/(Mul|softcap)", "/"),
    (r"/lm_head/", "/lm_head|/proj_out"),
    (r"/model/preprocessing/Conv_(\d)", "conv{0}"),
    (r"/model/preprocessing/Slice", "embed_positions"),
    (r"/model/preprocessing/Gather_1", "embed_tokens"),
    (r"/model/preprocessing/", "."),
)
LAYER_RULES = (
    (r"(input|self_attn|operator)_layernorm/", "input_layernorm|operator_norm|self_attn_layer_norm"),
    (r"cross_attn_layernorm/", "encoder_attn_layer_norm"),
    (r"(post_attention|ffn)_layernorm/", "post_attention_layernorm|ffn_norm|final_layer_norm"),
    (r"(\w+)_layernorm/", "{0}_layernorm"),
    (r"attn/cross/(\w)_proj/(Reshape|Transpose)", "/model.decoder.layers.{n}.encoder_attn"),
    (r"attn/cross/(\w)_proj/", "/model.decoder.layers.{n}.encoder_attn.{0}_proj"),
    (r"cross_attn/(\w)_proj/", "encoder_attn.{0}_proj|encoder_attn.out_proj"),
    (r"cross_attn/", "encoder_attn"),
    (r"attn/qkv_proj/Split", "self_attn"),
    (r"attn/qkv_proj/", "self_attn.qkv_proj|self_attn.q_proj+self_attn.k_proj+self_attn.v_proj"),
    (r"attn/([qkv])_proj/(Reshape|repeat_kv)", "self_attn"),
    (r"attn/([qkv])_proj/", "self_attn.{0}_proj|self_attn.qkv_proj"),
    (r"attn/o_proj/", "self_attn.o_proj|self_attn.out_proj|self_attn.dense"),
    (r"attn/q_norm/", "self_attn.q_norm|self_attn.q_layernorm|self_attn.query_layernorm"),
    (r"attn/k_norm/", "self_attn.k_norm|self_attn.k_layernorm|self_attn.key_layernorm"),
    (r"attn/v_norm/", "self_attn.v_norm"),
    (r"attn/", "self_attn"),
    (r"linear_attn/(qkv|[zab])_proj/MatMul", "linear_attn.in_proj_{0}"),
    (r"linear_attn/CausalConv", "linear_attn.conv1d?linear_attn"),
    (r"linear_attn/GatedRMSNorm", "linear_attn.norm"),
    (r"linear_attn/out_proj/", "linear_attn.out_proj"),
    (r"linear_attn/", "linear_attn"),
    (r"conv/(in|out)_proj/", "conv.{0}_proj"),
    (r"conv/CausalConv", "conv.conv?conv"),
    (r"conv/", "conv"),
    (
        r"mlp/(gate|up)_proj/",
        "mlp.{0}_proj|mlp.shared_expert.{0}_proj|mlp.gate_up_proj|shared_mlp.input_linear",
    ),
    (r"mlp/gate_proj/", "feed_forward.w1"),
    (r"mlp/up_proj/", "feed_forward.w3"),
    (r"mlp/down_proj/", "mlp.down_proj|mlp.shared_expert.down_proj|shared_mlp.output_linear|feed_forward.w2"),
    (r"mlp/(fc1|fc2)/", "mlp.{0}|{0}"),
    (r"mlp/(act_fn|square)/", "mlp.shared_expert.act_fn|mlp.act_fn|mlp.activation_fn|activation_fn"),
    (r"mlp/act_fn/", "shared_mlp.activation|feed_forward"),
    (r"mlp/", "mlp.shared_expert|mlp|shared_mlp|feed_forward"),
    (r"moe/router/(MatMul|Add$)", "mlp.router|mlp.gate|feed_forward.gate"),
    (r"moe/router/", "mlp.router?mlp|mlp.gate?mlp|feed_forward.gate?feed_forward"),
    (r"moe/Q?MoE", "mlp.experts?mlp|feed_forward.experts?feed_forward"),
    (r"moe/", "mlp|feed_forward"),
    (r"shared_expert_gate/MatMul", "mlp.shared_expert_gate"),
    (r"shared_expert_gate/", "mlp"),
    (r"(residual_mul|residual_add|layer_scalar)/", "."),
)
_LAYER = re.compile(r"/model/layers\.(\d+)/(?!final_norm)(.*)")


def label(name: str, op_type: str, stem: str, tree: Tree) -> Label:
    """The label of a node by its name; `stem` is that of the file, which may be `encoder` or `decoder`."""
    if op_type == "Constant" or NOT_COUNTED.match(name):
        return Label()
    base = f"model.{stem}" if f"model.{stem}" in tree else tree.text
    layer = _LAYER.match(name)
    number = int(layer[1]) if layer else tree.layers(base)
    place = f"{base}.layers.{number}" if layer else base
    for text in _first(LAYER_RULES if layer else RULES, layer[2] if layer else name, number):
        paths, _, accepted = text.partition("?")
        parts = tuple(_path(part, place) for part in paths.split("+"))
        if all(part in tree for part in parts):
            made = Label(tuple(part.partition("<")[0] for part in parts))
            made = made.accepting(_path(accepted, place)) if accepted else made
            return _complete(made, name, base, number, tree)
    return Label(reason="no rule")


def _first(rules: tuple[tuple[str, str], ...], name: str, number: int) -> Iterator[str]:
    """The alternatives of the rules for a scope."""
    for pattern, modules in rules:
        match = re.match(pattern, name)
        if match:
            yield from modules.format(*match.groups(), n=number).split("|")


def _path(part: str, base: str) -> str:
    if part.startswith("/"):
        return part[1:]
    return base if part == "." else f"{base}.{part}"


def _complete(made: Label, name: str, base: str, number: int, tree: Tree) -> Label:
    """Adds the layer whose residual a skip norm sums, and what the views around a norm may be called."""
    if "/Skip" in name:
        before = (
            number - 1 if re.search(r"/(input|self_attn|operator|final_norm)_layernorm/", name) else number
        )
        return made.with_parts(f"{base}.layers.{before}")
    if re.search(r"/[qkv]_norm/Reshape", name):
        return made.accepting(made.parts[0].rpartition(".")[0])
    if "/moe/" in name:
        siblings = (made.parts[0].rpartition(".")[0], made.parts[0])
        return made.with_optional(
            *(p for s in siblings for n in ("router", "gate") for p in tree.below(s, n))
        )
    if "rotary" in name or name.endswith(("GroupQueryAttention", "MultiHeadAttention")):
        return made.with_optional(*tree.below(base, "rotary_emb"), *tree.below(made.parts[0], "rotary_emb"))
    return made
