"""Counts the modules of the corpus that have a role, and chooses a sample to judge by hand."""
