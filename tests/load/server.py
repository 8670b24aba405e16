"""The server of `thence view`, and what a test asks it."""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.hostile.program import RELEASE, SAMPLE

MODEL = SAMPLE / "bert.torchscript.onnx"
HEAD = re.compile(rb"HTTP/1\.1 (\d{3}) .*?\r\nContent-Length: (\d+)\r\n.*?\r\n\r\n", re.DOTALL)
_LONGEST_SECONDS = 600  # a server ends by itself, even if its test was killed


class Server:
    """A running server; `cookie` is that of the user's browser."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        found = re.match(r"http://127\.0\.0\.1:(\d+)(/\?token=\w+)", process.stdout.readline())
        assert found
        self.port = int(found[1])
        self.cookie = ""
        answer = self.ask(found[2]).decode("latin-1")
        cookie = re.search(r"Set-Cookie: ([^;]+)", answer)
        assert cookie, answer
        self.cookie = cookie[1]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def request(self, path: str, *headers: str) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Cookie: {self.cookie}", *headers]
        return "\r\n".join([*lines, "", ""]).encode()

    def ask(self, path: str) -> bytes:
        """The whole response."""
        with self.connect() as connection:
            return self.ask_on(connection, path)

    def ask_on(self, connection: socket.socket, path: str) -> bytes:
        connection.sendall(self.request(path))
        received = b""
        while not (head := HEAD.match(received)) or len(received) < head.end() + int(head[2]):
            data = connection.recv(1 << 20)
            assert data, received
            received += data
        return received

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, field: str) -> int:
        """Bytes of memory: `VmRSS` now, or `VmHWM` at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"{field}:\s+(\d+) kB", status)
        assert found
        return int(found[1]) << 10


def allow_descriptors(count: int) -> None:
    """Raises the limit of this process, as far as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


@contextmanager
def serving(model: Path = MODEL, limit: Callable[[], None] = lambda: None) -> Iterator[Server]:
    """`limit` runs in the process of the server before it starts."""

    def prepare() -> None:
        signal.alarm(_LONGEST_SECONDS)
        limit()

    process = subprocess.Popen(
        [RELEASE, "view", model, "--no-open", "-q"], stdout=subprocess.PIPE, text=True, preexec_fn=prepare
    )
    try:
        yield Server(process)
    finally:
        process.kill()
        process.communicate()
