"""Shared code of the lints: the files to check, and the output of findings. As a program, it lists files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

NOT_OURS = set(
    (
        ".git .venv .venv-libraries .venv-quantisers .venv-viewers build __pycache__ .hypothesis "
        ".mypy_cache .pytest_cache .ruff_cache"
    ).split()
)


def files(*patterns: str) -> Iterator[Path]:
    """The files of the repository, or of these folders and patterns, including untracked ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        found = [Path(name) for name in listed.stdout.split("\0") if name]
    else:  # an unpacked archive has no git
        ours = (path for path in Path().rglob("*") if not NOT_OURS & set(path.parts))
        found = [
            path
            for path in ours
            if not patterns or any(path.is_relative_to(p) or fnmatch(str(path), p) for p in patterns)
        ]
    yield from sorted(path for path in set(found) if path.is_file())


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text file; none for a binary file."""
    data = path.read_bytes()
    if b"\0" not in data:
        yield from enumerate(data.decode("utf-8", "replace").splitlines(), start=1)


def data_lines(name: str) -> Iterator[str]:
    """The lines of a data file beside this one, without comments."""
    for line in (Path(__file__).parent / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def report(findings: list[str], advice: str) -> None:
    """Prints the findings and the advice, and exits."""
    for finding in findings:
        print(finding)
    if findings:
        print(f"  {advice}")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    print(*files(*sys.argv[1:]), sep="\n")
