"""Servers on the loopback address that speak a provider's wire format, with its faults."""
