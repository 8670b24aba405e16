"""Makes tiny configurations for the model types that the list of architectures lacks.

PYTHONPATH=python python -m tools.corpus.more [TYPE ...] [--out build/corpus/more.jsonl] [--jobs 1]

The configuration class of a type provides the defaults, which tools/corpus/shrink.py reduces. A ladder of
sizes is tried until a model can be built, its inputs can be derived, and its forward runs. Each type has a
separate process with a time limit. Lines are appended to the file, and the outcome of each type to a report
beside it, so an interrupted run can be continued; `--again` repeats failed types.

THENCE_MORE_ARCHITECTURES=build/corpus/more.jsonl makes the other tools read the lines.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from .isolated import run_isolated
from .shrink import shrunk
from .sizes import Config, Sizes

MAX_PARAMETERS = 2_000_000

LADDER = (
    Sizes(),
    Sizes(width=64, in_proportion=False, adds_omitted_keys=True),
    Sizes(width=16, adds_omitted_keys=True),
    Sizes(width=8, heads=2, spread=8),
    Sizes(width=64, grid=16, pixels=128, adds_omitted_keys=True),
    Sizes(grid=0),
    Sizes(width=64, in_proportion=False, head=32, layers=4, grid=0),
    Sizes(width=128, in_proportion=False, head=32, layers=3, adds_omitted_keys=True),
    Sizes(width=32, in_proportion=False, heads=2),
)


# Making one line, in a separate process.


class UnusableConfig(Exception):
    """A configuration that cannot be used: the last step that succeeded, and the reason."""

    def __init__(self, step: int, words: str) -> None:
        super().__init__(words)
        self.step = step


def make_line(type_name: str, seconds: float) -> str:
    """The line of a type, as JSON, from the first rung of the ladder that works.

    No rung is started after `seconds` of processor time: other processes do not change the result.
    """
    configs: Any = importlib.import_module("transformers.models.auto.configuration_auto")
    config_class = configs.CONFIG_MAPPING[type_name]
    line = {
        "type": type_name,
        "class": _name_in_code(_model_class(type_name, config_class)),
        "config_class": _name_in_code(config_class),
    }
    defaults = json.loads(json.dumps(_own_arguments(config_class()), default=str))
    deadline = time.process_time() + seconds
    last_failure = UnusableConfig(-1, "no time was left")
    for sizes in LADDER:
        if time.process_time() > deadline:
            break
        try:
            return json.dumps(_with_inputs({**line, "config": shrunk(defaults, sizes)}), sort_keys=True)
        except UnusableConfig as error:
            last_failure = max(last_failure, error, key=lambda unfit: unfit.step)
    raise last_failure


def _name_in_code(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def _model_class(type_name: str, config_class: type) -> type:
    """The class that AutoModel chooses, or would choose if it were registered for the configuration."""
    auto: Any = importlib.import_module("transformers.models.auto.modeling_auto")
    names = auto.MODEL_MAPPING_NAMES[type_name]
    found: type
    try:
        kinds = auto.MODEL_MAPPING[config_class]
        found = kinds[0] if isinstance(kinds, (list, tuple)) else kinds
    except ValueError:
        place = config_class.__module__.replace(".configuration_", ".modeling_")
        found = getattr(importlib.import_module(place), names if isinstance(names, str) else names[0])
    return found


def _own_arguments(config: Any) -> Config:
    """The arguments of a configuration, without computed ones and those that all configurations share."""
    transformers: Any = importlib.import_module("transformers")
    base = transformers.PreTrainedConfig
    common = {entry.name for entry in dataclasses.fields(base)} - {"is_encoder_decoder"}
    own = {entry.name for entry in dataclasses.fields(config)} - common
    words, held = config.to_dict(), vars(config)
    return {
        key: _own_arguments(held[key]) if isinstance(held.get(key), base) else value
        for key, value in words.items()
        if key in own or key in ("model_type", "out_indices")
    }


def _with_inputs(line: Config) -> Config:
    """The line with inputs that its model accepts."""
    line = {**line, "inputs": [], "fixed": {}}
    model = _built(line)
    tensors, fixed = _inputs(model)
    line["inputs"] = [_described(name, tensor) for name, tensor in tensors.items()]
    try:
        line["fixed"] = json.loads(json.dumps(fixed))
    except TypeError:
        raise UnusableConfig(3, f"an argument that is no tensor: {sorted(fixed)}") from None
    if _has_experts(line["config"]) and hasattr(model, "set_experts_implementation"):
        line["implementations"] = {"experts": "batched_mm"}
    return _checked(line)


def _inputs(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of forward: tensors, and others."""
    from thence.exporting.errors import ExportError
    from thence.exporting.inputs import derive_inputs

    try:
        found = derive_inputs(model, model.config, attempts=50, seconds=60.0)
    except ExportError as error:
        patches = _patches(model)
        if not patches:
            raise UnusableConfig(2, f"no inputs: {getattr(error, 'details', '') or error}") from None
        return patches, {}
    return found.tensors, found.fixed


def _patches(model: Any) -> dict[str, Any]:
    """The inputs of an encoder that reads a flat sequence of picture patches, if the model is one."""
    import torch

    parameters = list(inspect.signature(model.forward).parameters)
    if parameters[:2] != ["hidden_states", "grid_thw"]:
        return {}
    config = model.config
    side = 2 * getattr(config, "spatial_merge_size", 1)
    channels = getattr(config, "in_channels", getattr(config, "num_channels", 3))
    numbers = channels * getattr(config, "temporal_patch_size", 1) * config.patch_size**2
    return {"hidden_states": torch.rand(side * side, numbers), "grid_thw": torch.tensor([[1, side, side]])}


def _described(name: str, tensor: Any) -> Config:
    """The description of an input in a line. Values that have a meaning are listed."""
    spec = {"name": name, "shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch.")}
    return spec if tensor.is_floating_point() else {**spec, "data": tensor.flatten().tolist()}


def _has_experts(config: Config) -> bool:
    return any(
        _has_experts(value)
        if isinstance(value, dict)
        else "experts" in key and type(value) is int and value > 1
        for key, value in config.items()
    )


def _sample(line: Config) -> Any:
    from tools.sample.architectures import build_line
    from tools.sample.choices import Choice

    return build_line(line, Choice(line["type"]))


def _built(line: Config) -> Any:
    try:
        parameters = _parameters(line)
        if parameters > MAX_PARAMETERS:
            raise UnusableConfig(1, f"too large: {parameters} parameters")
        return _sample(line).model
    except (ImportError, UnusableConfig):
        raise
    except Exception as error:
        raise UnusableConfig(0, f"not built: {_describe_error(error)}") from None


def _parameters(line: Config) -> int:
    """The number of parameters of the model; 0 if only a model with values can compute it."""
    import torch

    try:
        with torch.device("meta"):
            model = _sample(line).model
    except ImportError:
        raise
    except Exception:
        return 0
    return sum(parameter.numel() for parameter in model.parameters())


def _checked(line: Config) -> Config:
    """The line, if its models run twice with outputs of the same shapes."""
    line = json.loads(json.dumps(line))
    try:
        first, second = _shapes(line), _shapes(line)
    except Exception as error:
        raise UnusableConfig(4, f"the line does not run: {_describe_error(error)}") from None
    if not first or first != second:
        raise UnusableConfig(5, f"not the same shapes twice: {first} and {second}")
    return line


def _shapes(line: Config) -> list[list[int]]:
    import torch

    from thence.exporting.flat import tensors_in

    sample = _sample(line)
    given = dict(zip(sample.input_names, sample.inputs, strict=True))
    with torch.no_grad():
        output = sample.model(**given, **sample.fixed)
    return [list(tensor.shape) for tensor in tensors_in(output).values()]


def _describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


# The command


def wanted_types() -> list[str]:
    """Every model type of transformers that the list lacks."""
    from tools.sample.architectures import types

    auto: Any = importlib.import_module("transformers.models.auto.modeling_auto")
    known = set(types())
    return [name for name in auto.MODEL_MAPPING_NAMES if name not in known]


def shrink(type_name: str, limit: float) -> tuple[str, bool, str, float]:
    start = time.monotonic()
    ok, message = run_isolated(
        "tools.corpus.more", "make_line", type_name, limit / 10, limit=limit, max_length=100_000_000
    )
    return type_name, ok, message, round(time.monotonic() - start, 1)


def report_of(out: Path) -> Path:
    return out.with_suffix(".report.jsonl")


def rows_of(file: Path) -> list[Config]:
    return [json.loads(text) for text in file.read_text().splitlines()] if file.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpus.more",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("types", nargs="*")
    parser.add_argument("--out", type=Path, default=Path("build/corpus/more.jsonl"))
    parser.add_argument("--jobs", type=int, default=1, help="types at a time")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a type")
    parser.add_argument("--again", action="store_true", help="once more what failed")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    wanted = options.types or wanted_types()
    done = {row["type"] for row in rows_of(options.out)}
    if not options.again:
        done |= {row["type"] for row in rows_of(report_of(options.out))}
    run([name for name in wanted if name not in done], options.out, options.jobs, options.limit)
    summary(wanted, options.out)
    return 0


def run(names: list[str], out: Path, jobs: int, limit: float) -> None:
    with ThreadPoolExecutor(jobs) as pool, out.open("a") as lines, report_of(out).open("a") as report:
        running = [pool.submit(shrink, name, limit) for name in names]
        for number, job in enumerate(as_completed(running), 1):
            name, ok, message, seconds = job.result()
            if ok:
                print(message, file=lines, flush=True)
            row = {"type": name, "ok": ok, "seconds": seconds, "message": "" if ok else message[:400]}
            print(json.dumps(row), file=report, flush=True)
            if sys.stderr.isatty():
                print(f"\r\x1b[K{number} of {len(names)}: {name}", end="", file=sys.stderr, flush=True)
    if names and sys.stderr.isatty():
        print(file=sys.stderr)


def summary(wanted: list[str], out: Path) -> None:
    """Prints the number of types that were made, and the others by reason."""
    last = {row["type"]: row for row in rows_of(report_of(out))}
    failed = [last[name] for name in wanted if name in last and not last[name]["ok"]]
    good = sum(last[name]["ok"] for name in wanted if name in last)
    print(f"{good} of {len(wanted)} types made")
    for reason, count in Counter(_reason(row["message"]) for row in failed).most_common():
        print(f"  {count} x {reason}")
        for row in failed:
            if _reason(row["message"]) == reason:
                print(f"    {row['type']}: {row['message'].removeprefix('UnusableConfig: ')}")


def _reason(message: str) -> str:
    return message.removeprefix("UnusableConfig: ").partition(":")[0]


if __name__ == "__main__":
    sys.exit(main())
