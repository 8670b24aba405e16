"""Measures the confidence of answers."""
