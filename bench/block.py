"""One block of a transformer, as exporters flatten it; the models of the benchmarks repeat it."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_bytes as pb

# Module, op, inputs. An input is "in" (the output of the preceding block), "w" or "b" (the module's weight or
# bias), or the distance to the node that made it.
BLOCK = """
attention/self/query  MatMul    in w
attention/self/query  Add       b 1
attention/self/key    MatMul    in w
attention/self/key    Add       b 1
attention/self/value  MatMul    in w
attention/self/value  Add       b 1
attention/self        Shape     5
attention/self        Constant
attention/self        Gather    2 1
attention/self        Constant
attention/self        Unsqueeze 2 1
attention/self        Concat    1 1 1 1
attention/self        Reshape   11 1
attention/self        Transpose 1
attention/self        Reshape   11 3
attention/self        Transpose 1
attention/self        Reshape   11 5
attention/self        Transpose 1
attention/self        Constant
attention/self        Div       6 1
attention/self        MatMul    1 5
attention/self        Softmax   1
attention/self        MatMul    1 7
attention/self        Transpose 1
attention/self        Shape     1
attention/self        Slice     1 6 6
attention/self        Reshape   3 1
attention/output/dense MatMul   1 w
attention/output/dense Add      b 1
attention/output      Add       1 in
attention/output/LayerNorm LayerNormalization 1 w b
intermediate/dense    MatMul    1 w
intermediate/dense    Add       b 1
intermediate/activation Constant
intermediate/activation Div     2 1
intermediate/activation Erf     1
intermediate/activation Constant
intermediate/activation Add     2 1
intermediate/activation Mul     6 1
intermediate/activation Constant
intermediate/activation Mul     2 1
output/dense          MatMul    1 w
output/dense          Add       b 1
output                Add       1 13
output/LayerNorm      LayerNormalization 1 w b
.                     Constant
.                     Cast      2
.                     Where     2 1 3
.                     Constant
.                     Reshape   2 1
""".strip().splitlines()

ATTRIBUTES = {
    "Cast": pb.int_attribute("to", pb.FLOAT),
    "Concat": pb.int_attribute("axis", 0),
    "Constant": pb.constant_attribute(-1),
    "Gather": pb.int_attribute("axis", 0),
    "LayerNormalization": pb.int_attribute("axis", -1) + pb.int_attribute("stash_type", 1),
    "Reshape": pb.int_attribute("allowzero", 0),
    "Softmax": pb.int_attribute("axis", -1),
    "Transpose": pb.ints_attribute("perm", (0, 2, 1, 3)),
}


@dataclass(frozen=True)
class Step:
    """One node of the block."""

    scope: str
    op: str
    inputs: list[str]
    name: str  # op, with a number if the scope has several of it


def steps() -> list[Step]:
    seen: dict[tuple[str, str], int] = {}
    all_steps = []
    for line in BLOCK:
        scope, op, *inputs = line.split()
        count = seen[scope, op] = seen.get((scope, op), -1) + 1
        all_steps.append(Step(scope, op, inputs, f"{op}_{count}" if count else op))
    return all_steps


STEPS = steps()
