"""Runs a model with onnxruntime and records its profile, for `thence profile --run`.

The folder of the request gets `profile.json` and, if the runtime can write it, `optimised.onnx`: the graph
that ran, whose nodes the profile names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import BAD_INPUT, USAGE, Error
from .limits import check_function_calls, raise_if_out_of_memory
from .npz import read_npz
from .progress import Progress

PROFILE = "profile.json"
OPTIMISED = "optimised.onnx"
WEIGHTS = "optimised.data"
_SHORT = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
_LEVELS = {
    "disable": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}
_INLINE_BYTES = 1024  # larger initializers of the optimised model go to a file of their own


def record(request: dict[str, Any]) -> None:
    """Records the profile of a model: `warmup` runs, then `repeats` runs, all in one file."""
    try:
        import onnx  # noqa: F401
        import onnxruntime
    except ImportError as error:
        text = f"--run needs the packages onnx and onnxruntime: {error}"
        raise Error(BAD_INPUT, "X006", text, "install them: pip install onnx onnxruntime") from error
    progress = Progress(("inputs", "session", "run"), quiet=bool(request.get("quiet")))
    model, folder = Path(request["model"]), Path(request["folder"])
    provider = _provider(request.get("provider", "cpu"), onnxruntime.get_available_providers())
    with progress.stage("inputs"):
        feeds = _read(model, Path(request["inputs"])) if "inputs" in request else _generate(model)
    with progress.stage("session"):
        session = _open(model, folder, provider, request)
    _run(session, feeds, request, progress)
    recorded = session.end_profiling()
    os.replace(recorded, folder / PROFILE)
    progress.clear()


def _provider(name: str, available: list[str]) -> str:
    found = _SHORT.get(name.lower(), name)
    if found in available:
        return found
    text = f"the installed onnxruntime has no provider {name}"
    raise Error(USAGE, "K009", text, f"give one of {', '.join(available)}")


def _read(model: Path, inputs: Path) -> Iterator[dict[str, Any]]:
    """The given inputs. Generating them checks the model, which is needed here, too."""
    import onnx

    feed = read_npz(inputs)
    try:
        check_function_calls(onnx.load(model, load_external_data=False))
    except Error:
        raise
    except Exception as error:  # onnxruntime reports a model that cannot be read
        raise_if_out_of_memory(error)
    return iter([feed])


def _generate(model: Path) -> Iterator[dict[str, Any]]:
    """Yields generated inputs, the most likely to be accepted first."""
    from .verify.claims import NotRun
    from .verify.graph import read_graph
    from .verify.inputs import generate_inputs

    try:
        graph = read_graph(model)
        for feed, _ in generate_inputs(graph, graph):
            yield feed
    except NotRun as error:
        hint = "give inputs with --inputs FILE.npz"
        raise Error(BAD_INPUT, "K008", f"{model}: no inputs can be generated: {error}", hint) from error


def _open(model: Path, folder: Path, provider: str, request: dict[str, Any]) -> Any:
    """Opens a session that writes the optimised model; if it cannot, one that does not."""
    try:
        return _session(model, folder, provider, request, saves=True)
    except Exception as error:  # the exceptions of onnxruntime have no common base class
        raise_if_out_of_memory(error)
    for name in (OPTIMISED, WEIGHTS):
        (folder / name).unlink(missing_ok=True)
    try:
        return _session(model, folder, provider, request, saves=False)
    except Exception as error:
        raise _not_run(model, error) from error


def _session(model: Path, folder: Path, provider: str, request: dict[str, Any], *, saves: bool) -> Any:
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = getattr(
        onnxruntime.GraphOptimizationLevel, _LEVELS[request.get("level", "all")]
    )
    settings.log_severity_level = 4
    settings.intra_op_num_threads = int(request.get("threads", 0))
    settings.enable_profiling = True
    settings.profile_file_prefix = str(folder / "recorded")
    if saves:
        settings.optimized_model_filepath = str(folder / OPTIMISED)
        settings.add_session_config_entry("session.optimized_model_external_initializers_file_name", WEIGHTS)
        settings.add_session_config_entry(
            "session.optimized_model_external_initializers_min_size_in_bytes", str(_INLINE_BYTES)
        )
    return onnxruntime.InferenceSession(str(model), settings, providers=[provider])


def _run(session: Any, feeds: Iterator[dict[str, Any]], request: dict[str, Any], progress: Progress) -> None:
    """Runs the first inputs that the model accepts. Inputs that it refuses leave no run in the profile."""
    names = {value.name for value in session.get_inputs()}
    failed: Exception | None = None
    warmup, repeats = int(request.get("warmup", 0)), int(request.get("repeats", 1))
    for feed in feeds:
        inputs = {name: value for name, value in feed.items() if name in names}
        try:
            session.run(None, inputs)
        except Exception as error:
            raise_if_out_of_memory(error)
            failed = failed or error
            continue
        for done in range(1, warmup + repeats):
            if done % 10 == 1 or done == warmup:
                name = f"warm-up {done} of {warmup}" if done < warmup else f"run {done - warmup} of {repeats}"
                progress.stages = ["inputs", "session", name]
                with progress.stage(name):
                    session.run(None, inputs)
            else:
                session.run(None, inputs)
        return
    session.end_profiling()
    raise _not_run(Path(request["model"]), failed or ValueError("there are no inputs"))


def _not_run(model: Path, error: Exception) -> Error:
    raise_if_out_of_memory(error)
    message = " ".join(str(error).split())[:300] or type(error).__name__
    hint = "give inputs that the model accepts with --inputs FILE.npz, or another --provider"
    return Error(BAD_INPUT, "K008", f"{model}: onnxruntime cannot run the model: {message}", hint)
