"""Shows the current stage of a command, on a terminal only.

It is one line on standard error, rewritten in place: the stages with marks, and the time of the current one.
Nothing is printed to a pipe or a file, with `--quiet`, or with TERM=dumb; NO_COLOR disables colour. It needs
no thread and no dependency. A stage that hangs shows its name, which is the important part.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from .messages import printable

STAGES = ("load", "inputs", "export", "capture", "tag")


class Progress:
    """Shows stages as they begin and end; `timings` has the seconds of each, whether shown or not."""

    def __init__(
        self, stages: Sequence[str] = STAGES, *, quiet: bool = False, stream: TextIO | None = None
    ) -> None:
        self.stages = list(stages)
        self.timings: dict[str, float] = {}
        self._stream = stream if stream is not None else sys.stderr
        self._shown = not quiet and _is_terminal(self._stream)
        self._colour = "NO_COLOR" not in os.environ
        self._width = 0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage that lasts as long as the block. The line is removed if the block raises."""
        start = time.monotonic()
        self._draw(name)
        try:
            yield
        except BaseException:
            self.clear()
            raise
        self.timings[name] = self.timings.get(name, 0.0) + time.monotonic() - start
        self._draw(None)

    def print_line(self, text: str) -> None:
        """Prints a sentence to the same stream, above the line of stages."""
        self.clear()
        print(printable(text), file=self._stream, flush=True)

    def clear(self) -> None:
        """Removes the line; call it before the program prints its answer."""
        if self._shown and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0

    def _draw(self, current: str | None) -> None:
        if not self._shown:
            return
        self.clear()
        plain, coloured = [], []
        for name in self.stages:
            done = name in self.timings and name != current
            text = f"{name} {self.timings[name]:.1f}s" if done else f"{name}..." if name == current else name
            code = "32" if done else "1" if name == current else "2"
            plain.append(text)
            coloured.append(f"\x1b[{code}m{text}\x1b[0m" if self._colour else text)
        self._width = len("  ".join(plain))
        self._stream.write("  ".join(coloured))
        self._stream.flush()


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # a closed stream
        return False
