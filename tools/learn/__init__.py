"""Learns schema/operators.json: the operators that each operation of PyTorch is exported to."""
