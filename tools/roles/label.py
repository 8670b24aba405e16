"""Chooses architectures and labels their modules from the modelling code; see README.md.

python -m tools.roles.label [--models build/corpus] [--captures build/accuracy]
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import random
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.corpus.families import _folder_of, is_learned_from
from tools.corpus.isolated import run_isolated
from tools.sample.architectures import types

LABELS = Path(__file__).with_name("labels.jsonl")
NAMED = ("bert", "gpt2", "vit", "t5", "sam")
SEED, COUNT, LIMIT = 24, 30, 120.0
WORDS = {"query": "query", "q": "query", "key": "key", "k": "key", "value": "value", "v": "value"}
ORDER = ("query", "key", "value", "output")
ATTENDS = re.compile(r"scaled_dot_product_attention|attention_interface|eager_attention_forward")
SOFTMAX, PRODUCT = re.compile(r"[sS]oftmax\("), re.compile(r"matmul\(|bmm\(|einsum\(| @ ")
LINEAR = re.compile(r"(addmm|linear|matmul)\([^#]*self\.weight|@ self\.weight")


def sources(kind: type) -> dict[str, str]:
    """The methods of a class and of its bases in modelling code, without those of torch."""
    found: dict[str, str] = {}
    for base in kind.__mro__:
        if base.__module__.startswith("torch.") or base is object:
            continue
        for name, member in vars(base).items():
            if inspect.isfunction(member) and name not in found and not name.startswith("__"):
                try:
                    found[name] = textwrap.dedent(inspect.getsource(member))
                except (OSError, TypeError):
                    continue
    return found


def is_linear(module: Any) -> bool:
    import torch

    if next(module.children(), None) is not None:
        return False
    if isinstance(module, torch.nn.Linear):
        return True
    weight = getattr(module, "weight", None)
    return (
        isinstance(weight, torch.nn.Parameter)
        and weight.dim() == 2
        and LINEAR.search(sources(type(module)).get("forward", "")) is not None
    )


def computes_attention(kind: type) -> bool:
    code = "\n".join(sources(kind).values())
    return ATTENDS.search(code) is not None or (
        SOFTMAX.search(code) is not None and PRODUCT.search(code) is not None
    )


def words(name: str) -> set[str]:
    """The components that a variable names: `qkv` and `query_key_value` name three."""
    found = set()
    for part in re.split(r"[_\d]+", name.lower()):
        part = re.sub(r"(s|_?states)$", "", part) if part not in WORDS else part
        if part in WORDS:
            found.add(WORDS[part])
        elif part in ("qkv", "kv", "qk"):
            found |= {WORDS[letter] for letter in part}
        elif part in ("queries", "querie"):
            found.add("query")
    return found


def names_in(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id


def calls_in(node: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls of `self.NAME(...)`."""
    for each in ast.walk(node):
        if not isinstance(each, ast.Call) or not isinstance(each.func, ast.Attribute):
            continue
        if isinstance(each.func.value, ast.Name) and each.func.value.id == "self":
            yield each.func.attr, each


def assignments(tree: ast.AST) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    for each in ast.walk(tree):
        if not isinstance(each, ast.Assign) or len(each.targets) != 1:
            continue
        target, value = each.targets[0], each.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                yield [one], other
        else:
            yield (target.elts if isinstance(target, ast.Tuple) else [target]), value


def components_of(kind: type, child: str) -> list[str] | None:
    """By the rules of README.md; None if they say nothing."""
    found: set[str] = set()
    after = False
    for code in sources(kind).values():
        tree = parse(code)
        start = attention_line(code)
        for targets, value in assignments(tree):
            for name, call in calls_in(value):
                if name != child:
                    continue
                named = {word for target in targets for each in names_in(target) for word in words(each)}
                found |= named
                argument = " ".join(name for each in call.args for name in names_in(each)).lower()
                after |= not named and (
                    (start is not None and call.lineno > start)
                    or re.search(r"attn|attention|context", argument) is not None
                )
    if after and not found:
        found = {"output"}
    return [each for each in ORDER if each in found] or None


def parse(code: str) -> ast.AST:
    """A method. Long strings may have lines that begin further left, so that it is still indented."""
    try:
        return ast.parse(code)
    except IndentationError:
        return ast.increment_lineno(ast.parse("if True:\n" + code), -1)


def attention_line(code: str) -> int | None:
    lines = [
        number
        for number, line in enumerate(code.splitlines(), 1)
        if (
            SOFTMAX.search(line)
            or re.search(r"(scaled_dot_product_attention|attention_interface|_attn)\(", line)
        )
    ]
    return lines[-1] if lines else None


def label(name: str) -> str:
    """The labels of an architecture as a JSON line."""
    import torch
    from tools.sample.architectures import build
    from tools.sample.choices import choice_of
    from transformers import PreTrainedModel

    live = build(choice_of(name))
    ran: set[str] = set()
    for path, module in live.model.named_modules():
        module.register_forward_pre_hook(lambda _module, _args, path=path: ran.add(path))
    with torch.no_grad():
        live.model(**dict(zip(live.input_names, live.inputs, strict=True)) | live.fixed)
    row: dict[str, Any] = {"architecture": name, "linear": [], "other": [], "attention": [], "components": {}}
    modules = dict(live.model.named_modules())
    attending = {
        path
        for path, module in modules.items()
        if path in ran
        and not isinstance(module, PreTrainedModel)  # inherits methods about attention
        and computes_attention(type(module))
        and any(map(is_linear, module.children()))
    }
    for path, module in modules.items():
        if path not in ran or not path:
            continue
        row["linear" if is_linear(module) else "other"].append(path)
        parent, _, attribute = path.rpartition(".")
        if path in attending:
            row["attention"].append(path)
            row["components"][path] = []
        elif parent in attending and is_linear(module):
            row["attention"].append(path)
            if (found := components_of(type(modules[parent]), attribute)) is not None:
                row["components"][path] = found
    return json.dumps(row, separators=(",", ":"))


def chosen(models: Path, captures: Path) -> Iterator[str]:
    """In random order: those that were named, one per folder of modelling code, then others of these folders.

    The held-out side has fewer folders than the sample has places.
    """
    chance = random.Random(SEED)
    names = [name for name in types() if (models / f"{name}.torchscript.onnx").exists()]
    names = [name for name in names if (captures / f"{name}.capture.json").exists()]
    folders, others = set(), []
    for name in dict.fromkeys([*NAMED, *chance.sample(sorted(names), len(names))]):
        if _folder_of(name) not in folders:
            folders.add(_folder_of(name))
            yield name
        else:
            others.append(name)
    yield from others


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.roles.label",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", type=Path, default=Path("build/corpus"))
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    options = parser.parse_args()
    left = {True: COUNT, False: COUNT}
    lines: list[str] = []
    for name in chosen(options.models, options.captures):
        side = is_learned_from(name)
        if not left[side]:
            continue
        ok, text = run_isolated("tools.roles.label", "label", name, limit=LIMIT, max_length=10**8)
        if not ok:
            print(f"{name}: {text[:200]}")
            continue
        left[side] -= 1
        lines.append(text)
    LABELS.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
