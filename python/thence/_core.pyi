from collections.abc import Sequence
from typing import Any

version: str

class CoreError(Exception):
    """Its arguments: kind (the exit code that the program would end with), code, text, hint."""

    args: tuple[int, str, str, str]

class Questions:
    def __init__(
        self,
        path: str,
        bytes: bytes | None,
        capture: str,
        strategy: str,
        exceptions: Sequence[str] | None,
        rules: str,
        granularity: str,
        ignore_tags: bool,
    ) -> None: ...
    def modules(self) -> list[str | None]: ...
    def select(
        self,
        modules: Sequence[str],
        under: Sequence[str],
        classes: Sequence[str],
        roles: Sequence[str],
        components: Sequence[str],
        layers: Sequence[str],
        ops: Sequence[str],
        parameters: Sequence[str],
        sources: Sequence[str],
        min_confidence: float,
        unknown: bool,
        shared: bool,
        exact: bool,
        where: str,
    ) -> list[int]: ...
    def tool_list(
        self, name: str, nodes: Sequence[int], precision: str
    ) -> tuple[str, list[tuple[str, str]]]: ...
    def sql(self, text: str, seconds: float, bytes: int) -> tuple[list[str], list[tuple[Any, ...]]]: ...
    def sql_nodes(self, text: str, seconds: float, bytes: int) -> list[int]: ...

def map_file(
    model: str,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
    rules: str = "",
    granularity: str = "",
) -> bytes: ...
def map_bytes(
    model: bytes,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
    tag_format: str = "ordinal",
    rules: str = "",
    granularity: str = "",
) -> bytes: ...
def unfold_file(model: str) -> bytes | None: ...
def unfold_bytes(model: bytes) -> bytes | None: ...
def tag_file(
    model: str,
    tagged: str,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
) -> bytes: ...
def tag_bytes(
    model: bytes,
    tagged: str,
    capture: str = "",
    strategy: str = "auto",
    exceptions: Sequence[str] | None = None,
) -> bytes: ...
def weights(
    path: str,
    bytes: bytes | None,
    ancestor_path: str,
    ancestor_bytes: bytes | None,
    capture: str,
    strategy: str,
    rules: str,
    granularity: str,
) -> bytes: ...
def profile(
    path: str,
    bytes: bytes | None,
    profiles: Sequence[str],
    ancestor_path: str,
    ancestor_bytes: bytes | None,
    against_path: str,
    against_bytes: bytes | None,
    against: Sequence[str],
    capture: str,
    strategy: str,
    rules: str,
    granularity: str,
    by: str,
    depth: int,
    top: int,
    split: bool,
    warmup: int,
) -> bytes: ...
def fingerprint(data: Any, shape: Sequence[int], dtype: str) -> dict[str, object]: ...
