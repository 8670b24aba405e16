from collections.abc import Sequence
from typing import Any

version: str

class CoreError(Exception):
    """Its arguments: kind (the exit code that the program would end with), code, text, hint."""

    args: tuple[int, str, str, str]

def map_file(
    model: str,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
) -> bytes: ...
def map_bytes(
    model: bytes,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
) -> bytes: ...
def tag_file(
    model: str,
    tagged: str,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
) -> bytes: ...
def fingerprint(data: Any, shape: Sequence[int], dtype: str) -> dict[str, object]: ...
