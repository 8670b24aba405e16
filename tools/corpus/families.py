"""Which architectures are kin, and which of two halves a family is in.

What is learned from some architectures (operators, confidence) is held against others. Models of one family
share code, so a family is never split: not clip and its text model, nor one version and the next.
"""

from __future__ import annotations

import re
import zlib


def family(name: str) -> str:
    """The first word of a name, without what counts versions: qwen of qwen2_5_vl, bert of bert@12."""
    word = re.split(r"[-_@]", name.lower(), maxsplit=1)[0]
    return re.sub(r"[\d.]+[a-z]?$", "", word) or word


def is_lesson(name: str) -> bool:
    """Whether the family is one to learn from; the others are for measuring."""
    return zlib.crc32(family(name).encode()) % 2 == 0
