"""Magpie's pipeline core: it answers a visitor from its owner's pages, and says nothing else."""

__version__ = "0.1.0"
