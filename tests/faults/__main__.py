"""`make faults`: injects every fault into every command, and prints the number of injection points by command
and fault. Arguments are names of commands; without any, all of them. --save keeps the counts for the
documentation."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tools.robustness.record import save_run

from .commands import COMMANDS, make_inputs
from .injection import Command, Fault
from .places import fast_folder
from .python_injection import PYTHON_COMMANDS, make_injection


def main(names: list[str], *, is_saved: bool) -> int:
    """Returns the exit code: 1 if something is wrong after a fault."""
    all_commands = [*COMMANDS, *PYTHON_COMMANDS]
    chosen = [command for command in all_commands if not names or command.name in names]
    with tempfile.TemporaryDirectory(prefix="thence-faults-", dir=fast_folder()) as name:
        folder = Path(name)
        inputs = make_inputs(folder / "inputs")

        def inject(number: int) -> tuple[Command, int, list[Fault], dict[Fault, str]]:
            (folder / str(number)).mkdir()
            injection = make_injection(chosen[number], inputs, folder / str(number))
            faults = list(injection.faults())
            with closing(injection):
                return injection.command, len(injection.kinds), faults, injection.problems(faults)

        wrong = 0
        total: Counter[str] = Counter()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for command, calls, faults, problems in pool.map(inject, range(len(chosen))):
                counts = Counter(fault.what.split()[-1] for fault in faults)
                total += counts
                wrong += len(problems)
                print(f"{command.name}: {calls} calls, {len(faults)} points: {_listed(counts)}")
                for fault, problem in problems.items():
                    print(f"  WRONG {fault}: {problem}", flush=True)
    print(f"all: {total.total()} points, {wrong} wrong: {_listed(total)}")
    if is_saved:
        covered = {"commands": len(chosen), "of_commands": len(all_commands)}
        save_run("faults", covered | {"points": total.total(), "wrong": wrong})
    return 1 if wrong else 0


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


sys.exit(main([word for word in sys.argv[1:] if word != "--save"], is_saved="--save" in sys.argv))
