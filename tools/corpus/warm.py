"""Imported by the server of processes: initialises the exporters once, before the server is forked."""

from __future__ import annotations

import logging
import os
import tempfile
import warnings

import torch


def _both_exporters() -> None:
    model = torch.nn.Linear(2, 2).eval()
    with tempfile.TemporaryDirectory() as folder:
        for dynamo in (False, True):
            file = os.path.join(folder, "model.onnx")
            torch.onnx.export(model, (torch.ones(1, 2),), file, dynamo=dynamo, verbose=False)


torch.set_num_threads(1)  # threads do not survive a fork
logging.getLogger("torch.onnx").setLevel(logging.ERROR)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _both_exporters()
