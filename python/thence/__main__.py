"""`python -m thence` and the script `thence`: both become the native program."""

from __future__ import annotations

import os
import sys

from .program import find_program


def main() -> int:
    """Replaces this process by the native program. Commands that need Python start Python again."""
    program = find_program()
    if program is None:
        print(
            "error[U008]: the native program of thence is not installed\n"
            "  help: install the package again with pip, or build the source tree with make build",
            file=sys.stderr,
        )
        return 2
    os.execve(program, ["thence", *sys.argv[1:]], {**os.environ, "THENCE_PYTHON": sys.executable})


if __name__ == "__main__":
    sys.exit(main())
