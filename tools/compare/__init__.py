"""Compares answers and instruction counts of two programs: a refactoring must not change answers."""
