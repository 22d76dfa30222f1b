"""Other libraries: the only place that imports optional third parties."""
