"""Writes the dictionaries of the fuzz targets: `python -m tests.fuzz.dictionaries`. Their words are those that the
code compares with, read from the sources, and some that sources do not contain as such."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "dictionaries"
# By target: the sources with its words.
SOURCES = {
    "models": [
        "src/onnx/metadata_keys.h",
        "schema/metadata_dialects.json",
        "src/hierarchy/*.cpp",
        "src/functions/*.h",
    ],
    "metadata": [
        "src/onnx/metadata_keys.h",
        "schema/metadata_dialects.json",
        "src/hierarchy/*.cpp",
        "src/output/source_lines.cpp",
    ],
    "capture": ["src/capture/*.cpp"],
    "saved_program": ["src/capture/saved_*.cpp", "src/capture/fx_section.cpp"],
    "safetensors": [
        "src/capture/safetensors.cpp",
        "src/capture/stored_weights.cpp",
        "src/capture/sections.cpp",
    ],
    "profile": ["src/profile/*.cpp", "src/serve/times.cpp", "src/serve/drifts.cpp"],
    "truth": ["src/score/truth.cpp"],
    "query": ["src/expression/*.cpp", "src/query/schema.cpp", "src/query/selector.cpp"],
    "rules": ["src/rules/*.cpp"],
    "server": [
        "src/serve/http_message.cpp",
        "src/serve/site.cpp",
        "src/serve/view_data.cpp",
        "src/serve/view_models.cpp",
    ],
}
JSON_WORDS = [
    "{",
    "}",
    "[",
    "]",
    '":',
    '","',
    "null",
    "true",
    "false",
    "-1",
    "1e999",
    "18446744073709551615",
    "\\u0000",
    "\\ud800",
]
MORE_WORDS = {
    "models": ["MatMul", "Gemm", "Constant", "Cast", "_output_0", "onnx::", "layer.0", ".weight", "/", "::", "\x1b["],
    "metadata": ["['', '", "', '", "']", "slice(None, 4, None)", ": ", "/layer.0/", "_output_0", "\n", 'File "', '", line ', ", in "],
    "capture": [*JSON_WORDS, "thence.capture/1", "aten.linear.default", "layer.0"],
    "saved_program": [*JSON_WORDS, "\n== ", "PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07"],
    "safetensors": [*JSON_WORDS, "F32", "BF16", "F4", "F8_E4M3", "__metadata__", "thence.capture/1"],
    "profile": [*JSON_WORDS, "\n== \n", "<net ", "<layer ", "</layer>", "<edge ", "&#x0;", "_kernel_time", "thence.profile/1", "thence.drift/1"],
    "truth": [*JSON_WORDS, "thence.truth/1"],
    "query": ["\nw", "\nm", "\nu", "\nl", "\no", "\nn#", "(root)", "**.", "[0-9]", "not (", " and ", " or ", "!=", ">=", "SELECT ", " FROM nodes", "WITH RECURSIVE ", "printf('%s'", "randomblob("],
    "rules": ["[[", "]]", '"""', "'''", "{1}", "**", "\\u0000", "0x", "1979-05-27T07:32:00Z", "inf", "nan"],
    "server": ["GET /api/", "@H\r\n", "@C\r\n", "\r\n\r\n", " HTTP/1.1\r\n", "%2", "&", "side=other", "id=n", "id=m", "Content-Length: 0\r\n"],
}  # fmt: skip
QUOTED = re.compile(r'"((?:[^"\\\n]|\\.){2,40})"')
MAX_WORDS = 150


def words_of(target: str) -> list[str]:
    """The texts in the sources that have no space, and so are no messages."""
    words: set[str] = set()
    for pattern in SOURCES[target]:
        for path in sorted(ROOT.glob(pattern)):
            text = re.sub(r"^ *#include.*$", "", path.read_text(), flags=re.MULTILINE)
            words |= {word for word in QUOTED.findall(text) if re.fullmatch(r"[\w.:/$-]+", word)}
    return [
        *dict.fromkeys(MORE_WORDS[target]),
        *sorted(words, key=lambda word: (len(word), word))[:MAX_WORDS],
    ]


def escaped(word: str) -> str:
    return "".join(
        c if 32 <= ord(c) < 127 and c not in '"\\' else "".join(f"\\x{byte:02x}" for byte in c.encode())
        for c in word
    )


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for target in SOURCES:
        lines = [f'"{escaped(word)}"' for word in words_of(target)]
        (FOLDER / f"{target}.dict").write_text("\n".join(dict.fromkeys(lines)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
