"""The schemas are valid and reject wrong documents; the examples and the data files conform to them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from jsonschema import Draft202012Validator
from onnx.reference import ReferenceEvaluator
from tests.cases.onnx_table import model_bytes
from tests.cases.printed_json import check_printed_json, run_json
from tests.cases.programs import RELEASE
from tests.cases.schemas import FOLDER, problems, schemas

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CAPTURES = sorted(EXAMPLES.glob("*.capture.json"))
DATA = sorted(path for path in FOLDER.glob("*.json") if not path.name.endswith(".schema.json"))


def name_of(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.schema.json")), ids=name_of)
def test_schema_is_valid(path: Path) -> None:
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"thence.{path.name.removesuffix('.schema.json')}/1"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("path", [*DATA, *CAPTURES], ids=name_of)
def test_file_conforms(path: Path) -> None:
    document = json.loads(path.read_text())
    assert document["schema"] in schemas()
    assert problems(document, document["schema"]) == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests/models").glob("sample*/*.truth.json")), ids=name_of)
def test_truth_conforms(path: Path) -> None:
    assert problems(json.loads(path.read_text()), "thence.truth/1") == []


def test_classification_words_refine_a_type() -> None:
    lexicon = json.loads((FOLDER / "lexicon.json").read_text())
    types = {entry["name"] for entry in [*lexicon["types"], *lexicon["weak_types"], *lexicon["wholes"]]}
    assert {entry["type"] for entry in lexicon["classifications"]} == types


@pytest.mark.parametrize("path", CAPTURES, ids=name_of)
def test_example_capture_fits_the_example(path: Path) -> None:
    answer = check_printed_json(RELEASE, EXAMPLES / "tiny.onnx", "--capture", path)
    assert answer["summary"]["unknown"] == 0
    assert all(node["reason"] is None for node in answer["nodes"])


def test_strategies_side_by_side() -> None:
    (document,) = run_json(RELEASE, "map", EXAMPLES / "tiny.onnx", "--strategy", "all", "--format", "json")
    assert problems(document, "thence.strategies/1") == []
    assert [row["needs"] is None for row in document["strategies"]] == [True] * 2 + [False] * 4


def test_example_model_is_its_table_and_runs() -> None:
    data = (EXAMPLES / "tiny.onnx").read_bytes()
    assert data == model_bytes((EXAMPLES / "tiny.onnxtxt").read_text()), (
        "see the head of examples/tiny.onnxtxt"
    )
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    (logits,) = ReferenceEvaluator(model).run(None, {"ids": np.array([[1, 2, 3, 4]])})
    assert np.shape(logits) == (1, 3)


def changed(document: dict[str, Any], place: str, value: object) -> dict[str, Any]:
    """A copy with another value at a path such as `nodes.0.level`; None removes the field."""
    result = copy.deepcopy(document)
    *way, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    inner: Any = result
    for step in way:
        inner = inner[step]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return result


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("schema", "thence.map/2"),
        ("strategy", "best"),
        ("nodes.0.level", "none"),
        ("nodes.0.source", "guess"),
        ("nodes.0.confidence", 1.5),
        ("nodes.0.reason", "no_evidence"),
        ("nodes.0.modules", []),
        ("nodes.0.layer_path", [["layers"]]),
        ("nodes.0.mood", "good"),
        ("nodes.0.call", None),
        ("modules", []),
        ("summary.by_source", {"guess": 1}),
        ("initializers.0.modules", None),
    ],
)
def test_invalid_map_is_rejected(place: str, value: object) -> None:
    (answer,) = run_json(RELEASE, "map", EXAMPLES / "tiny.onnx", "--format", "json")
    assert problems(answer, "thence.map/1") == []
    assert problems(changed(answer, place, value), "thence.map/1") != []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("schema", "thence.map/1"),
        ("sections.hierarchy.version", "1"),
        ("sections.hierarchy.modules", None),
        ("sections.hierarchy.modules.1.path", "a..b"),
        ("sections.hierarchy.modules.1.calls", -1),
        ("sections.hierarchy.parameters.0.fingerprint", {"exact": "x"}),
        ("sections.hierarchy.calls.0.caller", 3),
        ("sections.module_map.scopes.0.scope", "layers.0"),
        ("sections.execution_trace.events.0.kind", "leave"),
        ("sections.fx_graph.nodes.0.op", "call"),
        ("sections.weather", {"rain": True}),
    ],
)
def test_invalid_capture_is_rejected(place: str, value: object) -> None:
    capture = json.loads((EXAMPLES / "tiny-all-sections.capture.json").read_text())
    assert problems(changed(capture, place, value), "thence.capture/1") != []


def test_unknown_capture_section_is_ignored() -> None:
    capture = json.loads((EXAMPLES / "tiny.capture.json").read_text())
    capture["sections"]["hierarchy"] = {"version": 2, "forest": []}
    capture["sections"]["weather"] = {"version": 1, "rain": True}
    assert problems(capture, "thence.capture/1") == []
