"""The edges: one folder a Lambda. Each parses, calls the core once, and encodes."""
