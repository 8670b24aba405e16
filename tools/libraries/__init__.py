"""Measures the accuracy on models of libraries other than transformers. Nothing is tuned on them."""
