"""Models whose parameters FIRES takes for random: what it asks of them, and those that it has."""
