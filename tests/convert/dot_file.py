"""A parser for the DOT that thence writes: strict about quotes and braces; it ignores everything else."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<text>"[^"\\\n]*(?:\\["\\][^"\\\n]*)*")
  | (?P<word>\w+)
  | (?P<mark>->|[{}\[\];=,])
    """,
    re.VERBOSE,
)


@dataclass
class Dot:
    name: str = ""
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, str]] = field(default_factory=list)
    around: dict[str, list[str]] = field(default_factory=dict)  # labels of the clusters that contain a node


def tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, f"not DOT at {at}: {text[at : at + 50]!r}"
        if match.lastgroup != "space":
            found.append(match[0])
        at = match.end()
    return found


def unquoted(token: str) -> str:
    if not token.startswith('"'):
        return token
    return html.unescape(re.sub(r"\\(.)", r"\1", token[1:-1]))


def read_dot(text: str) -> Dot:
    words = tokens(text)
    dot, at = Dot(), 0
    clusters: list[str] = []

    def attributes() -> dict[str, str]:
        nonlocal at
        found: dict[str, str] = {}
        assert words[at] == "["
        while words[at] != "]":
            key, equals, value = words[at + 1 : at + 4]
            assert equals == "="
            found[key] = unquoted(value)
            at += 4
            assert words[at] in (",", "]")
        at += 1
        return found

    assert (words[0], words[2]) == ("digraph", "{")
    dot.name = unquoted(words[1])
    at = 3
    depth = 1
    while depth > 0:
        word = words[at]
        if word == "}":
            depth -= 1
            clusters = clusters[:-1]
            at += 1
        elif word == "subgraph":
            assert words[at + 1].startswith("cluster_")
            assert words[at + 2] == "{"
            clusters.append("")
            depth += 1
            at += 3
        elif words[at + 1] == "=":
            if word == "label":
                clusters[-1] = unquoted(words[at + 2])
            at += 3
            assert words[at] == ";"
        elif words[at + 1] == "->":
            source, target = word, words[at + 2]
            at += 3
            dot.edges.append((source, target, attributes()["label"]))
        elif word == ";":
            at += 1
        else:
            at += 1
            told = attributes()
            if word != "node":
                dot.nodes[word] = told
                dot.around[word] = list(clusters)
    assert at == len(words)
    return dot
