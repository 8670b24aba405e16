"""Families of architectures, and the two halves of the corpus.

Data that is learned from some architectures (operators, confidence) is tested on others. Models of one family
share code, so a family is never split: neither clip and its text model, nor two versions.
"""

from __future__ import annotations

import re
import zlib


def family(name: str) -> str:
    """The first part of a name, without version numbers: qwen for qwen2_5_vl, bert for bert@12."""
    word = re.split(r"[-_@]", name.lower(), maxsplit=1)[0]
    return re.sub(r"[\d.]+[a-z]?$", "", word) or word


def is_lesson(name: str) -> bool:
    """Whether the family is used for learning; the others are used for measuring."""
    return zlib.crc32(family(name).encode()) % 2 == 0
