"""Checks that the mapping code (src, include, schema) names no model, architecture or vendor."""

from __future__ import annotations

import re
from collections.abc import Iterator

import repo

NAMES = {name for line in repo.data_lines("names.txt") for name in line.split()}
ALLOWED = [line.split()[0] for line in repo.data_lines("names-allowed.txt")]
ALLOWED_TEXT = re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)" for text in ALLOWED))

CHUNK = re.compile(r"[A-Za-z0-9]+")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
LONGEST = 4  # parts in a name: wav2vec2 has four


def names_in(text: str) -> Iterator[str]:
    """The names in a line, as whole words or as parts of CamelCase and snake_case words."""
    for chunk in CHUNK.findall(ALLOWED_TEXT.sub(" ", text)):
        parts = PART.findall(chunk)
        for first in range(len(parts)):
            for last in range(first + 1, min(first + LONGEST, len(parts)) + 1):
                name = "".join(parts[first:last])
                if name.lower() in NAMES:
                    yield name


def main() -> None:
    repo.report(
        [
            f"{path}:{number}: names '{name}'"
            for path in repo.files("src", "include", "schema")
            for number, line in repo.lines(path)
            for name in names_in(line)
        ],
        "Mapping code knows no model and no vendor: describe the thing in generic words. If the text is"
        "\n  something else, such as an ONNX operator, give the reason in tools/lint.d/names-allowed.txt.",
    )


if __name__ == "__main__":
    main()
