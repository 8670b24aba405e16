"""Runs optimisers and quantisers, and makes the truth of their results: the module of each node."""
