"""Real architectures: every section conforms to the schema, and the sections are consistent."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.python.capture.checking import fingerprint, state, valid
from tests.python.capture.exporting import export

from thence.capturing import SECTIONS, capture, record_module_map

pytest.importorskip("transformers")

from tools.sample.architectures import build
from tools.sample.choices import CHOICES
from tools.sample.flat import flat_forward

NAMES = ["bert", "albert", "t5", "swin", "wav2vec2", "funnel"]


@pytest.mark.parametrize("name", NAMES)
def test_all_sections_conform_to_the_schema_and_agree(name: str) -> None:
    exported = build(CHOICES[name])  # a separate one, because tracing fills caches
    with flat_forward(exported), record_module_map(exported.model) as scopes:
        export(exported.model, exported.inputs, input_names=exported.input_names, opset_version=17)
    sample = build(CHOICES[name])
    before = state(sample.model)
    inputs = dict(zip(sample.input_names, sample.inputs, strict=True)) | sample.fixed
    found = valid(
        capture(sample.model, inputs, sections=SECTIONS, fingerprint=fingerprint, module_map=scopes)
    )
    assert state(sample.model) == before
    _agree(found["sections"], dict(sample.model.named_modules()))


def _agree(sections: dict[str, Any], modules: dict[str, torch.nn.Module]) -> None:
    hierarchy, trace = sections["hierarchy"], sections["execution_trace"]
    assert [row["path"] for row in hierarchy["modules"]] == list(modules)
    calls = [_call(row) for row in hierarchy["calls"]]
    assert len(calls) == len(set(calls))
    assert [_call(event) for event in trace["events"] if event["kind"] == "enter"] == calls
    # The exporter records the calls that are not direct, and numbers them in the same way.
    scoped = [(row["module"], row["call"]) for row in sections["module_map"]["scopes"]]
    assert scoped == [(path, number) for path, number, direct in calls if not direct]
    parameters = {row["path"] for row in hierarchy["parameters"]}
    assert {row["parameter"] for row in trace["values"] if "parameter" in row} <= parameters
    assert set(sections["fx_graph"]["signature"].values()) <= parameters
    stacks = [entry for node in sections["fx_graph"]["nodes"] for entry in node.get("nn_module_stack", [])]
    assert {entry["path"] for entry in stacks} <= set(modules)
    known = {row["id"] for row in trace["values"]}
    for event in trace["events"]:
        if event["kind"] == "op":
            assert event["module"] in modules
            assert known.issuperset(event["inputs"] + event["outputs"])


def _call(row: dict[str, Any]) -> tuple[str, int, bool]:
    return row["module"], row["call"], row.get("direct", False)
