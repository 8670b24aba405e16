"""Functions that cannot be expanded, and nodes that read their own results: an answer or an error."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import onnx
import pytest
from tests.hostile import pb
from tests.hostile.program import run

HEAD = '<ir_version: 9, opset_import: ["" : 18, "f" : 1]> g (float[2] a) => (float[2] c)'
RELU = '<domain: "f", opset_import: ["" : {}]> {} (x) => (y) {{ y = Relu (x) }}'
CALL = '<domain: "f", opset_import: ["" : {}, "f" : 1]> {} (x) => (y) {{ y = f.{} (x) }}'
MODELS = {
    "two opsets": f"{HEAD} {{ c = f.K (a) }} {RELU.format(18, 'L')} {CALL.format(17, 'K', 'L')}",
    "two opsets, both called": f'{HEAD} {{ ["/K"] b = f.K (a) ["/L"] c = f.L (b) }} {RELU.format(18, "L")} '
    f"{CALL.format(17, 'K', 'L')}",
    "one name": f'{HEAD} {{ ["/L"] c = f.L (a) }} {RELU.format(18, "L")} {CALL.format(18, "L", "L")}',
    "calls itself": f'{HEAD} {{ ["/L"] c = f.L (a) }} {CALL.format(18, "L", "L")}',
    "call each other": f'{HEAD} {{ ["/L"] c = f.L (a) }} {CALL.format(18, "L", "K")} {CALL.format(18, "K", "L")}',
    "own result": f"{HEAD} {{ y = Relu (y, a) c = Relu (y) }}",
}
COMMANDS = {
    "map": ("map", "MODEL"),
    "show": ("show", "MODEL"),
    "weights": ("weights", "MODEL"),
    "report": ("report", "MODEL", "-o", "report.html"),
    "tag": ("tag", "MODEL", "-o", "tagged.onnx"),
    "fold": ("fold", "MODEL", "-o", "folded.onnx"),
    "unfold": ("unfold", "MODEL", "-o", "unfolded.onnx"),
    "diff": ("diff", "MODEL", "MODEL"),
    "transfer": ("transfer", "MODEL", "MODEL"),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_command_ends(name: str, tmp_path: Path, thence: Path) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(onnx.parser.parse_model(MODELS[name]).SerializeToString())
    for command, arguments in COMMANDS.items():
        given = [str(model) if word == "MODEL" else word for word in arguments]
        given[-1] = str(tmp_path / given[-1])
        done = run(*given, program=thence, timeout=20)
        assert done.code in (0, 1, 3), f"{command}: exit {done.code}, {done.err}"


def test_bodies_and_calls_inside_one_another(tmp_path: Path, thence: Path) -> None:
    """A hundred functions, each of which calls the next one in the deepest body that a file may have. A small
    stack is enough to find out that the flat model would be too deep."""
    functions = []
    for number in range(99):
        inner = pb.node("Relu" if number == 98 else f"f{number + 1}", "", ["x"], ["y"], domain="f")
        for _ in range(32):
            body = pb.body("then_branch", pb.graph([inner]))
            inner = pb.node("If", "", ["x"], ["y"], attributes=body)
        functions.append(pb.function(f"f{number}", [inner], ["x"], ["y"]))
    model = tmp_path / "model.onnx"
    model.write_bytes(
        pb.model([pb.node("f0", "/a/f", ["a"], ["b"], domain="f")], functions=b"".join(functions))
    )
    for command, code in (("unfold", 3), ("tag", 0)):
        done = subprocess.run(
            [thence, command, model, "-o", tmp_path / "out.onnx"],
            capture_output=True,
            check=False,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (2 << 20, 2 << 20)),
        )
        assert done.returncode == code, done.stderr
    assert (
        b"W017"
        in subprocess.run([thence, "unfold", model, "-o", "-"], capture_output=True, check=False).stderr
    )
