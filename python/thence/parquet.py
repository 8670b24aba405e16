"""Writes the rows of a map as a Parquet file, for `thence convert --to parquet`.

Rows are read as lines of JSON, in batches of some thousands. Each batch is a row group, so that only one is
in memory. The fields are those of schema/map.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from .errors import BAD_INPUT, Error

BATCH = 2 << 20  # bytes of JSON in a row group, or one row if that is longer


def write(rows: BinaryIO, path: str | BinaryIO) -> None:
    """Writes the file; the caller moves it to its place."""
    try:
        import pyarrow
        import pyarrow.json
        import pyarrow.parquet
    except ImportError as error:
        hint = "install it: pip install pyarrow"
        raise Error(BAD_INPUT, "X006", f"parquet needs the package pyarrow: {error}", hint) from error
    schema = _schema(pyarrow)
    parse = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for lines in _batches(rows):
            read = pyarrow.json.ReadOptions(block_size=len(lines) + 1)
            writer.write_table(pyarrow.json.read_json(pyarrow.BufferReader(lines), read, parse))


def _batches(rows: BinaryIO) -> Iterator[bytes]:
    """Yields complete lines in batches of about BATCH bytes."""
    rest = b""
    while more := rows.read(BATCH):
        lines, end, begun = more.rpartition(b"\n")
        if end:
            yield rest + lines + end
            rest = begun
        else:
            rest += more
    if rest:
        yield rest


def _schema(pyarrow: Any) -> Any:
    text, number = pyarrow.string(), pyarrow.int64()
    context = ["module_class", "semantic_classification", "scope_path"]
    fields = {
        "graph": text,
        "index": number,
        "name": text,
        "op_type": text,
        "domain": text,
        "module": text,
        "module_class": text,
        "module_kind": text,
        "call": number,
        "modules": pyarrow.list_(text),
        "weight_owner": text,
        "hf_module": text,
        "hf_module_class": text,
        "tag": text,
        "semantic_type": text,
        "component": text,
        "layer_id": number,
        "layer_path": pyarrow.list_(pyarrow.struct([("container", text), ("index", number)])),
        "additional_context": pyarrow.struct([(name, text) for name in context]),
        "source": text,
        "confidence": pyarrow.float64(),
        "level": text,
        "reason": text,
    }
    return pyarrow.schema(list(fields.items()), metadata={"schema": "thence.map/1"})
