"""How good a selection is, and what was learnt with it."""
