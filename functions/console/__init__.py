"""The owner's API, for bearers of a token with the right role."""
