"""The program that reads thresholds from the environment: the build preset `tunable`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.compare.bad_input import BadInput
from tools.compare.programs import build, check_program

from .declarations import Threshold

PRESET = "tunable"
BUILT = Path(f"build/{PRESET}/bin/thence")
LOG = Path("build/thresholds.log")


def build_tunable(root: Path) -> Path:
    if failed := build(root, PRESET, root / LOG):
        raise BadInput(f"the preset {PRESET} does not build: '{failed}' failed, see {LOG}")
    return check_program(root / BUILT)


def environment_of(threshold: Threshold, value: int | float) -> dict[str, str]:
    return {f"THENCE_THRESHOLD_{threshold.name}": repr(value)}


def check_reads(program: Path, thresholds: Iterable[Threshold]) -> None:
    """Raises BadInput if the program does not read a threshold: its value would have no effect."""
    for one in thresholds:
        environment = os.environ | {f"THENCE_THRESHOLD_{one.name}": "not a number"}
        done = subprocess.run([program, "--version"], env=environment, capture_output=True, check=False)
        if done.returncode == 0:
            raise BadInput(
                f"{program}: does not read the threshold {one.name}; build it with "
                f"'cmake --preset {PRESET} && cmake --build --preset {PRESET} --target thence'"
            )
