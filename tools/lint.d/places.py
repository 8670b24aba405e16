"""Checks that no file contains a folder of a particular machine or the address of a package registry."""

from __future__ import annotations

import re

import repo

PLACES = re.compile(
    r"""
    (?<![\w.$~}-]) / (?: work | root | opt | home/\w+ | Users/\w+ ) (?= / )
  | \b (?: [\w-]+\. )* (?: pypi\.org | pythonhosted\.org | npmjs\.(?:org|com) | crates\.io | ghcr\.io
                         | quay\.io | docker\.io | deb\.debian\.org | (?:archive|ports)\.ubuntu\.com ) \b
  | \b (?: 10 | 192\.168 | 172\.(?:1[6-9]|2\d|3[01]) ) (?: \.\d{1,3} ){2,3} : \d+
  | --(?: extra- )? index-url | --find-links
    """,
    re.VERBOSE,
)
# These files search for such strings themselves.
EXEMPT = {"tests/tools/test_lint.py", "tools/lint.d/places.py", "tools/sample/check.py"}


def main() -> None:
    repo.report(
        [
            f"{path}:{number}: contains a path or address of one machine: '{found[0]}'"
            for path in repo.files()
            if path.as_posix() not in EXEMPT
            for number, line in repo.lines(path)
            if (found := PLACES.search(line))
        ],
        "Use a path relative to the repository, a temporary folder, or an option the user sets.",
    )


if __name__ == "__main__":
    main()
