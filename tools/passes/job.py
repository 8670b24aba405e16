"""One model and one pass."""

from __future__ import annotations

from typing import Any, NamedTuple


class Job(NamedTuple):
    name: str  # of the architecture
    exporter: str
    what: str  # the pass

    def as_row(self) -> dict[str, Any]:
        return {"name": self.name, "exporter": self.exporter, "pass": self.what}


def job_of(row: dict[str, Any]) -> Job:
    return Job(row["name"], row["exporter"], row["pass"])
