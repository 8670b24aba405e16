"""A file with wrong metadata: the recording of the export corrects it."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from tests.python.capture import nets

import thence


def test_replayed_view_belongs_to_the_module_that_created_it(tmp_path: Path) -> None:
    model = nets.Writes().eval()
    path = tmp_path / "m.onnx"
    thence.HierarchyExporter(exporter="dynamo").export(model, (torch.ones(2, 3),), path)
    (node,) = [node for node in onnx.load(path).graph.node if node.op_type == "Transpose"]
    metadata = {entry.key: entry.value for entry in node.metadata_props}
    assert "'middle.inner'" in metadata["pkg.torch.onnx.name_scopes"]
    assert metadata["pkg.thence.module"] == "middle"
    (row,) = [row for row in thence.SemanticMapper(path).map_all_nodes() if row["op_type"] == "Transpose"]
    assert row["module"] == "middle"
