"""Compares the answers and instruction counts of two programs, to check that a refactoring changes no
answer."""
