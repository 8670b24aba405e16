"""Saved models with weights of 4 bits as GPTQ and AWQ store them; genai's builder takes these over as they are."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

BITS, GROUP = 4, 32  # a scale and a zero point for 32 inputs of an output
PER_WORD = 32 // BITS
MOST = 2**BITS - 1
_IN_LAYERS = re.compile(r"\.layers\.\d+\..*\.weight$")
# The outputs whose 4 bits lie side by side in a word, from the lowest bits on.
ORDERS = {"gptq": (0, 1, 2, 3, 4, 5, 6, 7), "awq": (0, 2, 4, 6, 1, 3, 5, 7)}
CONFIGS: dict[str, dict[str, Any]] = {
    "gptq": {"sym": False, "desc_act": False},
    "awq": {"zero_point": True, "version": "gemm"},
}


def quantise_folder(folder: Path, out: Path, method: str) -> None:
    """Copies a saved model, with the matrices of its layers quantised by rounding."""
    shutil.copytree(folder, out)
    file = out / "model.safetensors"
    stored: dict[str, torch.Tensor] = {}
    for name, value in load_file(file).items():
        if value.dim() == 2 and _IN_LAYERS.search(name):
            stored |= _quantise(name.removesuffix(".weight"), value, method)
        else:
            stored[name] = value
    save_file(stored, file, metadata={"format": "pt"})
    config = json.loads((out / "config.json").read_text())
    settings = {"quant_method": method, "bits": BITS, "group_size": GROUP, **CONFIGS[method]}
    (out / "config.json").write_text(json.dumps(config | {"quantization_config": settings}))


def _quantise(name: str, weight: torch.Tensor, method: str) -> dict[str, torch.Tensor]:
    outputs, inputs = weight.shape
    groups = weight.float().numpy().reshape(outputs, inputs // GROUP, GROUP)
    lowest, highest = groups.min(2), groups.max(2)
    scales = np.maximum((highest - lowest) / MOST, 1e-8).astype(np.float16)
    zeros = np.clip(np.round(-lowest / scales), 0, MOST)
    numbers = np.clip(np.round(groups / scales[..., None]) + zeros[..., None], 0, MOST)
    by_input = numbers.reshape(outputs, inputs).T.astype(np.int64)
    zeros = zeros.T.astype(np.int64)
    order = ORDERS[method]
    found = {"scales": scales.T}
    if method == "gptq":  # packs along the inputs, and stores zero points less one
        found["qweight"] = _pack(by_input.T, order).T
        found["qzeros"] = _pack((zeros - 1) & MOST, order)
        found["g_idx"] = (np.arange(inputs) // GROUP).astype(np.int32)
    else:
        found["qweight"], found["qzeros"] = _pack(by_input, order), _pack(zeros, order)
    return {f"{name}.{role}": torch.from_numpy(value).contiguous() for role, value in found.items()}


def _pack(numbers: np.ndarray[Any, Any], order: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Eight numbers of a row in each word."""
    rows, columns = numbers.shape
    words = numbers.reshape(rows, columns // PER_WORD, PER_WORD)[:, :, order]
    shifted = words << (BITS * np.arange(PER_WORD))
    return shifted.sum(2).astype(np.uint32).view(np.int32)
