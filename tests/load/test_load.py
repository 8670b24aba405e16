"""The server of `thence view` under load: every request is answered, and its memory does not grow."""

from __future__ import annotations

import pytest
from tests.load.server import serving
from tests.load.traffic import Load, load

MOST_GROWTH = 64 << 20


def _check(found: Load) -> None:
    assert not found.errors
    assert found.idle_left == found.idle
    assert found.memory_growth <= MOST_GROWTH
    assert len(found.latencies) > found.clients * found.seconds  # each client was answered many times


def test_16_clients() -> None:
    with serving() as server:
        _check(load(server, clients=16, idle=100, seconds=3))


@pytest.mark.long
def test_64_clients_for_a_minute() -> None:
    with serving() as server:
        found = load(server, clients=64, idle=500, seconds=60)
    assert not found.errors
    assert found.memory_growth <= MOST_GROWTH
    assert len(found.latencies) > found.clients * found.seconds
