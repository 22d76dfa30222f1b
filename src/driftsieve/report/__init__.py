"""How results look. Computes nothing."""
