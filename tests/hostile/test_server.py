"""The server of `thence view` among other programs on the machine, which have no cookie: they neither lock the
user out nor keep it busy."""

from __future__ import annotations

import resource
import time
from contextlib import ExitStack

from tests.load.server import allow_descriptors, serving

MOST_CONNECTIONS = 1000


def test_strangers_do_not_lock_the_user_out() -> None:
    allow_descriptors(3 * MOST_CONNECTIONS)
    with serving() as server, ExitStack() as stack:
        for _ in range(2 * MOST_CONNECTIONS):
            connection = stack.enter_context(server.connect())
            connection.sendall(b"GET / HTTP/1.1\r\n")
        started = time.monotonic()
        assert server.ask("/api/model").startswith(b"HTTP/1.1 200")
        assert time.monotonic() - started < 5


def test_the_connection_of_the_user_is_kept() -> None:
    allow_descriptors(5 * MOST_CONNECTIONS)
    with serving() as server, ExitStack() as stack:
        mine = stack.enter_context(server.connect())
        for _ in range(2):
            mine.sendall(server.request("/api/review"))
            assert mine.recv(1 << 20).startswith(b"HTTP/1.1 200")
            for _ in range(2 * MOST_CONNECTIONS):
                stack.enter_context(server.connect())


def test_idle_connections_of_the_user_give_way_to_new_ones() -> None:
    """A program may keep many connections open, and connect again for each request."""
    allow_descriptors(2 * MOST_CONNECTIONS)
    with serving() as server, ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS + 10):
            connection = stack.enter_context(server.connect())
            assert server.ask_on(connection, "/api/model").startswith(b"HTTP/1.1 200")
        new = [stack.enter_context(server.connect()) for _ in range(64)]
        for connection in new:
            assert server.ask_on(connection, "/api/model").startswith(b"HTTP/1.1 200")


def test_waits_at_the_limit_of_descriptors() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))

    with serving(limit=limit) as server, ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(server.connect())
        before = server.processor_seconds()
        time.sleep(2)
        assert server.processor_seconds() - before < 0.5
        assert server.ask("/api/model").startswith(b"HTTP/1.1 200")


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
