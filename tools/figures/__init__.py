"""Writes measured figures into the documentation."""
