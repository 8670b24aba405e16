"""Builds the committed sample of real exports and their ground truth.

Run `python -m tools.sample --help` from the top of the repository.
"""
