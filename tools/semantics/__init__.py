"""How many modules thence says the part of, over the corpus; and a sample to judge by hand."""
