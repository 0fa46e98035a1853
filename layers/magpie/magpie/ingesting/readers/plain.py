"""Plain text: what is there, with the name of the file for a title."""

from magpie.ingesting.cleaning import clean, decode, tidy
from magpie.ingesting.dates import date_of_name
from magpie.ingesting.languages import language_of_path
from magpie.model import Document, Reading


def read(document: Document) -> tuple[Reading, ...]:
    """Raises: DocumentRefused `bad_encoding`."""
    text, notices = decode(document.path, document.raw)
    reading = Reading(
        text=tidy(clean(text)),
        published=date_of_name(document.path),
        language=language_of_path(document.path),
        notices=notices,
    )
    return (reading,)
