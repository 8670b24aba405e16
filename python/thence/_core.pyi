from collections.abc import Callable, Mapping, Sequence
from typing import Any

version: str
text_formats: list[str]

class CoreError(Exception):
    """Its arguments: kind (the exit code that the program would end with), code, text, hint."""

    args: tuple[int, str, str, str]

class Model:
    def __init__(self, path: str, bytes: bytes | None) -> None: ...

class Options:
    def __init__(
        self,
        capture: str = "",
        strategy: str = "auto",
        exceptions: Sequence[str] | None = None,
        tag_format: str = "ordinal",
        rules: str = "",
        granularity: str = "",
        ignore_tags: bool = False,
        checkpoint: str = "",
        description: str = "",
    ) -> None: ...

class Questions:
    def __init__(self, model: Model, options: Options) -> None: ...
    def modules(self) -> list[str | None]: ...
    def rows(self, nodes: Sequence[int]) -> bytes: ...
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

def map(model: Model, options: Options) -> bytes: ...
def compare_strategies(model: Model, options: Options) -> tuple[bytes, bytes]: ...
def show(
    model: Model,
    options: Options,
    depth: int,
    execution_order: bool,
    sort: str,
    sizes: Mapping[str, int],
) -> tuple[bytes, bytes]: ...
def explain(model: Model, options: Options, node: str) -> list[tuple[bytes, bytes]]: ...
def weights(model: Model, options: Options, ancestor: Model | None) -> bytes: ...
def transfer(
    models: Sequence[Model],
    options: Options,
    output: str,
    verify: Callable[[Sequence[tuple[list[str], list[str]]]], str | None] | None,
) -> bytes: ...
def match_tensors(ancestor: Model, model: Model, options: Options) -> tuple[bytes, bytes, bytes]: ...
def diff(
    a: Model,
    b: Model,
    options_a: Options,
    options_b: Options,
    ignored: Sequence[str],
    stat: bool,
    depth: int | None,
) -> tuple[bytes, bytes]: ...
def check(model: Model, options: Options) -> bytes: ...
def survival(models: Sequence[Model], against: Model) -> bytes: ...
def score(model: Model, options: Options, truth: str, ancestor: Model | None) -> tuple[bytes, bytes]: ...
def tag(
    model: Model,
    options: Options,
    output: str,
    with_namespace: bool = False,
    strip_stack_traces: bool = False,
) -> tuple[bytes | None, bytes]: ...
def strip(model: Model, output: str) -> tuple[bytes | None, bool]: ...
def add_ids(model: Model, output: str) -> bytes | None: ...
def extract(
    model: Model,
    options: Options,
    module: str,
    call: int | None,
    keep_names: bool,
    types_json: str,
    allow_untyped: bool,
    output: str,
) -> tuple[bytes | None, dict[str, Any]]: ...
def fold(
    model: Model, options: Options, depth: int, modules: str, output: str
) -> tuple[bytes | None, dict[str, Any]]: ...
def unfold(
    model: Model, output: str, only_folded: bool = False
) -> tuple[bytes | None, dict[str, Any]] | None: ...
def convert(model: Model, options: Options, format: str) -> bytes: ...
def write_database(model: Model, options: Options, output: str) -> None: ...
def write_file(path: str, content: bytes) -> None: ...
def profile(
    model: Model,
    options: Options,
    profiles: Sequence[str],
    ancestors: Sequence[Model],
    against_model: Model | None,
    against: Sequence[str],
    by: str,
    depth: int,
    top: int,
    split: bool,
    warmup: int,
) -> bytes: ...
def fingerprint(data: Any, shape: Sequence[int], dtype: str) -> dict[str, object]: ...
