"""Moves an exported model to its place, atomically.

The exporter writes into a temporary folder beside the output, on the same disk. Existing files do not change
until the new model is complete. The rename of the model file replaces the old export by the new one. If the
new model has a separate data file, it is already in place, under a name that the old model does not use.
Files that describe the model do not exist at that moment, so that they never describe another one, even if
the process is killed.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from ..deferred_signals import deferred_signals
from .errors import Code, ExportError


@contextmanager
def temporary_folder(output: Path) -> Iterator[Path]:
    """Yields a temporary folder beside `output`, and removes it when the block ends."""
    if output.is_dir():
        raise ExportError(Code.OUTPUT, f"{output}: is a folder", "give the name of the file to write")
    folder: Path | None = None
    try:
        with _translated(output), deferred_signals():
            output.parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".part", dir=output.parent))
        yield folder
    finally:
        with deferred_signals(), suppress(OSError):  # of closing a folder, which is not ignored otherwise
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def move_into_place(model: Path, output: Path, beside: Mapping[Path, Path] | None = None) -> list[Path]:
    """Moves a model and its data out of the workplace. Returns the files, the model first.

    `beside` are files that describe the model, and their places in the same folder: they replace their
    predecessors together with the model, or not at all.
    """
    with _translated(output), _folder_lock(output.parent):
        found = sorted(path for path in model.parent.iterdir() if path != model and path.is_file())
        names: dict[str, str] = {}
        for path in found:
            names[path.name] = _free_name(output, names)
        if any(old != new for old, new in names.items()):
            _rename_data(model, names)
        data = {path: output.with_name(names[path.name]) for path in found}
        for path in (model, *data, *(beside or {})):
            _flush(path)
        with deferred_signals():
            _replace_together(model, output, data, beside or {})
            with suppress(OSError):  # some file systems cannot flush folders; the files are complete
                _flush(output.parent)
            _remove_stale_data(output, set(names.values()))
    return [output, *data.values()]


@contextmanager
def _translated(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(output, error) from error


def cannot_write(output: Path, error: OSError) -> ExportError:
    """The error for an output that the system cannot write, with the system's reason."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    reason = error.strerror or str(error) or type(error).__name__
    hint = (
        "free some space, or write to another disk"
        if is_full
        else "check the folder's permissions and free space"
    )
    return ExportError(Code.OUTPUT, f"{output}: cannot be written: {reason}", hint, str(error))


def _replace_together(
    model: Path, output: Path, data: Mapping[Path, Path], beside: Mapping[Path, Path]
) -> None:
    """Moves all files to their places; if one cannot be moved, the old files are back."""
    kept = Path(tempfile.mkdtemp(dir=model.parent))
    undo: list[Callable[[], object]] = []
    try:
        for target in beside.values():
            if _exists(target):
                undo.append(partial(target.rename(kept / target.name).rename, target))
        for path, target in data.items():
            path.rename(target)
            undo.append(target.unlink)
        old = _keep(output, kept) if beside and _exists(output) else None
        model.replace(output)
        undo.append(output.unlink if old is None else partial(old.replace, output))
        for path, target in beside.items():
            path.rename(target)
            undo.append(target.unlink)
    except BaseException:
        for step in reversed(undo):
            step()
        raise


def _keep(file: Path, folder: Path) -> Path:
    """The same file under a second name; a copy, if the file system cannot do so."""
    kept = folder / file.name
    try:
        os.link(file, kept, follow_symlinks=False)
    except OSError:
        shutil.copy2(file, kept, follow_symlinks=False)
    return kept


def _exists(path: Path) -> bool:
    """Raises an error of the disk, which os.path.lexists takes for a file that does not exist."""
    with suppress(FileNotFoundError):
        path.lstat()
        return True
    return False


def _free_name(output: Path, used: dict[str, str]) -> str:
    """The first of `model.onnx.data`, `model.onnx.1.data`, ... that does not exist."""
    number = 0
    while True:
        name = f"{output.name}.{number}.data" if number else f"{output.name}.data"
        if name not in used.values() and not _exists(output.with_name(name)):
            return name
        number += 1


def _remove_stale_data(output: Path, kept: set[str]) -> None:
    """Removes data files of earlier exports to the same output: nothing refers to them any more."""
    ours = re.compile(re.escape(output.name) + r"(\.\d+)?\.data")
    with suppress(OSError):
        for path in output.parent.iterdir():
            if ours.fullmatch(path.name) and path.name not in kept:
                path.unlink()


def _rename_data(model: Path, names: dict[str, str]) -> None:
    """Changes the references in the model's tensors to the final names of its data files."""
    import onnx
    from onnx.external_data_helper import _get_all_tensors

    proto = onnx.load(model, load_external_data=False)
    for tensor in _get_all_tensors(proto):
        for entry in tensor.external_data:
            if entry.key == "location" and entry.value in names:
                entry.value = names[entry.value]
    model.write_bytes(proto.SerializeToString())


def _flush(path: Path) -> None:
    """Flushes a file or folder to the disk, so that it is complete after a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    """Locks a folder against other processes, if the system supports it."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a network disk without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            os.close(descriptor)
