"""Measures `thence transfer` between models that no optimiser relates."""
