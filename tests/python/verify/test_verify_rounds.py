"""Claims about two small models: confirmed, refuted and undecided."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.verify.small import model, weight, written

from thence.verify import Claim, NotRun, numbers, verify

ANCESTOR = """
    a = MatMul(x, w)
    b = Add(a, c)
    d = Relu(b)
    f = If (yes) <then_branch = t () => (float[4, 6] i) { i = Exp(d) },
                  else_branch = e () => (float[4, 6] i) { i = Neg(d) }>
    r = RandomNormalLike(d)
    y = Mul(f, r)"""
WEIGHTS: dict[str, Any] = {"w": weight(6, 6), "c": weight(6, seed=2), "yes": np.array(True)}


@pytest.fixture
def ancestor(tmp_path: Path) -> Path:
    return written(tmp_path, "ancestor.onnx", model(ANCESTOR, **WEIGHTS))


def outcomes(ancestor: Path, body: str, claims: Sequence[tuple[str, str]], **weights: Any) -> list[str]:
    made = written(ancestor.parent, "made.onnx", model(body, **{**WEIGHTS, **weights}))
    given = [Claim(tuple(ours.split()), tuple(theirs.split())) for ours, theirs in claims]
    return [verdict.outcome for verdict in verify(ancestor, made, given)]


def test_each_claim_has_its_own_verdict(ancestor: Path) -> None:
    body = "p = Gemm(x, w, c)\n q = Relu(p)\n r = RandomNormalLike(q)\n y = Add(q, r)"
    claims = [("p", "b"), ("p", "a"), ("q", "d"), ("q", "f"), ("y", "y"), ("q", "i"), ("", "d")]
    assert outcomes(ancestor, body, claims) == [
        "confirmed",
        "refuted",
        "confirmed",
        "refuted",
        "random",
        "not_exposed",
        "not_exposed",
    ]


def test_other_forms_are_tried(ancestor: Path) -> None:
    """As an integer with a factor for each column it is not comparable; the following value is."""
    body = """
        q, s, z = DynamicQuantizeLinear(x)
        i = MatMulInteger(q, w8, z)
        u = Cast <to = 1>(i)
        k = Mul(s, scales)
        p = Mul(u, k)
        y = Relu(p)"""
    scales = np.array([1, -1, 1, -1, 1, -1], np.float32) / 30
    w8 = np.round(WEIGHTS["w"] / scales).astype(np.int8)
    given: dict[str, Any] = {"w8": w8, "scales": scales}
    forms = [("i", "a"), ("i u", "a"), ("i u p", "a"), ("p i", "a")]
    assert outcomes(ancestor, body, forms, **given) == [
        "quantised_form",
        "too_coarse",
        "confirmed",
        "confirmed",
    ]
    wrong = given | {"w8": np.ascontiguousarray(w8[::-1, ::-1])}
    assert outcomes(ancestor, body, [("i u p", "a")], **wrong) == ["too_coarse"]


def test_coarse_numbers_refute_a_claim_that_equals_another_tensor(tmp_path: Path) -> None:
    """A tensor that equals no other may be erased by quantisation; one that equals another is refuted."""
    weights: dict[str, Any] = {"w": weight(6, 6), "v": weight(6, 6, seed=5)}
    path = written(
        tmp_path, "m.onnx", model("a = MatMul(x, w)\n b = MatMul(x, v)\n y = Add(a, b)", **weights)
    )
    coarse = "h = Cast <to = 10>(x)\n f = Cast <to = 1>(h)\n p = MatMul(f, w)\n q = MatMul(f, v)\n y = Exp(f)"
    made = written(tmp_path, "made.onnx", model(coarse, **weights))

    def found(*pairs: str) -> list[str]:
        return [one.outcome for one in verify(path, made, [Claim((pair[0],), (pair[1],)) for pair in pairs])]

    assert found("pa", "qb") == ["confirmed"] * 2
    assert found("pb", "qa") == ["refuted"] * 2
    assert found("yb", "qb") == ["too_coarse", "confirmed"]


def test_many_equal_tensors_confirm_nothing(tmp_path: Path) -> None:
    body = "\n".join(f"a{i} = Exp(x)" for i in range(7)) + "\n y = Relu(x)"
    path = written(tmp_path, "m.onnx", model(body))
    claims = [Claim((f"a{i}",), (f"a{i}",)) for i in range(7)]
    assert [one.outcome for one in verify(path, path, claims)] == ["same_as_others"] * 7
    assert [one.outcome for one in verify(path, path, [*claims[:5], Claim(("y",), ("y",))])] == [
        "confirmed"
    ] * 6


def test_coarse_numbers_do_not_separate_near_tensors(tmp_path: Path) -> None:
    body = "a = Mul(x, x)\n e = Mul(a, small)\n b = Add(a, e)\n y = Exp(x)"
    path = written(tmp_path, "m.onnx", model(body, small=np.linspace(0.0, 0.2, 6).astype(np.float32)))
    coarse = "h = Cast <to = 10>(x)\n f = Cast <to = 1>(h)\n k = Mul(f, scale)\n a = Mul(k, x)\n y = Exp(f)"
    made = written(tmp_path, "made.onnx", model(coarse, scale=np.linspace(0.8, 1.2, 6).astype(np.float32)))
    claims = [Claim(("a",), ("a",)), Claim(("a",), ("b",)), Claim(("y",), ("y",))]
    assert [one.outcome for one in verify(path, made, claims)] == ["too_coarse", "too_coarse", "confirmed"]


def test_verdicts_do_not_depend_on_portions(ancestor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "\n".join(f"p{i} = Gemm(x, w, c)\n q{i} = Relu(p{i})" for i in range(30)) + "\n y = Neg(q1)"
    claims = [(f"p{i}", "b") if i % 3 else (f"q{i}", "b") for i in range(30)]
    all_at_once = outcomes(ancestor, body, claims)
    assert all_at_once == ["confirmed" if i % 3 else "refuted" for i in range(30)]
    monkeypatch.setattr(numbers, "MEMORY", 1)
    assert outcomes(ancestor, body, claims) == all_at_once


def test_a_model_that_cannot_be_run(ancestor: Path) -> None:
    with pytest.raises(NotRun, match=r"^the descendant cannot be run: .*NoSuchOperator"):
        outcomes(ancestor, "y = NoSuchOperator(x)", [("y", "d")])
    with pytest.raises(NotRun, match=r"^the descendant cannot be run: .*"):
        outcomes(ancestor, "y = Reshape(x, size)", [("y", "d")], size=np.array([5, 5]))
