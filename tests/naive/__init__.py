"""Obvious and slow twins of what is fast."""
