"""How sure answers are, measured."""
