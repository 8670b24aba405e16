"""Compares two programs, to check that a refactoring changes no answer: rows, and instruction counts."""
