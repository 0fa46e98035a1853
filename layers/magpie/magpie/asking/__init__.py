"""A question in, answer parts out."""
