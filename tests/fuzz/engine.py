"""Runs one fuzz target with libFuzzer until its time is over, beyond what it finds."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
BUILD = ROOT / "build" / "fuzz"
FOUND = BUILD / "found"
# Larger inputs are slower, and need no other code. Selectors and requests have limits of their own.
MAX_BYTES = {"query": 4096, "server": 4096, "metadata": 8192, "transfer": 24_000}
DEFAULT_MAX_BYTES = 16_000
MAX_SECONDS, MAX_MEGABYTES = 10, 2048  # of one execution; more is a finding
MOST_FINDINGS = 20  # of one run, after which it ends
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


@dataclass
class Run:
    """The result of a target."""

    target: str
    seconds: float = 0
    executions: int = 0
    edges: int = 0
    inputs: int = 0
    slowest: int = 0  # seconds of one execution
    found: list[Path] = field(default_factory=list)


def names_of_targets() -> list[str]:
    return sorted(path.stem for path in (FOLDER / "targets").glob("*.cpp"))


def takes_models(target: str) -> bool:
    """Whether the whole input is a model, so that the target shares the inputs of the others that take one."""
    return "{Part::model}" in (FOLDER / "targets" / f"{target}.cpp").read_text()


def folders_of_inputs(target: str) -> list[Path]:
    """The folder for new inputs first. Then those that are stored."""
    own = BUILD / "corpus" / target
    own.mkdir(parents=True, exist_ok=True)
    stored = [FOLDER / "corpus" / name for name in (target, *(["models"] if takes_models(target) else []))]
    return [own, *(folder for folder in stored if folder.exists())]


def dictionary_of(target: str) -> Path:
    own = FOLDER / "dictionaries" / f"{target}.dict"
    return own if own.exists() else FOLDER / "dictionaries" / "models.dict"


def run_target(target: str, seconds: int) -> Run:
    """Starts the target again after each finding, with the inputs that it has until then."""
    FOUND.mkdir(parents=True, exist_ok=True)
    run = Run(target)
    started = time.monotonic()
    while run.seconds < seconds and len(run.found) < MOST_FINDINGS:
        text = execute(target, max(1, int(seconds - run.seconds)))
        read_statistics(text, run)
        run.seconds = time.monotonic() - started
        artifact = re.search(r"Test unit written to (\S+)", text)
        if artifact:
            path = Path(artifact[1])
            if is_slow_machine(target, path):
                path.unlink()
                continue
            path.with_suffix(".log").write_text(text[-100_000:])
            run.found.append(path)
        elif "Done " not in text:  # it did not start, or ended without an input
            log = FOUND / f"{target}-ended.log"
            log.write_text(text[-100_000:])
            run.found.append(log)
            break
    return run


def is_slow_machine(target: str, path: Path) -> bool:
    """Whether an input took long only because other programs ran: libFuzzer measures the time on the wall."""
    if not path.name.startswith((f"{target}-timeout-", f"{target}-slow-unit-")):
        return False
    process = subprocess.Popen(
        [BUILD / "bin" / f"thence_fuzz_{target}", f"-rss_limit_mb={MAX_MEGABYTES}", "-timeout=600", path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **OPTIONS},
    )
    return process.wait() == 0


def execute(target: str, seconds: int) -> str:
    """The messages of one run of libFuzzer."""
    flags = {
        "max_total_time": seconds,
        "timeout": MAX_SECONDS,
        "rss_limit_mb": MAX_MEGABYTES,
        "max_len": MAX_BYTES.get(target, DEFAULT_MAX_BYTES),
        "dict": dictionary_of(target),
        "artifact_prefix": f"{FOUND}/{target}-",
        "print_final_stats": 1,
    }
    options = [f"-{key}={value}" for key, value in flags.items()]
    command: list[str | Path] = [BUILD / "bin" / f"thence_fuzz_{target}", *options]
    process = subprocess.run(
        [*command, *folders_of_inputs(target)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, **OPTIONS},
        check=False,
    )
    return process.stderr.decode("utf-8", "backslashreplace")


def read_statistics(text: str, run: Run) -> None:
    progress = re.findall(r"cov: (\d+) .*?corp: (\d+)/", text)
    if progress:
        run.edges, run.inputs = (int(number) for number in progress[-1])
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    counts = [int(number) for number in re.findall(r"^#(\d+)\s", text, re.MULTILINE)]
    run.executions += int(executed[1]) if executed else max(counts, default=0)
    slowest = re.search(r"stat::slowest_unit_time_sec:\s*(\d+)", text)
    if slowest:
        run.slowest = max(run.slowest, int(slowest[1]))
