"""Where batches come from: readers, generators, drift and arrival scenarios."""
