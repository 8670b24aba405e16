"""`python -m thence.commands COMMAND REQUEST`: runs commands that need a live model or a Python package. The
native program starts it.

REQUEST is a JSON object of the flags that were given; the flags are declared in C++. Messages go to standard
error. The exit code is that of the program.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from . import errors
from .errors import BAD_INPUT, OUTPUT, USAGE, Error, translate_errors
from .hub import prepare_to_load
from .limits import find_exhausted_memory, limit_memory, raise_if_out_of_memory
from .messages import to_stderr

if TYPE_CHECKING:
    from torch import nn

    from .exporting import ChosenInputs, Inputs, Loaded, Progress, Sizes
    from .pipeline import PipelineOptions

OUR_BUG = 70
INTERRUPTED = 130

Request = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        command, request = _COMMANDS[words[0]], json.loads(words[1])
    except (IndexError, KeyError, ValueError):
        request = None
    if len(words) != 2 or not isinstance(request, dict):
        return _fail(f"usage: python -m thence.commands {'|'.join(_COMMANDS)} REQUEST_JSON", USAGE)
    errors.messages_name_flags = True
    if "max_memory" in request:
        limit_memory(request["max_memory"])
    try:
        return _run_command(command, request)
    finally:
        errors.messages_name_flags = False


def _run_command(command: Callable[[Request], None], request: Request) -> int:
    """Runs a command, and turns any exception into a message and an exit code."""
    verbose = bool(request.get("verbose"))
    if not verbose:
        _silence_libraries()
    try:
        _end_with_exceptions()
        with translate_errors(), find_exhausted_memory():
            command(request)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Error as error:
        return _fail(error.lines(verbose=verbose), error.kind)
    except MemoryError:
        limit_memory(None)  # the message needs some
        limit, most = request.get("memory"), request.get("max_memory")
        if most and most < (limit << 20 if limit else most + 1):
            return _fail("error[F005]: out of memory\n  help: allow more with --max-memory SIZE", OUTPUT)
        if limit:
            text = f"error[L002]: this needs more memory than the limit of {limit} MiB"
            return _fail(f"{text}\n  help: allow more with --memory MIB, if you trust the model", BAD_INPUT)
        return _fail("error[F005]: out of memory\n  help: free some, or use a machine with more", OUTPUT)
    except ImportError as error:
        hint = "install torch, transformers, onnx and onnxscript"
        return _fail(f"error[X006]: a package is missing: {error}\n  help: {hint}", BAD_INPUT)
    except OSError as error:
        return _fail(f"error[X030]: {error}\n  help: check the path, its permissions and free space", OUTPUT)
    except Exception as error:
        traceback.print_exc() if verbose else None
        message = f"{type(error).__name__}: {error}"
        return _fail(f"thence: this is a bug in thence, please report it: {message}", OUR_BUG)
    return 0


def _export(request: Request) -> None:
    from .strategies import exporter_for

    exporter_for(request.get("strategy", "auto"), request.get("exporter"))  # reports wrong usage at once
    prepare_to_load(request.get("model"), offline=bool(request.get("offline")))
    from .exporting.quiet import quiet_native_code

    with quiet_native_code(bool(request.get("verbose"))):
        _export_loaded(request)


def _export_loaded(request: Request) -> None:
    from pathlib import Path

    from .exporting import Progress, load
    from .exporting.past import inputs_with_past, split_task
    from .exporting.split import PARTS
    from .pipeline import run
    from .split_export import run_split

    task, with_past = split_task(request.get("task"))
    progress = Progress(quiet=bool(request.get("quiet")))
    with progress.stage("load"):
        loaded = _load_model(load, {**request, "task": task})
    options = _pipeline_options(request)
    if request.get("split"):
        with progress.stage("inputs"):
            parts = {name: _choose(loaded, request, progress, change) for name, change in PARTS.items()}
            whole = _choose(loaded, {**request, "static": True}, progress, None).inputs
        folder = Path(request.get("output", "."))
        made = run_split(loaded.model, parts, whole, folder, options, progress)
    else:
        with progress.stage("inputs"):
            chosen = _choose(loaded, request, progress, inputs_with_past if with_past else None)
        options.static_inputs = chosen.static_inputs
        output = request.get("output", "model.onnx")
        made = [run(loaded.model, chosen.inputs, output, options, progress).summary]
    for summary in made:
        if summary.replaced and not request.get("quiet"):
            progress.print_line(f"note[E020]: {summary.path}: an existing file was replaced")
        _print_summary(progress, request, str(summary))


def _choose(
    loaded: Loaded,
    request: Request,
    progress: Progress,
    change: Callable[[nn.Module, Inputs], Inputs] | None,
) -> ChosenInputs:
    from .exporting import choose_inputs, fixed_sizes_warning

    chosen = choose_inputs(loaded, request.get("input_spec"), _sizes(request), change)
    if chosen.not_dynamic:
        progress.print_line(fixed_sizes_warning(loaded.model, chosen.not_dynamic))
    return chosen


def _pipeline_options(request: Request) -> PipelineOptions:
    from .pipeline import PipelineOptions

    return PipelineOptions(
        strategy=request.get("strategy", "auto"),
        exporter=request.get("exporter"),
        torch_nn_exceptions=request.get("torch_nn_exceptions"),
        rules=request.get("rules"),
        granularity=request.get("granularity"),
        opset=request.get("opset"),
        embed=not request.get("no_embed"),
        sidecar=bool(request.get("sidecar")),
        verbose=bool(request.get("verbose")),
    )


def _capture(request: Request) -> None:
    prepare_to_load(request.get("model"), offline=bool(request.get("offline")))
    from .exporting.quiet import quiet_native_code

    with quiet_native_code(bool(request.get("verbose"))):
        _capture_loaded(request)


def _capture_loaded(request: Request) -> None:
    from pathlib import Path

    from .capturing import write
    from .exporting import Progress, Sizes, choose_inputs, load
    from .exporting.place import cannot_write
    from .observe import capture_live_model

    output = Path(request.get("output", "model.capture.json"))
    sections = request.get("sections") or ["hierarchy", "execution_trace"]
    progress = Progress(("load", "inputs", "capture", "write"), quiet=bool(request.get("quiet")))
    with progress.stage("load"):
        loaded = _load_model(load, request)
    with progress.stage("inputs"):
        inputs = choose_inputs(loaded, request.get("input_spec"), Sizes.FIXED).inputs
    with progress.stage("capture"):
        needed = [name for name in sections if name != "hierarchy"]
        found: Any = capture_live_model(
            loaded.model, inputs.arguments, needed=needed, verbose=bool(request.get("verbose"))
        )
    with progress.stage("write"):
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            write(found, output)
        except OSError as error:
            raise cannot_write(output, error) from error
    modules = len(found["sections"]["hierarchy"]["modules"])
    seconds = sum(progress.timings.values())
    _print_summary(
        progress, request, f"{output}: {modules} modules, {', '.join(found['sections'])}, {seconds:.1f} s"
    )


def _extract(request: Request) -> None:
    """Infers the types that the file lacks, and prints them as JSON, the input of `--types`."""
    stdout = _reserve_stdout()
    from .infer_types import infer_missing_types

    try:
        types = infer_missing_types(request["model"])
    except (Error, MemoryError, ImportError):
        raise
    except Exception as error:  # the program lists the values without a type
        raise_if_out_of_memory(error)
        types = {}
    with stdout:
        json.dump(types, stdout)


def _convert(request: Request) -> None:
    """Writes Parquet; reads rows from standard input."""
    from .parquet import write

    write(sys.stdin.buffer, request["output"])


def _verify(request: Request) -> None:
    """Reads claims from standard input and writes verdicts to standard output, one per line."""
    from pathlib import Path

    stdout = _reserve_stdout()
    lines = [json.loads(line) for line in sys.stdin.buffer]
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        hint = "install them: pip install onnx onnxruntime"
        text = f"--verify needs the packages onnx and onnxruntime: {error}"
        raise Error(BAD_INPUT, "X006", text, hint) from error
    from .progress import Progress
    from .verify import Claim, NotRun, verify

    claims = [Claim(tuple(ours), tuple(theirs)) for ours, theirs in lines]
    progress = Progress(quiet=bool(request.get("quiet")))
    try:
        found = verify(Path(request["ancestor"]), Path(request["descendant"]), claims, progress)
        answer = "".join(f"{verdict.line()}\n" for verdict in found)
    except NotRun as error:
        answer = f"not_run {error}\n"
    with stdout:
        stdout.write(answer)


def _profile_run(request: Request) -> None:
    os.environ["TMPDIR"] = request["folder"]  # onnxruntime leaves a file of its session there
    from .profile_run import record

    record(request)


def _drift(request: Request) -> None:
    """Prints where the numbers of two models part, or writes it to a file."""
    stdout = _reserve_stdout()
    from .drifts import run_command

    text, words = run_command(request)
    if text is not None:
        with stdout:
            stdout.write(text)
    if words and not request.get("quiet"):
        to_stderr(words)


def _describe(request: Request) -> None:
    """Prints the description of a saved model, which is a capture."""
    stdout = _reserve_stdout()
    os.environ["HF_HUB_OFFLINE"] = "1"  # a configuration can name other models, which are not fetched
    from .progress import Progress
    from .saved_models import describe

    progress = Progress(("read the saved model",), quiet=bool(request.get("quiet")))
    with progress.stage("read the saved model"):
        try:
            document = describe(request["path"])
        except MemoryError as error:
            text = f"{request['path']}: to describe it needs more than {request['memory']} MiB of memory"
            hint = "check the configuration; or run thence capture, and give the file with --capture"
            raise Error(BAD_INPUT, "L002", text, hint) from error
    progress.clear()
    with stdout:
        json.dump(document, stdout)


def _reserve_stdout() -> TextIO:
    """Reserves standard output for the answer: what libraries print goes to standard error."""
    stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return stdout


def _load_model(load: Callable[..., Loaded], request: Request) -> Loaded:
    return load(
        request.get("model"),
        task=request.get("task"),
        dtype=request.get("dtype"),
        trust_remote_code=bool(request.get("trust_remote_code")),
    )


def _sizes(request: Request) -> Sizes:
    from .exporting import Sizes

    if request.get("static"):
        return Sizes.FIXED
    return Sizes.DYNAMIC if request.get("dynamic") else Sizes.DYNAMIC_IF_POSSIBLE


def _silence_libraries() -> None:
    """Disables the warnings and progress bars of torch and transformers."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def _end_with_exceptions() -> None:
    """Makes signals that end the process raise exceptions. Those that the caller ignores stay ignored."""
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU"):
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise_on_signal)


def _raise_on_signal(number: int, _frame: object) -> NoReturn:
    """Raises, so that incomplete files are removed."""
    raise SystemExit(128 + number)


def _fail(text: str, code: int) -> int:
    to_stderr(text)
    return code


def _print_summary(progress: Progress, request: Request, line: str) -> None:
    progress.clear()
    if not request.get("quiet"):
        progress.print_line(line)


_COMMANDS: dict[str, Callable[[Request], None]] = {
    "export": _export,
    "capture": _capture,
    "extract": _extract,
    "convert": _convert,
    "transfer --verify": _verify,
    "profile --run": _profile_run,
    "drift": _drift,
    "--model": _describe,
}

if __name__ == "__main__":
    sys.exit(main())
