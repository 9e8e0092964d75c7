"""Replies of the assistant as they come: which of them are whole, and how the rules in force fare in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.domain import Message
from clew.domain.critical import CriticalItem
from clew.domain.values import fields_of
from clew.ports import Rows
from clew.signals.rows import RULE, put_standing, standing
from clew.signals.session_state import SignalsState

#: Of a reply, so much is judged by its words.
_MOST_OF_REPLY = 4_000
#: Replies, and how much of each, that say what the work is about now.
_RECENT_REPLIES, _REPLY_CHARS, _CALL_CHARS = 6, 600, 200


def note_reply(message: Message, state: SignalsState, rows: Rows, *, grows: bool) -> None:
    """Takes in a reply, or more of the newest one, which was judged as a whole too early."""
    if grows:
        for id, row in state.undo.items():
            rows.put(RULE + id, row)
        state.undo = {}
    else:
        _start_turn(state, rows)
    text = f"{state.reply.get('text', '')}{message.text}"[:_MOST_OF_REPLY]
    state.reply = {"text": text, "acts": bool(message.calls) or bool(state.reply.get("acts"))}
    done = [str(call.arguments)[:_CALL_CHARS] for call in message.calls]
    if about := " ".join([message.text[:_REPLY_CHARS], *done])[:_REPLY_CHARS].strip():
        state.replies = [*state.replies, about][-_RECENT_REPLIES:]


def _start_turn(state: SignalsState, rows: Rows) -> None:
    """A new reply: reminders that were offered with its prompt have been read, and the one before it was whole."""
    state.turns += 1
    for id, lapse in state.offered:
        put_standing(rows, id, replace(standing(rows, id), reminded=lapse))
    state.reply, state.undo, state.offered = {}, {}, []


def judge_reply(message: Message, rules: Sequence[CriticalItem], state: SignalsState, rows: Rows) -> None:
    """Judges the newest reply by each rule in force, and writes how the rule stands after it."""
    from clew.signals.adherence.checks.compiler import judge
    from clew.signals.adherence.checks.rule import read
    from clew.signals.adherence.checks.turn import CheckedTurn

    turn = CheckedTurn(
        request=state.request,
        reply=state.reply["text"],
        calls=message.calls,
        message=message.id,
        makers=(message.id,) * len(message.calls),
        earlier=tuple(state.earlier),
        is_final=not state.reply["acts"],
    )
    for item in rules:
        before, rule = standing(rows, item.id), read(item.text)
        is_idle = bool(message.calls) and bool(rule and rule.forbids)
        after = before.after_verdict(judge(item.text, turn, kind=str(item.kind)), state.turns, is_idle=is_idle)
        if after != before:
            put_standing(rows, item.id, after)
            if turn.is_final:
                state.undo[item.id] = fields_of(before)
