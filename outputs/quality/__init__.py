"""How good the links of a dataset are, measured against a gold standard."""
