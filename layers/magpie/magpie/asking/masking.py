"""
Personal data out of what is kept of an answer. Loaded when the first one is: see `recording`.
"""

from collections.abc import Sequence
from urllib.parse import unquote

from magpie.site import Site
from magpie.text.introductions import introduced, without_names
from magpie.text.redaction import RedactionPolicy, placeholder, redact


class Mask:
    """
    Personal data taken out of what is kept, the owner's own contacts left in. `heard` is what the visitor
    wrote: the names introduced in it go wherever they stand, in our answer too.
    """

    def __init__(self, site: Site, heard: Sequence[str] = ()) -> None:
        contacts = tuple(filter(None, (*site.privacy.public_contacts, site.handover.email)))
        self._visitors = RedactionPolicy(name="visitor")
        self._ours = RedactionPolicy(name="public", public_contacts=contacts)
        self._names = tuple(name for text in heard for name in introduced(text))

    def words(self, text: str) -> str:
        """What a visitor wrote."""
        return self._nameless(redact(text, self._visitors).text)

    def answer(self, text: str) -> str:
        """What we said: contacts that the owner tells everybody stay."""
        return self._nameless(redact(text, self._ours).text)

    def page(self, path: str) -> str:
        """An address of the site, which may hold a visitor's: `/account/ana%40mail.example`."""
        plain = unquote(path)
        masked = self.words(plain)
        return path if masked == plain else masked

    def _nameless(self, text: str) -> str:
        return without_names(text, self._names, placeholder("name"))
