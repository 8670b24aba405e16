"""Learns schema/operators.json: the operators that each operation of PyTorch becomes."""
