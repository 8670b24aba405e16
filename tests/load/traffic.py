"""Many clients of one server at once. Each asks what the page asks, again when it has the answer."""

from __future__ import annotations

import json
import random
import selectors
import socket
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from .server import HEAD, Server, allow_descriptors

_SEED = 6
_LONGEST_WAIT = 20.0  # seconds until a request counts as not answered


@dataclass
class Load:
    """What happened under load. Times are in seconds, and include the wait for other clients."""

    clients: int
    idle: int
    seconds: float
    memory_before: int
    memory_peak: int = 0
    latencies: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    idle_left: int = 0  # idle connections that the server still had in the end

    @property
    def memory_growth(self) -> int:
        return max(0, self.memory_peak - self.memory_before)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def questions(server: Server) -> list[str]:
    """Every request of the page: its files, and each question about boxes and nodes that the model has."""

    def answer(question: str, **parameters: str) -> dict[str, object]:
        content = server.ask(_path(question, parameters)).partition(b"\r\n\r\n")[2]
        found = json.loads(content)
        assert isinstance(found, dict), content
        return found

    paths = ["/", "/app.js", "/app.css", _path("model", {}), _path("review", {})]
    found = answer("search", text="MatMul")["nodes"] or answer("search", text="/")["nodes"]
    assert isinstance(found, list)
    nodes = [node["id"] for node in found[:: max(1, len(found) // 20)]]
    boxes = ["m0"]
    for node in nodes:
        around = answer("locate", id=node)["boxes"]
        assert isinstance(around, list)
        boxes += [box for box in around if box not in boxes and not box.startswith("s")]
    for box in boxes:
        paths.append(_path("open", {"id": box}))
        if box.startswith("m"):
            paths += [_path("children", {"id": box}), _path("locate", {"id": box})]
    for node in nodes:
        paths += [_path("node", {"id": node}), _path("locate", {"id": node})]
        paths += [_path("flow", {"id": node, "direction": way}) for way in ("upstream", "downstream")]
        weight = _path("weights", {"id": node, "input": "1"})
        if server.ask(weight).startswith(b"HTTP/1.1 200"):  # otherwise it is no constant
            paths.append(weight)
    paths += [_path("search", {"text": text}) for text in ("a", "layer", "no such name")]
    paths += [_path("where", {"text": text}) for text in ("op_type = 'MatMul'", "confidence < 0.9")]
    return paths


def _path(question: str, parameters: dict[str, str]) -> str:
    return f"/api/{question}?{urlencode(parameters)}"


class _Client:
    """A browser, which keeps its connection, or a program that connects for each request."""

    def __init__(self, server: Server, paths: Sequence[str], number: int) -> None:
        self._server, self._paths = server, paths
        self._random = random.Random(_SEED + number)
        self._keeps = number % 4 != 0
        self._received = bytearray()
        self.connection: socket.socket | None = None
        self.path = ""
        self.started = 0.0

    def ask(self) -> socket.socket:
        """Sends the next request, and returns the connection."""
        self.path = self._random.choice(self._paths)
        self.started = time.monotonic()
        if self.connection is None:
            self.connection = self._server.connect()
        headers = () if self._keeps else ("Connection: close",)
        self.connection.sendall(self._server.request(self.path, *headers))
        return self.connection

    def receive(self) -> str | None:
        """Empty when the whole answer is there, or what went wrong; None if more is to come."""
        assert self.connection is not None
        data = self.connection.recv(1 << 20)
        self._received += data
        head = HEAD.match(self._received)
        if head is None or len(self._received) - head.end() < int(head[2]):
            return None if data else "the connection was closed"
        is_right = len(self._received) - head.end() == int(head[2]) and head[1] == b"200"
        problem = "" if is_right else self._received[:200].decode("latin-1")
        if problem or not self._keeps:
            self.close()
        self._received.clear()
        return problem

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self._received.clear()


class _Idle:
    """Connections that ask nothing more. One half asked once, as those that a browser keeps."""

    def __init__(self, server: Server, count: int) -> None:
        self._connections = [server.connect() for _ in range(count)]
        for connection in self._connections[::2]:
            assert server.ask_on(connection, "/api/model").startswith(b"HTTP/1.1 200")

    def count_open(self) -> int:
        return sum(not _is_closed(connection) for connection in self._connections)

    def close(self) -> None:
        for connection in self._connections:
            connection.close()


def _is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def load(server: Server, *, clients: int, idle: int, seconds: float) -> Load:
    """Lets the clients ask for that time, while idle connections are open."""
    allow_descriptors(clients + idle + 100)
    paths = questions(server)
    for path in paths:  # the server reads its files, and allocates what one user needs
        assert server.ask(path).startswith(b"HTTP/1.1 200"), path
    found = Load(clients, idle, seconds, memory_before=server.memory("VmRSS"))
    waiting = _Idle(server, idle)
    running = [_Client(server, paths, number) for number in range(clients)]
    try:
        _run(running, found)
        found.idle_left = waiting.count_open()
    finally:
        waiting.close()
        for client in running:
            client.close()
    found.memory_peak = server.memory("VmHWM")
    return found


def _run(clients: Sequence[_Client], found: Load) -> None:
    with selectors.DefaultSelector() as selector:
        asking = set(clients)
        for client in clients:
            selector.register(client.ask(), selectors.EVENT_READ, client)
        deadline = time.monotonic() + found.seconds
        while asking:
            for key, _ in selector.select(1):
                client, is_over = key.data, time.monotonic() >= deadline
                if _take(client, selector, key.fd, found) is None:
                    continue
                if is_over:
                    asking.discard(client)
                else:
                    selector.register(client.ask(), selectors.EVENT_READ, client)
            for client in [one for one in asking if time.monotonic() - one.started > _LONGEST_WAIT]:
                found.errors[f"{client.path}: no answer"] += 1
                asking.discard(client)


def _take(client: _Client, selector: selectors.BaseSelector, descriptor: int, found: Load) -> str | None:
    """Reads what has arrived. None if the answer is not complete yet."""
    try:
        problem = client.receive()
    except ConnectionError as error:
        problem = str(error)
    if problem is None:
        return None
    selector.unregister(descriptor)
    if problem:
        found.errors[f"{client.path}: {problem}"] += 1
        client.close()
    else:
        found.latencies.append(time.monotonic() - client.started)
    return problem
