"""`.view()` in a notebook: run by a kernel, rendered by nbconvert, shown by a browser without a server."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from tests.browser.test_browser import ROOT, SAMPLE, data_of, run

from thence import Error, Map, diff, map, report, tag, transfer


def execute(folder: Path, cells: list[str]) -> str:
    """The HTML of a notebook with these cells, after they ran."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    kernels = folder / "kernels" / "this"
    kernels.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel = {"argv": command, "display_name": "this", "language": "python"}
    (kernels / "kernel.json").write_text(json.dumps(kernel))
    os.environ["JUPYTER_PATH"] = str(folder)
    NotebookClient(notebook, timeout=100, kernel_name="this").execute()
    html, _ = HTMLExporter().from_notebook_node(notebook)
    return str(html)


def test_a_rendered_notebook_shows_the_views(tmp_path: Path) -> None:
    model, other = SAMPLE / "bert.torchscript.onnx", SAMPLE / "bert.dynamo.onnx"
    page = tmp_path / "notebook.html"
    page.write_text(
        execute(
            tmp_path,
            [
                f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import thence",
                f"thence.map({str(model)!r}).view()",
                f"thence.diff({str(model)!r}, {str(other)!r}).view(height=500)",
            ],
        )
    )
    run(["node", "--test", "notebook.test.mjs"], ROOT / "tests" / "browser", {"NOTEBOOK": str(page)})


def test_a_view_is_a_sandboxed_frame_with_the_document() -> None:
    shown = map((SAMPLE / "bert.torchscript.onnx").read_bytes()).view(300)._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:300px;')
    assert "allow-same-origin" not in shown
    assert shown.count("<iframe") == shown.count("</iframe>") == 1
    assert "<script" not in shown  # the document is text of an attribute


def test_a_report_is_saved(tmp_path: Path) -> None:
    made = report(SAMPLE / "bert.torchscript.onnx", depth=1)
    assert made.save(tmp_path / "report.html").read_text() == made.html


def test_a_view_has_the_options_of_its_answer(tmp_path: Path) -> None:
    model = SAMPLE / "bert.torchscript.onnx"
    tagged = tmp_path / "tagged.onnx"
    tag(model, output=tagged)
    seen = data_of(map(tagged).view().save(tmp_path / "tags.html"))
    ignored = data_of(map(tagged, ignore_tags=True).view().save(tmp_path / "ignored.html"))
    assert "tags" in json.dumps(seen["model"])
    assert "tags" not in json.dumps(ignored["model"])
    capture = {"schema": "thence.capture/1"}  # without sections: it is read, and refused
    with pytest.raises(Error, match="C003"):
        report(model, diff=model, metadata_b=capture)
    assert diff(model, model).view().html


def test_what_a_view_cannot_show_is_an_error() -> None:
    model = SAMPLE / "bert.torchscript.onnx"
    with pytest.raises(Error, match="one step, not several"):
        transfer(model, model, model).view()
    assert transfer(model, model).view().html


def test_errors_name_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(Error, match="V008"):
        Map(map(SAMPLE / "bert.torchscript.onnx").to_dict()).view()
    (tmp_path / "drift.json").write_text("{")
    with pytest.raises(Error) as failed:
        report(SAMPLE / "bert.torchscript.onnx", drift=tmp_path / "drift.json")
    assert (failed.value.code, failed.value.kind) == ("V005", 3)
    with pytest.raises(Error) as failed:
        report(SAMPLE / "bert.torchscript.onnx", diff=SAMPLE / "resnet.dynamo.onnx")
    assert (failed.value.code, failed.value.kind) == ("V004", 1)
    assert not diff(SAMPLE / "bert.torchscript.onnx", SAMPLE / "bert.torchscript.onnx")
