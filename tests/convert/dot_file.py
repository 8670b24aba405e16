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
    tokens_read = tokens(text)
    dot, at = Dot(), 0
    clusters: list[str] = []

    def attributes() -> dict[str, str]:
        nonlocal at
        found: dict[str, str] = {}
        assert tokens_read[at] == "["
        while tokens_read[at] != "]":
            key, equals, value = tokens_read[at + 1 : at + 4]
            assert equals == "="
            found[key] = unquoted(value)
            at += 4
            assert tokens_read[at] in (",", "]")
        at += 1
        return found

    assert (tokens_read[0], tokens_read[2]) == ("digraph", "{")
    dot.name = unquoted(tokens_read[1])
    at = 3
    depth = 1
    while depth > 0:
        token_read = tokens_read[at]
        if token_read == "}":
            depth -= 1
            clusters = clusters[:-1]
            at += 1
        elif token_read == "subgraph":
            assert tokens_read[at + 1].startswith("cluster_")
            assert tokens_read[at + 2] == "{"
            clusters.append("")
            depth += 1
            at += 3
        elif tokens_read[at + 1] == "=":
            if token_read == "label":
                clusters[-1] = unquoted(tokens_read[at + 2])
            at += 3
            assert tokens_read[at] == ";"
        elif tokens_read[at + 1] == "->":
            source, target = token_read, tokens_read[at + 2]
            at += 3
            dot.edges.append((source, target, attributes()["label"]))
        elif token_read == ";":
            at += 1
        else:
            at += 1
            attributes_read = attributes()
            if token_read != "node":
                dot.nodes[token_read] = attributes_read
                dot.around[token_read] = list(clusters)
    assert at == len(tokens_read)
    return dot
