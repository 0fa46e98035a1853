"""
Personal data and secrets by a source's policy, before anything is kept.

Secrets go everywhere. A survivor in a source that declares redaction refuses that document.
"""

from magpie.errors import DocumentRefused
from magpie.model import Source
from magpie.site import Redaction, Site, SourceRule


def may_be_read(path: str, rule: SourceRule, site: Site) -> None:
    """
    A CV counts only when a person has read it, and never where the web server would show it whole.

    Raises: DocumentRefused `not_approved`, `public_folder`.
    """
    redaction = rule.redaction or site.redaction
    if redaction.policy != "cv":
        return
    if not redaction.approved:
        reason = "is a CV that nobody has approved; read it, then set `approved: true` in its rule"
        raise DocumentRefused(path, "not_approved", reason)
    if "public" in path.lower().split("/")[:-1]:
        raise DocumentRefused(path, "public_folder", "is a CV inside a public folder; move it out of there")


def redacted(source: Source, redaction: Redaction, site: Site) -> Source:
    """
    The source without what its policy hides.

    Raises: DocumentRefused `redaction_survivor`.
    """
    if redaction.policy == "cv":
        raise DocumentRefused(source.path, "redaction_survivor", "CVs can't be redacted yet")
    return source
