"""The `magpie` command: parse, call once, show."""
