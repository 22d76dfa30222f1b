"""The command: parses, calls the library, writes."""
