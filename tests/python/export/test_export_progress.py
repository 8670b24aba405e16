"""The progress line: only on a terminal, without colour on request, and removed after a failure."""

from __future__ import annotations

import io
import pickle

import pytest

from thence.exporting import Code, ExportError, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(progress: Progress) -> None:
    for name in progress.stages:
        with progress.stage(name):
            pass
    progress.clear()


def test_progress_is_shown_on_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    pipe = io.StringIO()
    progress = Progress(stream=pipe)
    run(progress)
    assert pipe.getvalue() == ""
    assert list(progress.timings) == ["load", "inputs", "export", "capture", "tag"]
    quiet = Terminal()
    run(Progress(stream=quiet, quiet=True))
    assert quiet.getvalue() == ""
    monkeypatch.setenv("TERM", "dumb")
    dumb = Terminal()
    run(Progress(stream=dumb))
    assert dumb.getvalue() == ""


def test_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = Terminal()
    run(Progress(stream=coloured))
    assert "\x1b[" in coloured.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    run(Progress(stream=plain))
    assert "\x1b[" not in plain.getvalue()
    assert "export..." in plain.getvalue()
    assert "\n" not in plain.getvalue()
    assert plain.getvalue().endswith("\r")


def test_line_is_removed_when_a_stage_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    progress = Progress(stream=stream)
    with pytest.raises(KeyboardInterrupt), progress.stage("load"):
        raise KeyboardInterrupt
    assert stream.getvalue().endswith("\r")
    progress.print_line("a word")
    assert stream.getvalue().endswith("\ra word\n")


def test_closed_stream_is_not_a_terminal() -> None:
    stream = io.StringIO()
    stream.close()
    run(Progress(stream=stream))


def test_error_has_the_format_of_the_core() -> None:
    error = ExportError(Code.OUTPUT, "out.onnx: cannot be written: No space left", "free some", "one\ntwo")
    assert str(error) == "error[X030]: out.onnx: cannot be written: No space left\n  help: free some"
    assert error.text(verbose=True).endswith("  | one\n  | two")
    assert error.exit_code == 4
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.code, copy.what, copy.hint, copy.details) == (
        error.code,
        error.what,
        error.hint,
        error.details,
    )
