"""Scheduled: removes what is older than the site keeps it."""
