"""Scores of every strategy, with and without a capture, with and without names, on the sample."""
