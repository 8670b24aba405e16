"""The last runs of the tests of robustness: what they covered, and what they found."""
