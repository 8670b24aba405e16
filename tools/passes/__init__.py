"""Optimisers and quantisers run for real, and the truth of what they leave: which module each node is of."""
