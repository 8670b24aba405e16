"""Measures the text formats of `thence map` and `thence query`, compared with `map --format json`.

python bench/format_cost.py [--rounds 7]

Every command reads the same model of 100,000 nodes and prints all of them, alternately in one run. JSON has
every field, so no other format should take longer: the bar is 1x, by the clock and in processor time.
"""

from __future__ import annotations

import argparse
from statistics import median

from query_cost import PROGRAM, made, run

BAR = 1.0
COMMANDS = {
    "map json": ["map", "-f", "json"],
    "map jsonl": ["map", "-f", "jsonl"],
    "map csv": ["map", "-f", "csv"],
    "map csv, 3 columns": ["map", "-f", "csv", "--columns", "name,module,confidence"],
    "query names": ["query", "-f", "names", "--op", "*"],
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    model = made("nodes")
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(options.rounds):
        for name, (command, *flags) in COMMANDS.items():
            taken[name].append(run(PROGRAM, command, model, "-q", *flags))
    figures = {
        name: (median(clock for clock, _ in rows), median(used for _, used in rows))
        for name, rows in taken.items()
    }
    clock, processor = figures.pop("map json")
    print(f"{'map json':20} {clock:.3f} s, processor {processor:.3f} s")
    for name, (seconds, used) in figures.items():
        verdict = "ok" if seconds <= BAR * clock and used <= BAR * processor else "OVER"
        print(f"{name:20} {seconds / clock:5.2f}x, processor {used / processor:5.2f}x  {verdict}")
    print(f"bar: {BAR:g}x of map json")


if __name__ == "__main__":
    main()
