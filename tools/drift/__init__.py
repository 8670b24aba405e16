"""Scores `thence drift`: faults that it must name, and lists of nodes that it proposes."""
