"""Real architectures, exported offline with their truth."""
