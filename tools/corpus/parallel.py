"""Runs pieces of work in parallel, with a progress line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

Wanted = TypeVar("Wanted")


def run_parallel(
    doing: str, wanted: list[Wanted], jobs: int, work: Callable[[Wanted], Any]
) -> Iterator[tuple[Wanted, Any]]:
    """Yields the result of each piece when it is complete."""
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(work, one): one for one in wanted}
        for done in _progress(doing, as_completed(running), len(wanted)):
            yield running[done], done.result()


def _progress(doing: str, finished: Iterable[Any], count: int) -> Iterator[Any]:
    for number, done in enumerate(finished, 1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{doing} {number} of {count}", end="", file=sys.stderr, flush=True)
        yield done
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
