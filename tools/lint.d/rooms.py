"""Checks the includes and the CMake table with rooms.txt: an earlier room never includes a later one."""

from __future__ import annotations

import re
from pathlib import Path

import repo

INCLUDE = re.compile(r'^\s*#\s*include\s*"([a-z_]+)/[^"]+"')
ROOM = re.compile(r"^\s*thence_room\(\s*(\w+)(?:.*?\bUSES\s+([\w\s]+?))?(?:\s+LIBS\b.*)?\s*\)")


def allowed_rooms() -> dict[str, set[str]]:
    """Every room with all rooms that it may use, directly or indirectly."""
    allowed: dict[str, set[str]] = {}
    for line in repo.data_lines("rooms.txt"):
        room, used = line.split(":")
        allowed[room] = {room}.union(*(allowed[name] for name in used.split()))
    return allowed


def main() -> None:
    allowed = allowed_rooms()
    findings: list[str] = []

    def check(where: str, room: str, used: str) -> None:
        if room not in allowed:
            findings.append(f"{where}: '{room}' is not in tools/lint.d/rooms.txt")
        elif used in allowed and used not in allowed[room]:
            findings.append(f"{where}: room '{room}' may not use room '{used}'")

    for path in repo.files("src"):
        for number, line in repo.lines(path):
            if len(path.parts) > 2 and (found := INCLUDE.match(line)):
                check(f"{path}:{number}", path.parts[1], found[1])
    for path in repo.files("include"):
        for number, line in repo.lines(path):
            if (found := INCLUDE.match(line)) and found[1] in allowed:
                findings.append(f"{path}:{number}: a public header may not include room '{found[1]}'")
    for number, line in repo.lines(Path("CMakeLists.txt")):
        if found := ROOM.match(line):
            for used in (found[2] or found[1]).split():
                check(f"CMakeLists.txt:{number}", found[1], used)
    repo.report(
        findings,
        "Move the code to a room that may use both, or pass the result in. A new room, or a new dependency"
        "\n  that follows the flow of data, is a line in tools/lint.d/rooms.txt.",
    )


if __name__ == "__main__":
    main()
