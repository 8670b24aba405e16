"""A reduced configuration stays consistent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools.corpus.more import LADDER, report_of, summary
from tools.corpus.shrink import shrunk
from tools.corpus.sizes import VOCABULARY, Sizes

SMALL = Sizes()
EQUAL_WIDTHS = Sizes(width=64, in_proportion=False)

DECODER: dict[str, Any] = {
    "model_type": "some_decoder",
    "vocab_size": 151936,
    "hidden_size": 4096,
    "intermediate_size": 8192,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 32768,
    "attention_dropout": 0.1,
    "hidden_act": "silu",
    "use_cache": True,
    "bos_token_id": 151643,
    "eos_token_id": [151645, 151643],
    "pad_token_id": None,
}


def test_sizes_are_small_and_fit_together() -> None:
    small = shrunk(DECODER, SMALL)
    assert small["hidden_size"] == 32
    assert small["intermediate_size"] == 64
    assert small["num_hidden_layers"] == 2
    assert (small["num_attention_heads"], small["num_key_value_heads"]) == (4, 2)
    assert small["head_dim"] * small["num_attention_heads"] == small["hidden_size"]
    assert small["vocab_size"] == VOCABULARY
    assert small["max_position_embeddings"] == 512


def test_values_that_are_not_sizes_are_kept() -> None:
    small = shrunk(DECODER, SMALL)
    for key in ("model_type", "attention_dropout", "hidden_act", "use_cache", "pad_token_id"):
        assert small[key] == DECODER[key]


def test_the_defaults_are_not_changed() -> None:
    before = json.dumps(DECODER)
    shrunk(DECODER, SMALL)
    assert json.dumps(DECODER) == before


def test_tokens_are_in_the_vocabulary_and_distinct() -> None:
    small = shrunk({**DECODER, "image_token_id": 151655, "unk_token_id": 3}, SMALL)
    assert small["eos_token_id"] == [small["bos_token_id"] + 1, small["bos_token_id"]]
    assert len({small["bos_token_id"], *small["eos_token_id"], small["image_token_id"], 3}) == 4
    assert small["unk_token_id"] == 3
    assert small["image_token_id"] < VOCABULARY


def test_byte_vocabulary_is_kept() -> None:
    assert shrunk({"vocab_size": 260}, SMALL)["vocab_size"] == 260


def test_one_layer_of_each_type_is_kept() -> None:
    kinds = ["linear", "linear", "linear", "full"] * 8
    feeds = ["dense"] + ["sparse"] * 31
    small = shrunk({**DECODER, "layer_types": kinds, "mlp_layer_types": feeds}, SMALL)
    assert small["layer_types"] == ["linear", "linear", "full"]
    assert small["mlp_layer_types"] == ["dense", "sparse", "sparse"]
    assert small["num_hidden_layers"] == 3


def test_lists_of_layers_name_existing_layers() -> None:
    small = shrunk(
        {**DECODER, "full_block_indexes": [7, 15, 23, 31], "kv_source_layers": list(range(32))}, SMALL
    )
    assert small["full_block_indexes"] == [1]
    assert small["kv_source_layers"] == [0, 1]
    numbered = shrunk(
        {**DECODER, "per_layer_config": {"5": {"head_dim": 256}, "11": {"head_dim": 256}}}, SMALL
    )
    assert list(numbered["per_layer_config"]) == ["1"]


def test_stages_are_named_after_the_kept_layers() -> None:
    names = {"num_hidden_layers": 12, "out_features": ["stage6", "stage12"], "out_indices": [6, 12]}
    small = shrunk(names, SMALL)
    assert small["out_features"] == ["stage1", "stage2"]
    assert small["out_indices"] == [1, 2]


def test_equal_widths_stay_equal_in_nested_configurations() -> None:
    config = {
        "model_type": "pair",
        "text_config": DECODER,
        "vision_config": {"model_type": "tower", "hidden_size": 1024, "depth": 24, "out_hidden_size": 4096},
        "projection_dim": 1024,
    }
    small = shrunk(config, SMALL)
    assert small["vision_config"] == {**small["vision_config"], "hidden_size": 32, "depth": 2}
    assert small["vision_config"]["out_hidden_size"] == small["text_config"]["hidden_size"] == 128
    assert small["projection_dim"] == 32
    equal_widths = shrunk(config, EQUAL_WIDTHS)
    assert {
        equal_widths["projection_dim"],
        *(equal_widths[f"{k}_config"]["hidden_size"] for k in ("text", "vision")),
    } == {64}


def test_the_widest_part_comes_closer_where_the_rung_says_so() -> None:
    config = {"hidden_sizes": [32, 128, 2048], "hidden_dim": 128, "in_channels": [2048, 128, 3]}
    small = shrunk(config, Sizes(width=8, spread=8))
    assert small["hidden_sizes"] == [8, 16, 64]
    assert small["hidden_dim"] == small["hidden_sizes"][1] == small["in_channels"][1]
    assert small["in_channels"] == [small["hidden_sizes"][2], small["hidden_dim"], 3]


def test_parts_of_a_head_fit_together() -> None:
    latent = {"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_head_dim": 192}
    config = {"hidden_size": 7168, "num_attention_heads": 128, **latent}
    small = shrunk(config, SMALL)
    assert small["qk_nope_head_dim"] + small["qk_rope_head_dim"] == small["qk_head_dim"]
    assert small["qk_rope_head_dim"] < small["v_head_dim"] == small["qk_nope_head_dim"]
    turned = shrunk({**DECODER, "rope_parameters": {"mrope_section": [16, 24, 24]}}, SMALL)
    assert sum(turned["rope_parameters"]["mrope_section"]) * 2 == turned["head_dim"]


def test_heads_of_several_attentions_are_told_apart() -> None:
    config = {"hidden_size": 4096, "num_heads": 128, "head_dim": 64, "expand": 2}
    small = shrunk(config, SMALL)
    assert small["num_heads"] * small["head_dim"] == small["expand"] * small["hidden_size"]
    mixed = {"num_attention_heads": 16, "linear_num_key_heads": 16, "linear_num_value_heads": 32}
    assert shrunk(mixed, SMALL) == {
        "num_attention_heads": 4,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
    }


def test_experts_are_few_and_enough() -> None:
    config = {
        "num_experts": 256,
        "num_experts_per_tok": 8,
        "n_group": 8,
        "topk_group": 4,
        "n_shared_experts": 2,
    }
    assert list(shrunk(config, SMALL).values()) == [4, 2, 2, 1, 1]


def test_pictures_have_a_grid_of_patches() -> None:
    config = {
        "image_size": 224,
        "patch_size": 16,
        "num_patches": 196,
        "tokens_per_image": 49,
        "num_channels": 3,
    }
    assert shrunk(config, SMALL) == {
        **{"image_size": 64, "patch_size": 8, "num_patches": 64},
        **{"tokens_per_image": 16, "num_channels": 3},
    }
    assert shrunk({"image_size": {"height": 32, "width": 128}, "patch_size": 4}, SMALL)["patch_size"] == 4
    assert shrunk(config, Sizes(grid=0)) == config


def test_stages_keep_their_ratio() -> None:
    config = {"hidden_sizes": [96, 192, 384, 768], "depths": [3, 3, 9, 3], "num_heads": [3, 6, 12, 24]}
    for sizes in (SMALL, EQUAL_WIDTHS):
        small = shrunk(config, sizes)
        assert small == {
            "hidden_sizes": [32, 64, 128, 256],
            "depths": [2, 2, 2, 2],
            "num_heads": [1, 2, 4, 8],
        }


def test_what_defaults_leave_out_is_told_where_the_rung_says_so() -> None:
    config = {
        **DECODER,
        "head_dim": None,
        "num_experts_per_tok": None,
        "rope_parameters": {"rope_type": "default"},
    }
    assert shrunk(config, SMALL)["num_experts_per_tok"] is None
    completed = shrunk(config, Sizes(adds_omitted_keys=True))
    assert (completed["num_experts_per_tok"], completed["head_dim"], completed["pad_token_id"]) == (
        2,
        8,
        None,
    )
    assert sum(completed["rope_parameters"]["mrope_section"]) == 4


def test_every_rung_makes_heads_that_divide_the_width() -> None:
    for sizes in LADDER:
        small = shrunk(DECODER, sizes)
        assert small["hidden_size"] % small["num_attention_heads"] == 0
        assert small["num_attention_heads"] % small["num_key_value_heads"] == 0


def test_failures_are_grouped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "more.jsonl"
    rows = [
        {"type": "a", "ok": True, "message": ""},
        {"type": "b", "ok": False, "message": "UnusableConfig: no inputs: ValueError: one"},
        {"type": "c", "ok": False, "message": "UnusableConfig: no inputs: TypeError: two"},
    ]
    report_of(out).write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary(["a", "b", "c"], out)
    assert capsys.readouterr().out.splitlines() == [
        "1 of 3 types made",
        "  2 x no inputs",
        "    b: no inputs: ValueError: one",
        "    c: no inputs: TypeError: two",
    ]


def test_a_line_is_made_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tools.corpus.more import make_line
    from tools.sample.architectures import build, types
    from tools.sample.choices import Choice

    more = tmp_path / "more.jsonl"
    more.write_text(make_line("opt", 20.0) + "\n")
    monkeypatch.setenv("THENCE_MORE_ARCHITECTURES", str(more))
    assert types()[-1] == "opt"
    sample = build(Choice("opt", layers=3))
    assert sum(parameter.numel() for parameter in sample.model.parameters()) < 200_000
    with torch.no_grad():
        output = sample.model(**dict(zip(sample.input_names, sample.inputs, strict=True)), **sample.fixed)
    assert output[0].shape[:2] == sample.inputs[0].shape
