"""
One file a kind of document, all behind one interface: a document and its rule to readings.

A reader knows nothing of the site: it says what a document holds, `sources.py` what that means.
"""
