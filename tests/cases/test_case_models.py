"""Every model in a case is valid ONNX; its JSON conforms to the schemas; its order does not matter."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import onnx
import pytest
from tests.cases.case_file import read_case
from tests.cases.onnx_table import model_bytes
from tests.cases.printed_json import check_printed_json, run_json
from tests.cases.programs import RELEASE, programs
from tests.cases.shuffle import differences, shuffled

CASES = Path(__file__).parent
SHUFFLES = 3


@cache
def models() -> dict[str, str]:
    """The text of every model, by `case: file`."""
    return {
        f"{path.relative_to(CASES)}: {name}": text
        for path in sorted(CASES.rglob("*.case"))
        for name, text in read_case(path).files.items()
        if name.endswith(".onnxtxt")
    }


def is_invalid(text: str) -> bool:
    """Whether a model declares that it breaks the rules of ONNX."""
    return any(line.startswith("invalid ") for line in text.splitlines())


@pytest.mark.parametrize("name", models())
def test_model_is_valid(name: str) -> None:
    text = models()[name]
    model = onnx.load_from_string(model_bytes(text))
    if is_invalid(text):
        with pytest.raises(onnx.checker.ValidationError):
            onnx.checker.check_model(model)
    else:
        onnx.checker.check_model(model)


@pytest.mark.parametrize("program", programs())
@pytest.mark.parametrize("name", models())
def test_printed_json_conforms(name: str, program: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(model_bytes(models()[name]))
    check_printed_json(program, path)


@pytest.mark.parametrize("name", [name for name, text in models().items() if not is_invalid(text)])
def test_order_does_not_matter(name: str, tmp_path: Path) -> None:
    model = onnx.load_from_string(model_bytes(models()[name]))
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    rows = run_json(RELEASE, "map", path, "--format", "json")[0]["nodes"]
    for seed in range(SHUFFLES):
        other, order = shuffled(model, seed)
        path.write_bytes(other.SerializeToString())
        other_rows = run_json(RELEASE, "map", path, "--format", "json")[0]["nodes"]
        assert differences(rows, other_rows, order) == []
