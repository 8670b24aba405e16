"""Models whose weights are holes in a sparse file: gigabytes that take no space on the disk."""

from __future__ import annotations

from pathlib import Path

from tests.hostile import pb

LAYERS = 8


def _nodes() -> list[bytes]:
    """A product and an activation for each layer."""
    made = []
    for i in range(LAYERS):
        made.append(
            pb.node("MatMul", f"/layers.{i}/fc/MatMul", [f"v{i}", f"layers.{i}.fc.weight"], [f"m{i}"])
        )
        made.append(pb.node("Relu", f"/layers.{i}/act/Relu", [f"m{i}"], [f"v{i + 1}"]))
    return made


def _tensor_head(name: str, elements: int) -> bytes:
    return pb.number(1, elements // 1024) + pb.number(1, 1024) + pb.number(2, 1) + pb.message(8, name)


def _ends() -> bytes:
    return pb.value_info(11, "v0") + pb.value_info(12, f"v{LAYERS}")


def inline(path: Path, size: int, name: str = "weight") -> Path:
    """A model with `size` bytes of weights inside. Each weight is a hole, but for its first bytes."""
    elements = size // LAYERS // 4096 * 1024
    with path.open("wb") as file:
        file.write(pb.model(_nodes(), _ends()))
        for i in range(LAYERS):
            head = _tensor_head(f"layers.{i}.fc.{name}", elements)
            data = pb.varint(9 << 3 | 2) + pb.varint(4 * elements)
            tensor = pb.varint(5 << 3 | 2) + pb.varint(len(head) + len(data) + 4 * elements)
            graph = pb.varint(7 << 3 | 2) + pb.varint(len(tensor) + len(head) + len(data) + 4 * elements)
            file.write(graph + tensor + head + data + bytes([i + 1]))
            file.seek(4 * elements - 1, 1)
        file.truncate()
    return path


def external(path: Path, size: int) -> Path:
    """The same with the weights in a file beside the model."""
    elements = size // LAYERS // 4096 * 1024
    data = path.with_suffix(".data")
    tensors = b""
    for i in range(LAYERS):
        where = {"location": data.name, "offset": str(4 * elements * i), "length": str(4 * elements)}
        entries = b"".join(pb.entry(13, key, value) for key, value in where.items())
        head = _tensor_head(f"layers.{i}.fc.weight", elements)
        tensors += pb.message(5, head + entries + pb.number(14, 1))
    path.write_bytes(pb.model(_nodes(), tensors + _ends()))
    with data.open("wb") as file:
        for i in range(LAYERS):
            file.seek(4 * elements * i)
            file.write(bytes([i + 1]))
        file.truncate(4 * elements * LAYERS)
    return path
