"""The buffered public routes."""
