"""The two programs: an existing one, or one that is built from a commit."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .bad_input import BadInput

BUILT = Path("build/release/bin/thence")


def check_program(path: Path) -> Path:
    if not path.is_file() or not os.access(path, os.X_OK):
        raise BadInput(f"{path}: no program is there; build it with 'make build', or name another one")
    return path.resolve()


def build_commit(commit: str, root: Path, folder: Path) -> Path:
    """Builds the release program of a commit. Its checkout and build stay in a folder with its hash."""
    sha = _resolve(commit, root)
    tree = (folder / sha).resolve()
    if not (tree / ".git").exists():
        _check_out(sha, root, tree)
    venv = tree / ".venv"  # the preset expects Python there
    if not venv.is_symlink() and not venv.exists():
        venv.symlink_to((root / ".venv").resolve())
    log = tree / "build" / "compare.log"
    if failed := build(tree, "release", log):
        raise BadInput(f"{commit} does not build: '{failed}' failed, see {log}")
    return check_program(tree / BUILT)


def build(tree: Path, preset: str, log: Path) -> str:
    """Builds the program of a source tree with a preset. Returns the command that failed, if any."""
    log.parent.mkdir(exist_ok=True)
    launcher = shutil.which("ccache")
    environment = {"CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)}
    if launcher:  # relative paths, so that all checkouts share the cache
        environment |= {"CMAKE_CXX_COMPILER_LAUNCHER": launcher, "CCACHE_NOHASHDIR": "1"}
        environment |= {} if _has_base(launcher) else {"CCACHE_BASEDIR": str(tree)}
    with log.open("w") as output:
        for command in (
            ["cmake", "--preset", preset],
            ["cmake", "--build", "--preset", preset, "--target", "thence"],
        ):
            done = subprocess.run(
                command, cwd=tree, env=environment | os.environ, stdout=output, stderr=output, check=False
            )
            if done.returncode != 0:
                return " ".join(command)
    return ""


def _resolve(commit: str, root: Path) -> str:
    done = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    if done.returncode != 0:
        raise BadInput(f"{commit}: no such commit in {root}; give a hash, a branch or a tag")
    return done.stdout.strip()


def _check_out(sha: str, root: Path, tree: Path) -> None:
    """Creates the checkout. A checkout that was removed by hand is still registered, so prune first."""
    _git(root, "worktree", "prune")
    tree.parent.mkdir(parents=True, exist_ok=True)
    done = _git(root, "worktree", "add", "--detach", str(tree), sha)
    if done.returncode != 0:
        raise BadInput(f"{tree}: git cannot check out {sha} there: {done.stderr.strip()}")


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)


def _has_base(ccache: str) -> bool:
    done = subprocess.run([ccache, "--get-config", "base_dir"], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip())
