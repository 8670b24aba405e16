"""`python -m thence` and the script `thence`: both become the native program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def main() -> int:
    """Replaces this process by the native program. Commands that need Python start Python again."""
    program = next((path for path in _candidates() if _is_program(path)), None)
    if program is None:
        print(
            "error[U008]: the native program of thence is not installed\n"
            "  help: install the package again with pip, or build the source tree with make build",
            file=sys.stderr,
        )
        return 2
    os.execve(program, ["thence", *sys.argv[1:]], {**os.environ, "THENCE_PYTHON": sys.executable})


def _candidates() -> Iterator[Path]:
    here = Path(__file__).resolve().parent
    yield here / "bin" / "thence"
    if sys.executable:  # without one, the parent would be the current folder
        yield Path(sys.executable).parent / "thence"
    yield here.parents[1] / "build" / "release" / "bin" / "thence"


def _is_program(path: Path) -> bool:
    """Whether the file is executable and not a script: the script `thence` is the caller itself."""
    try:
        with path.open("rb") as file:
            return os.access(path, os.X_OK) and file.read(2) != b"#!"
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
