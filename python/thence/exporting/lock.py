"""One lock for everything that changes torch's global state: exports, captures, the search for inputs.

Torch's exporters keep state in globals and are not thread-safe. Threads that export different models wait for
each other here.
"""

from __future__ import annotations

# Re-entrant, because an export runs forwards. It is also the lock of captures, so that a capture never runs
# during another thread's export.
from ..capturing.preserved_state import LOCK

__all__ = ["LOCK"]
