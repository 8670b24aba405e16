"""How much of a model's modules thence can say the part of, over the corpus, and a sample to judge by hand."""
