"""A document in, an active version out."""
