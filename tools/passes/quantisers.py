"""Quantisers, each a function from a file to a file, calibrated on the inputs that the model runs on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

from .optimisers import Feed

# The type that onnxruntime assumes if it cannot infer one, for example for its own operators.
_TYPE = {"DefaultTensorType": onnx.TensorProto.FLOAT}


def dynamic(source: Path, target: Path, feed: Feed) -> None:
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(source, target, extra_options=_TYPE)


def four_bit(source: Path, target: Path, feed: Feed) -> None:
    """Packs the weights of MatMul to four bits."""
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    optimizer = MatMulNBitsQuantizer(onnx.load(source), bits=4, block_size=16)
    optimizer.process()
    optimizer.model.save_model_to_file(str(target))


def prepared(source: Path, target: Path, feed: Feed) -> None:
    """Prepares as onnxruntime recommends before quantising: infers shapes and optimises the graph."""
    from onnxruntime.quantization.shape_inference import quant_pre_process

    quant_pre_process(source, target, skip_symbolic_shape=True)


def static(form: str, bits: int = 8) -> Any:
    """Quantises activations and weights with scales from the inputs; 16 bits only to compare numbers."""

    def run(source: Path, target: Path, feed: Feed) -> None:
        from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

        kinds = (QuantType.QUInt8, QuantType.QInt8) if bits == 8 else (QuantType.QUInt16, QuantType.QInt16)
        quantize_static(
            source,
            target,
            _Once(feed),
            quant_format=QuantFormat[form],
            activation_type=kinds[0],
            weight_type=kinds[1],
            extra_options=_TYPE,
        )

    return run


class _Once:
    """A data reader of one batch."""

    def __init__(self, feed: Feed) -> None:
        self._batches: Iterator[Feed] = iter([feed])

    def get_next(self) -> Feed | None:
        return next(self._batches, None)
