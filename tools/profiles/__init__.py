"""Scores `thence profile` on recorded runs."""
