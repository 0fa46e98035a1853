"""A run's summary for machines: the command, the owner's API."""

from typing import Any

from magpie.model import IngestSummary


def summary_told(summary: IngestSummary) -> dict[str, Any]:
    """What came of every file, as plain JSON values."""
    return {
        "version": summary.version_id,
        "added": [str(key) for key in summary.added],
        "changed": [str(key) for key in summary.changed],
        "removed": [str(key) for key in summary.removed],
        "unchanged": summary.unchanged,
        "ignored": summary.ignored,
        "refused": [
            {"path": refusal.path, "code": refusal.code, "reason": refusal.reason}
            for refusal in summary.refused
        ],
        "notices": [
            {"path": path, "code": notice.code, "message": notice.message} for path, notice in summary.notices
        ],
        "chunks": summary.chunks,
        "embedded": summary.embedded,
    }
