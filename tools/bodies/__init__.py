"""Measures the answers for nodes in bodies: branches, loops, scans and model-local functions.

Run `python -m tools.bodies --help` from the top of the repository.
"""
