"""Writes all measured tables of the documentation from the data files in docs/figures.

make docs-figures
python -m tools.figures [--check]

`--check` changes nothing: it lists the tables that differ from what their data files say, with exit code 1.
The data files are written by the tools that measure: `make accuracy` and its relatives.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .measurement import Measurement, read_measurement
from .sections import read_section, replace_section

PAGE, README, BUILDERS = Path("docs/accuracy.md"), Path("README.md"), Path("docs/builders.md")
SECURITY, PERFORMANCE = Path("SECURITY.md"), Path("docs/performance.md")
DATA = Path("docs/figures")


@dataclass(frozen=True)
class Section:
    """A section of a page, the data file that it is made from, and how."""

    name: str
    data: Path
    render: Callable[[Measurement], str]
    page: Path = PAGE
    has_head: bool = True  # otherwise each row has its own commit

    def text(self) -> str:
        measurement = read_measurement(self.data)
        if not self.has_head:
            return self.render(measurement)
        return f"{measurement.describe()}\n\n{self.render(measurement)}"


def sections() -> Iterator[Section]:
    from tools.accuracy import figures as accuracy
    from tools.bodies import report as bodies
    from tools.builders import figures as builders
    from tools.corpus import values
    from tools.drift import figures as drift
    from tools.libraries import figures as libraries
    from tools.passes import figures as passes
    from tools.passes import stored
    from tools.profiles import figures as profiles
    from tools.relations import figures as relations
    from tools.robustness import figures as robustness
    from tools.roles import figures as roles
    from tools.thresholds import figures as thresholds
    from tools.weights import figures as weights

    for name, render in accuracy.TABLES.items():
        yield Section(name, DATA / "accuracy.jsonl", render)
    for name, render in accuracy.HELD_OUT_TABLES.items():
        yield Section(name, DATA / "held_out.jsonl", render)
    yield Section("held-out models, first", DATA / "first/accuracy.jsonl", accuracy.render_first)
    yield Section("summary", DATA / "held_out.jsonl", accuracy.render_summary, README)
    yield Section("values", DATA / "values.jsonl", values.render)
    yield Section("bodies", DATA / "bodies.jsonl", bodies.render)
    yield Section("bodies, first", DATA / "first/bodies.jsonl", bodies.render_first)
    yield Section("builders", DATA / "builders.jsonl", builders.render, BUILDERS)
    yield Section("drift", DATA / "drift.jsonl", drift.render)
    yield Section("libraries", DATA / "libraries.jsonl", libraries.render)
    for name, render in passes.TABLES.items():
        yield Section(name, DATA / "passes.jsonl", render)
    yield Section("profiles", DATA / "profiles.jsonl", profiles.render)
    yield Section("relations", DATA / "relations.jsonl", relations.render)
    yield Section("relations, first", DATA / "first/relations.jsonl", relations.render)
    yield Section("roles", DATA / "roles.jsonl", roles.render)
    yield Section("roles, first", DATA / "first/roles.jsonl", roles.render)
    yield Section("last runs", DATA / "robustness.jsonl", robustness.render, SECURITY, has_head=False)
    yield Section(
        "clients", DATA / "robustness.jsonl", robustness.render_clients, PERFORMANCE, has_head=False
    )
    yield Section("stored", DATA / "stored.jsonl", stored.render)
    yield Section("stored, first", DATA / "first/stored.jsonl", stored.render)
    yield Section("thresholds", DATA / "thresholds.jsonl", thresholds.render)
    yield Section("weights", DATA / "weights.jsonl", weights.render)
    yield Section("weights, first", DATA / "first/weights.jsonl", weights.render)


def outdated() -> Iterator[str]:
    """The sections whose text is not what their data file says."""
    for section in sections():
        if read_section(section.page, section.name) != section.text():
            yield f"{section.page}: section {section.name!r} does not follow from {section.data}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.figures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="change nothing, list outdated tables")
    options = parser.parse_args()
    if options.check:
        found = list(outdated())
        print("\n".join(found), end="\n" if found else "")
        return 1 if found else 0
    for section in sections():
        replace_section(section.page, section.name, section.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
