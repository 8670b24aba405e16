"""Groups the model folders of transformers into families whose modelling code is related.

python -m tools.corpus.lineage [--out tools/corpus/families.json]

Two folders are related if a modelling file of one imports from the other (which covers inheritance), or has a
comment "Copied from" that names the other. A family is a connected component of this graph. The result
depends on the installed version of transformers, which the file records.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

# `auto` imports every folder by name at run time; it is a registry, not modelling code.
REGISTRY = "auto"
RELATIONS = (
    re.compile(r"^\s*from (?:\.\.|transformers\.models\.|\.\.\.models\.)(\w+)(?:\.[\w.]+)? import", re.M),
    re.compile(r"[Cc]opied from transformers\.models\.(\w+)\."),
)


def families(related: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The connected components of a graph of folders, largest first, by union-find."""
    parent = {folder: folder for folder in related}

    def root(folder: str) -> str:
        while parent[folder] != folder:
            parent[folder] = folder = parent[parent[folder]]
        return folder

    for folder, others in related.items():
        for other in others:
            if other in parent:
                parent[root(folder)] = root(other)
    members = defaultdict(list)
    for folder in sorted(parent):
        members[root(folder)].append(folder)
    return sorted(members.values(), key=lambda family: (-len(family), family))


def relations(models: Path) -> dict[str, set[str]]:
    """For each folder with modelling code, the names that its code imports from or was copied from."""
    found = {}
    for folder in models.iterdir():
        code = [*folder.glob("modeling_*.py"), *folder.glob("modular_*.py")]
        if code and folder.name != REGISTRY:
            found[folder.name] = {name for file in code for name in _named_in(file.read_text("utf-8"))}
    return found


def _named_in(code: str) -> set[str]:
    return {name for relation in RELATIONS for name in relation.findall(code)}


def installed_models() -> Path:
    specification = importlib.util.find_spec("transformers")
    assert specification is not None
    assert specification.submodule_search_locations
    return Path(specification.submodule_search_locations[0]) / "models"


def document() -> str:
    """The families as JSON, one per line."""
    lines = [f"    {json.dumps(family)}" for family in families(relations(installed_models()))]
    version = json.dumps(importlib.metadata.version("transformers"))
    return f'{{\n  "transformers": {version},\n  "families": [\n' + ",\n".join(lines) + "\n  ]\n}\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.corpus.lineage",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=Path("tools/corpus/families.json"))
    options = parser.parse_args()
    options.out.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
