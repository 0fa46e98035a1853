"""One outside thing each. Nothing in the core imports from here; wiring does."""
