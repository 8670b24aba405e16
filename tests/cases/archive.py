"""Makes the bytes of a `.pt2` archive from a description of its entries."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping


def archive_bytes(entries: Mapping[str, object], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive whose text and byte entries are stored unchanged, and others as JSON."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, content in entries.items():
            data = content if isinstance(content, str | bytes) else json.dumps(content)
            entry = zipfile.ZipInfo(name)
            entry.compress_type = compression
            archive.writestr(entry, data)
    return packed.getvalue()
