"""The times of a runtime's kernels by module, as `thence profile` prints them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from . import _core
from .errors import translate_errors
from .given import AnyModel, AnyPath, MapOptions, Metadata, core_model
from .profile_run import OPTIMISED, PROFILE, record
from .row_sequence import RowSequence
from .viewing import Report, Shown, show_again

Files: TypeAlias = AnyPath | Sequence[AnyPath]
_ALL_LEVELS = 64


@dataclass(frozen=True)
class ProfileRow:
    """A module or a group with its times in microseconds, over all runs. `key` is None for the time without
    a module. The fields are those of schema/profile.schema.json."""

    key: str | None
    calls: int
    self_us: float
    total_us: float
    share: float
    p50_us: float | None
    p90_us: float | None
    depth: int | None = None
    class_name: str | None = None


@dataclass(frozen=True)
class ProfileKernel:
    """A kernel that the runtime ran, its nodes, and its modules, the primary first."""

    name: str
    op_type: str | None
    provider: str | None
    parent: str | None
    calls: int
    time_us: float
    match: str
    nodes: tuple[str, ...]
    module: str | None
    modules: tuple[str, ...]


@dataclass(frozen=True)
class ProfileChange:
    """What became faster or slower. Times are medians over the runs, in microseconds."""

    key: str | None
    kind: str
    before_us: float
    after_us: float
    difference_us: float
    interval_us: tuple[float, ...]
    verdict: str


class Profile(RowSequence[ProfileRow]):
    """The rows of a profile (schema/profile.schema.json): modules in the order of the tree, or groups."""

    _html_columns = ("key", "class_name", "calls", "self_us", "total_us", "share", "p50_us", "p90_us")

    def __init__(self, document: Mapping[str, Any], shown: Shown | None = None) -> None:
        super().__init__(document, [_read_row(row) for row in document["rows"]])
        self._shown = shown

    def with_model(self, model: AnyModel) -> Profile:
        """The same profile, which shows this copy of its model."""
        return Profile(self._document, None if self._shown is None else replace(self._shown, model=model))

    def view(self, height: int = 640) -> Report:
        """The model with its times, which a notebook shows in a frame of `height` pixels."""
        return show_again(self._shown, "profile", height)

    def __repr__(self) -> str:
        return f"<Profile: {len(self)} rows, {self.runs} runs, {self.totals['kernel_us'] / 1000:.3f} ms>"

    @property
    def runtime(self) -> str:
        """onnxruntime, openvino or tensorrt."""
        return str(self._document["runtime"])

    @property
    def runs(self) -> int:
        """The number of runs."""
        return int(self._document["runs"])

    @property
    def totals(self) -> dict[str, Any]:
        """The sum of kernels, the wall time, the time without a module, and the numbers of kernels."""
        return dict(self._document["totals"])

    @property
    def kernels(self) -> list[ProfileKernel]:
        """The kernels that the runtime ran."""
        return [
            ProfileKernel(**{**row, "nodes": tuple(row["nodes"]), "modules": tuple(row["modules"])})
            for row in self._document["kernels"]
        ]

    def of(self, key: str) -> ProfileRow | None:
        """The row of a module or a group."""
        return next((row for row in self._rows if row.key == key), None)


class ProfileChanges(RowSequence[ProfileChange]):
    """What changed between two profiles (schema/profile_changes.schema.json): the total first, then the
    largest difference first."""

    _html_columns = ("key", "before_us", "after_us", "difference_us", "interval_us", "verdict")

    def __init__(self, document: Mapping[str, Any]) -> None:
        rows = [{**row, "interval_us": tuple(row["interval_us"])} for row in document["changes"]]
        super().__init__(document, [ProfileChange(**row) for row in rows])

    def __repr__(self) -> str:
        return f"<ProfileChanges: {len(self)} rows, total {self._rows[0].verdict}>"


@dataclass(frozen=True)
class RowOptions:
    """What the rows of a profile are, as the flags of `thence profile`."""

    by: str = "module"
    depth: int = _ALL_LEVELS
    top: int = 0
    split: bool = False
    warmup: int = 0
    strategy: str = "auto"
    rules: AnyPath | None = None
    granularity: str | None = None


def profile(
    model: AnyModel,
    profiles: Files,
    metadata: Metadata | None = None,
    *,
    ancestor: AnyModel | None = None,
    options: RowOptions | None = None,
) -> Profile:
    """Where a runtime spends its time, by module.

    `model` is the file that ran, `profiles` what the runtime wrote, and `ancestor` the model that `model`
    was made from. Models are paths, the bytes of files, or ModelProtos. `metadata` is a capture.
    """
    return _profile(model, profiles, metadata, _given(ancestor), options or RowOptions())


def _profile(
    model: AnyModel,
    profiles: Files,
    metadata: Metadata | None,
    ancestors: Sequence[AnyModel],
    given: RowOptions,
) -> Profile:
    document = _ask(model, profiles, metadata, ancestors, given)
    mapped = MapOptions(metadata, given.strategy, rules=given.rules, granularity=given.granularity)
    nearest = ancestors[-1] if ancestors else None
    return Profile(document, Shown(model, mapped, ancestor=nearest, profile=document))


def _given(*models: AnyModel | None) -> list[AnyModel]:
    return [model for model in models if model is not None]


def compare_profiles(
    model: AnyModel,
    profiles: Files,
    against: Files,
    metadata: Metadata | None = None,
    *,
    against_model: AnyModel | None = None,
    ancestor: AnyModel | None = None,
    options: RowOptions | None = None,
) -> ProfileChanges:
    """What became faster or slower from `profiles` to `against`, by module."""
    given = options or RowOptions()
    return ProfileChanges(_ask(model, profiles, metadata, _given(ancestor), given, against, against_model))


def run_profile(
    model: AnyPath,
    metadata: Metadata | None = None,
    *,
    ancestor: AnyModel | None = None,
    inputs: AnyPath | None = None,
    repeats: int = 20,
    warmup: int = 3,
    threads: int = 0,
    provider: str = "cpu",
    level: str = "all",
    options: RowOptions | None = None,
) -> Profile:
    """Runs a model with onnxruntime, and returns where it spends its time, by module.

    `ancestor` is the model that `model` was made from; `metadata` is then the ancestor's. `inputs` is an .npz
    file; without one, inputs are generated. `level` is `disable`, `basic`, `extended` or
    `all`.
    """
    given = options or RowOptions()
    with tempfile.TemporaryDirectory(prefix="thence.") as folder:
        request: dict[str, Any] = {"model": os.fspath(model), "folder": folder, "repeats": repeats}
        request |= {"warmup": warmup, "threads": threads, "provider": provider, "level": level, "quiet": True}
        if inputs is not None:
            request["inputs"] = os.fspath(inputs)
        with translate_errors():
            record(request)
        optimised, recorded = Path(folder) / OPTIMISED, Path(folder) / PROFILE
        given = RowOptions(**{**_fields(given), "warmup": warmup})
        if optimised.exists():
            found = _profile(optimised, recorded, metadata, _given(ancestor, model), given)
            return found.with_model(optimised.read_bytes())  # its file is about to be deleted
        return _profile(model, recorded, metadata, _given(ancestor), given)


def _fields(options: RowOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in RowOptions.__dataclass_fields__}


def _ask(
    model: AnyModel,
    profiles: Files,
    metadata: Any,
    ancestors: Sequence[AnyModel],
    options: RowOptions,
    against: Files = (),
    against_model: AnyModel | None = None,
) -> dict[str, Any]:
    mapped = MapOptions(metadata, options.strategy, rules=options.rules, granularity=options.granularity)
    with mapped.in_core() as core_options:
        found: dict[str, Any] = json.loads(
            _core.profile(
                core_model(model),
                core_options,
                _paths(profiles),
                [core_model(ancestor) for ancestor in ancestors],
                None if against_model is None else core_model(against_model),
                _paths(against),
                options.by,
                options.depth,
                options.top,
                options.split,
                options.warmup,
            )
        )
    return found


def _paths(files: Files) -> list[str]:
    if isinstance(files, (str, os.PathLike)):
        return [os.fspath(files)]
    return [os.fspath(file) for file in files]


def _read_row(row: Mapping[str, Any]) -> ProfileRow:
    fields = {key: value for key, value in row.items() if key != "class"}
    return ProfileRow(**fields, class_name=row.get("class"))
