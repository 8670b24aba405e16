"""Measures `thence diff`, compared with `thence map` on both models.

python bench/diff_cost.py [--rounds 3] [--nodes 1000 10000 100000]

For each size, alternately, in processor time: mapping both models; the comparison of a model with itself,
with the same graph with meaningless names, and with one that has another operator in every layer.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median

from transfer_cost import pair, run


def changed(model: Path) -> Path:
    other = model.with_suffix(".changed.onnx")
    other.write_bytes(model.read_bytes().replace(b"Softmax", b"Sigmoid"))
    return other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    options = parser.parse_args()
    for nodes in options.nodes:
        model, renamed = pair(nodes)
        others = {"itself": model, "renamed": renamed, "changed": changed(model)}
        maps: list[float] = []
        seconds: dict[str, list[float]] = {name: [] for name in others}
        memory = 0
        for _ in range(options.rounds):
            maps.append(run("map", model)[0] + run("map", renamed)[0])
            for name, other in others.items():
                took, used = run("diff", model, other, may_differ=True)
                seconds[name].append(took)
                memory = max(memory, used)
        times = [f"{name} {median(each):.2f} s" for name, each in seconds.items()]
        print(f"{nodes} nodes: two maps {median(maps):.2f} s; {', '.join(times)}; at most {memory >> 20} MiB")


if __name__ == "__main__":
    main()
