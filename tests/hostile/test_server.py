"""The server of `thence view` among other programs on the machine, which have no cookie: they neither lock the
user out nor keep it busy."""

from __future__ import annotations

import os
import re
import resource
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.hostile.program import RELEASE, SAMPLE

MODEL = SAMPLE / "bert.torchscript.onnx"
MOST_CONNECTIONS = 256


class Server:
    """A running server; `cookie` is that of the user's browser."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        found = re.match(r"http://127\.0\.0\.1:(\d+)(/\?token=\w+)", process.stdout.readline())
        assert found
        self.port = int(found[1])
        self.cookie = ""
        answer = self.ask(found[2])
        cookie = re.search(r"Set-Cookie: ([^;]+)", answer)
        assert cookie, answer
        self.cookie = cookie[1]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def request(self, path: str) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Cookie: {self.cookie}"]
        return "\r\n".join([*lines, "", ""]).encode()

    def ask(self, path: str) -> str:
        with self.connect() as connection:
            connection.sendall(self.request(path))
            return connection.recv(1 << 20).decode("latin-1")

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(limit: Callable[[], None] | None = None) -> Iterator[Server]:
    process = subprocess.Popen(
        [RELEASE, "view", MODEL, "--no-open", "-q"], stdout=subprocess.PIPE, text=True, preexec_fn=limit
    )
    try:
        yield Server(process)
    finally:
        process.kill()
        process.communicate()


def test_strangers_do_not_lock_the_user_out() -> None:
    with serving() as server, ExitStack() as stack:
        for _ in range(2 * MOST_CONNECTIONS):
            connection = stack.enter_context(server.connect())
            connection.sendall(b"GET / HTTP/1.1\r\n")
        started = time.monotonic()
        assert server.ask("/api/model").startswith("HTTP/1.1 200")
        assert time.monotonic() - started < 5


def test_the_connection_of_the_user_is_kept() -> None:
    with serving() as server, ExitStack() as stack:
        mine = stack.enter_context(server.connect())
        for _ in range(2):
            mine.sendall(server.request("/api/review"))
            assert mine.recv(1 << 20).startswith(b"HTTP/1.1 200")
            for _ in range(2 * MOST_CONNECTIONS):
                stack.enter_context(server.connect())


def test_waits_at_the_limit_of_descriptors() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))

    with serving(limit) as server, ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(server.connect())
        before = server.processor_seconds()
        time.sleep(2)
        assert server.processor_seconds() - before < 0.5
        assert server.ask("/api/model").startswith("HTTP/1.1 200")


def test_requests_in_one_packet() -> None:
    with serving() as server, server.connect() as connection:
        started = time.monotonic()
        connection.sendall(server.request("/api/none") * 20)
        received = b""
        while received.count(b"HTTP/1.1 400") < 20:
            data = connection.recv(1 << 16)
            assert data, received
            received += data
        assert time.monotonic() - started < 5
