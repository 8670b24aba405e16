"""Scores every strategy on the sample, with and without a capture, with and without names."""
