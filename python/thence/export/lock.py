"""One lock for all that changes torch's global state: exports, captures, the search for inputs.

Torch's exporters keep state in globals and are not made for threads. Threads that export different
models wait for each other here.
"""

from __future__ import annotations

# Re-entrant: an export runs forwards of its own. The captures' own lock, so that one of them never
# runs in the midst of another thread's export.
from ..capture.as_found import LOCK

__all__ = ["LOCK"]
