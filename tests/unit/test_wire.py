"""Which of the two encodings an answer travels in."""

import pytest

from functions.chat.wire import NDJSON, SSE, encoding_for


@pytest.mark.parametrize(
    ("accept", "usual", "chosen"),
    [
        ("", NDJSON, NDJSON),
        ("*/*", SSE, SSE),
        ("text/event-stream", NDJSON, SSE),
        ("application/x-ndjson", SSE, NDJSON),
        ("text/event-stream;q=0.5, application/x-ndjson", SSE, NDJSON),
        ("text/event-stream, application/x-ndjson", NDJSON, NDJSON),
    ],
)
def test_the_client_chooses_and_the_site_where_the_client_does_not(accept, usual, chosen):
    """
    Whoever names one of them gets it; a browser's `*/*` gets what the site file says.
    """
    assert encoding_for(accept, usual) is chosen
