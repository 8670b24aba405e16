"""One lock for all that changes torch's global state: exports, captures, the search for inputs.

Torch's exporters keep state in globals and are not made for threads. Threads that export different
models wait for each other here.
"""

from __future__ import annotations

import threading

# Re-entrant: an export runs forwards of its own. Captures should hold it as well.
LOCK = threading.RLock()
