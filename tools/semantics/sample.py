"""Chooses modules to be judged by hand, with a fixed seed, and writes their module trees.

python -m tools.semantics.sample [--captures build/accuracy] [--out tests/semantics]

Writes trees.jsonl, the modules of each chosen architecture, and prints a line for each chosen module. The
judgement is added to these lines: role, component and layer_path. They are tests/semantics/sample.jsonl,
which was used to improve the lexicon, and fresh.jsonl, which was not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

SEED = 20
ARCHITECTURES = {"sample": 40, "fresh": 20}
MODULES = 5  # of each architecture
Module = tuple[str, str]  # path, class


def hierarchy(capture: Path) -> list[Module]:
    document = json.loads(capture.read_text())
    return [(module["path"], module["class"]) for module in document["sections"]["hierarchy"]["modules"]]


def kind(module: Module) -> tuple[str, str]:
    """The key that is equal for the same part of all layers of a list."""
    return re.sub(r"(^|\.)\d+", r"\1#", module[0]), module[1]


def chosen_modules(modules: list[Module], chance: random.Random) -> list[Module]:
    """Some modules below the root, each part of a repeated layer at most once; one in nested lists first."""
    kinds: dict[tuple[str, str], list[Module]] = {}
    for module in modules[1:]:
        kinds.setdefault(kind(module), []).append(module)
    order = chance.sample(sorted(kinds), len(kinds))
    nested = [one for one in order if one[0].count("#") > 1][:1]
    picked = nested + [one for one in order if one not in nested][: MODULES - len(nested)]
    return sorted(chance.choice(kinds[one]) for one in picked)


def family(name: str) -> str:
    """The first part of a name, without version numbers: qwen for qwen2_5_vl, bert for bert@12."""
    word = re.split(r"[-_@]", name.lower(), maxsplit=1)[0]
    return re.sub(r"[\d.]+[a-z]?$", "", word) or word


def chosen_captures(folder: Path, chance: random.Random) -> Iterator[Path]:
    """One architecture per family, among those that have enough modules."""
    families: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.capture.json")):
        if not path.name.endswith(".scopes.capture.json"):
            families.setdefault(family(path.name.split(".")[0]), []).append(path)
    picks = [chance.choice(families[name]) for name in sorted(families)]
    chance.shuffle(picks)
    return (path for path in picks if len({kind(module) for module in hierarchy(path)}) > MODULES)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.semantics.sample",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--captures", type=Path, default=Path("build/accuracy"))
    parser.add_argument("--out", type=Path, default=Path("tests/semantics"))
    options = parser.parse_args()
    chance = random.Random(SEED)
    captures = chosen_captures(options.captures, chance)
    with (options.out / "trees.jsonl").open("w") as trees:
        for use, count in ARCHITECTURES.items():
            for path in sorted(itertools.islice(captures, count)):
                name, modules = path.name.removesuffix(".capture.json"), hierarchy(path)
                trees.write(json.dumps({"architecture": name, "modules": modules}) + "\n")
                for module, class_name in chosen_modules(modules, chance):
                    print(use, json.dumps({"architecture": name, "path": module, "class": class_name}))


if __name__ == "__main__":
    main()
