"""Builds the patch of a summary: the lines that a reader needs most and the summary does not tell, within a budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.domain import Message, Role
from clew.domain.ids import message_id, message_number
from clew.history.work_map.view import WorkMap
from clew.ports import TokenCounter
from clew.summary_patch.contested_replies import contested_replies
from clew.summary_patch.contradicted_names import contradicted_names, replaced_texts
from clew.summary_patch.corrections import corrections
from clew.summary_patch.edit_places import read_edit_history
from clew.summary_patch.focus import Focus, focus_texts
from clew.summary_patch.last_steps import last_steps
from clew.summary_patch.place_losses import place_losses
from clew.summary_patch.repository_losses import repository_losses
from clew.summary_patch.said_losses import said_losses
from clew.summary_patch.state_losses import created_records, failure_losses, folder_loss, state_losses
from clew.summary_patch.work_losses import work_losses
from clew.units.already_said import SaidText
from clew.units.choice import choose_units, fit_units, lengthen_units, worth_below_summary
from clew.units.gather import GatheredUnits, gather_units
from clew.units.later_work import LaterWork
from clew.units.lay_out import lay_out_sections, list_line
from clew.units.unit import Section, Unit

#: The share of a summary's tokens that a patch may take where nobody says how many, and the least that it may take.
DEFAULT_SHARE, LEAST_TOKENS = 0.15, 400
#: Tokens of a patch where nobody knows what the summary says.
UNKNOWN_TOKENS = 600
#: How a patch begins where the summary is known, where it is not, and where it is encrypted or nowhere written.
PATCH_HEAD = "Missing from the summary above"
UNKNOWN_HEAD = "From the session's records, as the summary is not known"
UNREAD_HEAD = "From the session's records, as the summary cannot be read"
#: Whoever looks for a patch finds it by one of these.
PATCH_HEADS = (PATCH_HEAD, UNKNOWN_HEAD, UNREAD_HEAD)
#: Headings of the sections, and shares of a patch that each may take before the others have had theirs.
_HEADINGS = {
    Section.CORRECTION: "Corrections:",
    Section.STATE: "State in the records:",
    Section.SAID: "Said by people:",
    Section.WORK: "Found, decided and done:",
    Section.PLACES: "Where files were changed:",
    Section.LAST: "Last steps:",
}
_SHARES = {
    Section.CORRECTION: 0.6,
    Section.STATE: 0.5,
    Section.SAID: 0.4,
    Section.WORK: 0.5,
    Section.PLACES: 0.35,
    Section.LAST: 0.35,
}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class SummaryPatch:
    """What a summary lost and the work needs: the text to put below it, its tokens, and the ids it was drawn from."""

    text: str
    tokens: int
    items: tuple[str, ...]


def build_patch(
    messages: Sequence[Message],
    work: WorkMap,
    summary: str,
    *,
    beside: str = "",
    session: str,
    budget: int,
    count: TokenCounter,
    head: str = PATCH_HEAD,
) -> SummaryPatch:
    """Returns the patch of a summary of these messages; an empty one where nothing is lost or nothing fits.

    What stands ``beside`` it before the reader is not said again, and nothing in it is corrected; so it is with
    ``summary``, where the ``head`` is another than that of a summary.
    """
    gathered = gather_units(messages, root=work.root)
    units = [unit.text for unit in gathered.units]
    stated = SaidText(summary, units)
    known_text = SaidText(f"{summary}\n{beside}", units) if beside else stated
    newest = max((message.number for message in messages), default=0)
    # what came after the summary is in front of its reader
    is_known = head == PATCH_HEAD
    losses = _losses(messages, work, gathered, summary, known_text, stated=stated if is_known else None)
    candidates = [line for line in losses if line.number <= newest]
    name = session.partition("-")[0] if _UUID.fullmatch(session) else session  # a session's beginning names it as well
    by = ", by the session's records" if is_known else ""
    about = f"{head}{by} (`clew show {name} m12` shows message m12):"
    return _patch(about, candidates, known_text, budget, count)


def _losses(
    messages: Sequence[Message],
    work: WorkMap,
    gathered: GatheredUnits,
    summary: str,
    known_text: SaidText,
    *,
    stated: SaidText | None,
) -> Iterator[Unit]:
    """All lines that may be added. ``stated`` is what may have to be corrected."""
    newest = max((message.number for message in messages), default=0)
    requests = (
        message_number(context.statement.source) for context in gathered.statements if context.statement.is_message
    )
    request = max(requests, default=0)
    words = next(
        (message.text for message in reversed(messages) if message.role is Role.ASSISTANT and message.text.strip()), ""
    )
    focus = Focus(summary, known_text, focus_texts(work, gathered.statements, words))
    corrected = list(corrections(messages, work, stated)) if stated else []
    yield from corrected
    history = read_edit_history(messages, root=work.root, commits=[commit.at for commit in work.repository.commits])
    if stated:
        yield from replaced_texts(messages, history, stated, work)
        yield from contradicted_names(messages, work, gathered.statements, stated)
    corrected_messages = frozenset(line.number for line in corrected)
    yield from failure_losses(work, known_text, corrected=corrected_messages)
    yield from state_losses(work, known_text, corrected=corrected_messages)
    yield from repository_losses(work, known_text)
    yield from folder_loss(messages, work, known_text)
    yield from created_records(gathered.units, known_text)
    replies = [message for message in messages if message.role is Role.ASSISTANT and message.text.strip()]
    yield from said_losses(gathered.statements, known_text, newest=newest, root=work.root, replies=replies)
    contested, later = contested_replies(messages), LaterWork(messages)
    yield from work_losses(gathered.units, known_text, focus, request=request, contested=contested, later=later)
    yield from place_losses(messages, history, work, known_text, focus, request=request)
    yield from last_steps(messages, gathered.units, known_text, focus, request=request, root=work.root)


def _patch(about: str, lost: Sequence[Unit], known_text: SaidText, budget: int, count: TokenCounter) -> SummaryPatch:
    """The units of most value as text within the budget; the last ones give way where sums of counts were too small."""

    def price(unit: Unit) -> int:
        return count(list_line(unit)) + 1

    def text_of(units: Sequence[Unit]) -> str:
        return f"{about}\n{lay_out_sections(units, _HEADINGS)}" if units else ""

    room = budget - count(about) - 1
    chosen = choose_units(
        lost,
        said_text=known_text,
        room=room,
        price=price,
        worth=worth_below_summary,
        shares=_SHARES,
        opening=lambda section: count(_HEADINGS[section]) + 1,
    )
    left = budget - count(text_of(chosen))
    chosen = lengthen_units(chosen, room=left, price=price)
    shown = fit_units(chosen, lambda units: count(text_of(units)), budget)
    text = text_of(shown)
    items = tuple(message_id(number) for number in sorted({unit.number for unit in shown} - {0}))
    return SummaryPatch(text, count(text), items)
