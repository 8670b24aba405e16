"""Checks the rules of SARIF 2.1.0 that our log files use; written by hand, because tests have no network."""

from __future__ import annotations

import re
from typing import Any

LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")


def check_sarif(log: dict[str, Any]) -> list[dict[str, Any]]:
    """Checks the log and returns its results."""
    assert log.keys() == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run.keys() == {"tool", "artifacts", "results"}
    driver = run["tool"]["driver"]
    assert driver["name"] == "thence"
    assert driver["version"]
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in LEVELS
    for artifact in run["artifacts"]:
        assert URI.fullmatch(artifact["location"]["uri"])
    for result in run["results"]:
        check_result(result, rules, run["artifacts"])
    results: list[dict[str, Any]] = run["results"]
    return results


def check_result(result: dict[str, Any], rules: list[Any], artifacts: list[Any]) -> None:
    assert result.keys() == {"ruleId", "ruleIndex", "level", "message", "locations"}
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in LEVELS
    assert isinstance(result["message"]["text"], str)
    (location,) = result["locations"]
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    assert artifacts[artifact["index"]]["location"]["uri"] == artifact["uri"]
    region = physical["region"]
    assert region.keys() == {"byteOffset", "byteLength"}
    assert all(isinstance(number, int) and number >= 0 for number in region.values())
    for logical in location["logicalLocations"]:
        assert logical.keys() <= {"name", "fullyQualifiedName", "kind"}
        assert all(isinstance(text, str) for text in logical.values())
