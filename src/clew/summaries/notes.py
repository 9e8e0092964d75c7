"""Notes of a model on its own turns: with enough of them no question is needed for a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.domain import Digest
from clew.ports import TokenCounter
from clew.summaries.injected_orders import claims_authority, neutralise
from clew.summaries.sections import CODEBASE, PROGRESS, SummarySection, join_sections, sections_of
from clew.summaries.text_fit import fit_beginning
from clew.summaries.values import SummaryMaterial
from clew.text.names import file_name

#: The share of segments that must have notes.
_ENOUGH = 0.8
#: Share of the room for the notes; an earlier summary has what they leave.
_NOTES_SHARE = 0.6


def has_enough_notes(digests: Sequence[Digest]) -> bool:
    """True when the model has said of most segments what they come to."""
    relevant = [digest for digest in digests if digest.requests or digest.final or digest.files or digest.commands]
    noted = sum(bool(_outcome_lines(digest)) for digest in relevant)
    return bool(relevant) and noted >= _ENOUGH * len(relevant)


def notes_summary(material: SummaryMaterial, *, room: int, count: TokenCounter) -> str:
    """Joins the earlier summary and the notes, the newest first into their share of the room; empty if none fits."""
    left = int(room * _NOTES_SHARE) if material.before else room
    told, files = list[str](), list[str]()
    for digest in reversed(material.digests):
        for lines, place in ((_outcome_lines(digest), told), (list(_file_lines(digest)), files)):
            for line in lines:
                price = count(line) + 1
                if price <= left and not claims_authority(line):
                    place.insert(0, neutralise(line))
                    left -= price
    if not told:
        return ""
    new = [SummarySection(CODEBASE, files), SummarySection(PROGRESS, told)]
    taken = count(join_sections(new))
    return join_sections([*sections_of(fit_beginning(material.before, room - taken - 1, count)), *new])


def _outcome_lines(digest: Digest) -> list[str]:
    """The note on the outcome; one on the request, or on a file, is not enough."""
    note = digest.gist or digest.response
    return [f"- {note.text} ({note.source})"] if note else []


def _file_lines(digest: Digest) -> Iterator[str]:
    yield from (
        f"- {file_name(file.text)}: {file.what.text} ({file.what.source})" for file in digest.files if file.what
    )
