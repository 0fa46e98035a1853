"""The embedded stack: everything that Magpie needs from outside, on one laptop, in one folder."""
