"""tools/setup, run in a copy, with fakes of the system's programs that log their calls."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# The file `installed` lists the installed packages.
DPKG_QUERY = r"""
for package in "$@"; do
  if grep -qx -- "$package" "$HERE/installed"; then echo "installed $package"; fi
done
"""
APT_GET = r"""
case " $* " in *" install "*) for word in "$@"; do echo "$word" >>"$HERE/installed"; done ;; esac
"""
# Makes a venv whose python is this fake; its pip fails while there is a file `offline`.
PYTHON = r"""
case "$*" in
  "-m pip"*) [ ! -e "$HERE/offline" ] || exit 1 ;;
  -V) echo "Python 3.11.7" ;;
  "-c import sysconfig"*) echo "$PWD/.venv" ;;
  "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
esac
"""

# Fails while there is a file `offline-npm`.
NPM = r"""
[ ! -e "$HERE/offline-npm" ] || exit 1
mkdir -p viewer/node_modules
"""


class Machine:
    """A simulated machine: a copy of the files that tools/setup reads, and the programs that it calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (folder / "tools").mkdir()
        shutil.copy(ROOT / "tools/setup", folder / "tools")
        shutil.copytree(ROOT / "tools/setup.d", folder / "tools/setup.d")
        shutil.copy(ROOT / "requirements.txt", folder)
        shutil.copy(ROOT / "requirements-test.txt", folder)
        (folder / "tools/quantisers").mkdir()
        shutil.copy(ROOT / "tools/quantisers/requirements.txt", folder / "tools/quantisers")
        (folder / "viewer").mkdir()
        shutil.copy(ROOT / "viewer/package-lock.json", folder / "viewer")
        (folder / "installed").touch()
        for tool in "bash awk cat comm cp dirname env grep ln mkdir printf rm sed sha256sum sort".split():
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.program("dpkg-query", DPKG_QUERY, log=False)
        self.program("apt-get", APT_GET)
        self.program("python3", PYTHON)
        self.program("id", "echo 0", log=False)
        self.program("node", 'case "$1" in --version) echo v18.20.4 ;; esac', log=False)
        self.program("npm", NPM)

    def program(self, name: str, body: str, *, log: bool = True) -> None:
        note = f'echo "${{0##*/}} $*" >>"{self.log}"' if log else ""
        path = self.bin / name
        path.write_text(f'#!/usr/bin/env bash\nHERE="{self.folder}"\n{note}\n{body}\n')
        path.chmod(0o755)

    def setup(self, *groups: str, **environment: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        return subprocess.run(
            [self.folder / "tools/setup", *groups],
            env={"PATH": str(self.bin), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, what: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if what in line]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def packages(*groups: str) -> set[str]:
    rows = (line.split() for line in (ROOT / "tools/setup.d/packages.txt").read_text().splitlines())
    return {row[1] for row in rows if row and row[0] in groups}


def test_fresh_machine_installs_everything_once(machine: Machine) -> None:
    first = machine.setup("test")
    assert first.returncode == 0, first.stderr
    assert "installing with apt-get" in first.stderr
    assert len(machine.calls("apt-get update")) == 1
    [install] = machine.calls("apt-get install")
    assert packages("build", "test") <= set(install.split())
    assert machine.calls("-m pip install")
    assert str((machine.folder / ".venv/bin/thence").readlink()) == "../../build/release/bin/thence"


def test_second_run_does_nothing(machine: Machine) -> None:
    assert machine.setup("test").returncode == 0
    for name in ("apt-get", "sudo", "python3"):
        machine.program(name, "exit 1")
    second = machine.setup("test")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert set(machine.log.read_text().splitlines()) == {"python -V"}


def test_build_leaves_out_what_only_tests_need(machine: Machine) -> None:
    assert machine.setup("build").returncode == 0
    [install] = machine.calls("apt-get install")
    assert not packages("test") & set(install.split())
    assert machine.calls("pip install")
    assert not machine.calls("requirements-test.txt")


def test_without_root_it_prints_the_command(machine: Machine) -> None:
    machine.program("id", "echo 1000", log=False)
    machine.program("sudo", "exit 1")
    (machine.folder / "installed").write_text("\n".join(packages("build") - {"cmake", "libfmt-dev"}))
    done = machine.setup("build")
    assert done.returncode == 2
    assert "apt-get install -y --no-install-recommends cmake libfmt-dev\n" in done.stderr
    assert not machine.calls("apt-get")
    assert not (machine.folder / ".venv").exists()


def test_sudo_is_used_when_it_works(machine: Machine) -> None:
    machine.program("id", "echo 1000", log=False)
    machine.program("sudo", 'if [ "$1" = -n ]; then shift; else exec "$@"; fi')
    (machine.bin / "true").symlink_to(str(shutil.which("true")))
    assert machine.setup("build").returncode == 0
    assert machine.calls("sudo apt-get update")
    assert machine.calls("apt-get install")


def test_a_changed_requirement_is_installed(machine: Machine) -> None:
    assert machine.setup("test").returncode == 0
    with (machine.folder / "requirements-test.txt").open("a") as requirements:
        requirements.write("# more\n")
    assert machine.setup("test").returncode == 0
    assert machine.calls("-m pip install")
    assert not machine.calls("-m venv")


def test_interrupted_pip_is_retried(machine: Machine) -> None:
    offline = machine.folder / "offline"
    offline.touch()
    assert machine.setup("test").returncode == 2
    offline.unlink()
    assert machine.setup("test").returncode == 0
    assert machine.calls("-m pip install")


def test_python_without_ensurepip_requests_the_venv_package(machine: Machine) -> None:
    lacking = 'case "$1" in -c) grep -qx python3-venv "$HERE/installed" || exit 1 ;; esac'
    machine.program("python3", lacking + PYTHON)
    done = machine.setup("build", PYTHON="python3")
    assert done.returncode == 0, done.stderr
    assert "python3-venv" in machine.calls("apt-get install")[0]


def test_other_systems_get_instructions(machine: Machine) -> None:
    (machine.bin / "dpkg-query").unlink()
    done = machine.setup("build")
    assert done.returncode == 2
    assert "THENCE_PACKAGES=own" in done.stderr


@pytest.mark.parametrize("arguments", [[], ["nonsense"]])
def test_wrong_usage(machine: Machine, arguments: list[str]) -> None:
    done = machine.setup(*arguments)
    assert done.returncode == 2
    assert "tools/setup GROUP" in done.stderr


def test_packages_of_the_page_are_installed_by_their_lock_file(machine: Machine) -> None:
    (machine.folder / "offline-npm").touch()
    failed = machine.setup("build")
    assert failed.returncode == 2
    assert "npm could not install them" in failed.stderr
    (machine.folder / "offline-npm").unlink()
    assert machine.setup("build").returncode == 0
    [install] = machine.calls("npm ")
    assert {"install", "--no-save", "--ignore-scripts"} <= set(install.split())
    assert machine.setup("build").returncode == 0
    assert not machine.calls("npm ")


@pytest.mark.parametrize("missing", ["node", "npm"])
def test_node_is_installed_if_it_is_missing_or_old(machine: Machine, missing: str) -> None:
    if missing == "node":
        machine.program("node", 'case "$1" in --version) echo v16.0.0 ;; *) exit 1 ;; esac', log=False)
    else:
        (machine.bin / "npm").unlink()
    done = machine.setup("build")
    [install] = machine.calls("apt-get install")
    assert {"nodejs", "npm"} <= set(install.split())
    assert done.returncode == 0, done.stderr


def test_without_npm_the_page_is_left_out(machine: Machine) -> None:
    (machine.bin / "npm").unlink()
    done = machine.setup("build", THENCE_PACKAGES="own")
    assert done.returncode == 0, done.stderr
    assert "without the page" in done.stderr
