"""Truncation, the last resort: the beginnings of the requests and the end of the newest text. It never fails."""

from __future__ import annotations

from clew.history.message_text import message_text
from clew.history.user_requests import request_words
from clew.ports import TokenCounter
from clew.summaries.additions import verbatim_lines
from clew.summaries.injected_orders import neutralise
from clew.summaries.sections import KEPT
from clew.summaries.text_fit import fit_beginning, fit_end
from clew.summaries.values import SummaryMaterial
from clew.text.trim import one_line

#: Shares of what is left, one after the other: the earlier summary, then the requests; the newest text gets the rest.
_BEFORE_SHARE, _ASKED_SHARE = 0.4, 0.5
#: Less than this says nothing.
_LEAST = 8
_NEWEST = 30


def truncate_history(material: SummaryMaterial, *, room: int, count: TokenCounter) -> tuple[str, list[str]]:
    """Cuts the history to the room, and says what found none; the text is empty only where there is no history."""
    kept, findings = verbatim_lines(material.keep, room=room, count=count)
    fixed = [f"## {KEPT}", *kept] if kept else []
    left = room - sum(count(line) + 1 for line in fixed)
    lines: list[str] = []
    if material.before and left > _LEAST:
        lines.append(fit_beginning(neutralise(material.before), int(left * _BEFORE_SHARE), count))
        left -= count(lines[-1]) + 1
    for line in _requests(material, int(left * _ASKED_SHARE), count):
        lines.append(line)
        left -= count(line) + 1
    lines.append(fit_end(neutralise(_newest(material)), max(left - 1, 0), count))
    text = "\n".join(line for line in [*lines, *fixed] if line)
    return (text if count(text) <= room else fit_beginning(text, room, count)), findings


def _requests(material: SummaryMaterial, room: int, count: TokenCounter) -> list[str]:
    """The first request, then the newest, as far as they go; without messages, as the digests quote them."""
    asked = [(message.id, words) for message in material.messages if (words := request_words(message))]
    asked = asked or [(fact.source, fact.text) for digest in material.digests for fact in digest.requests]
    order = dict.fromkeys([*asked[:1], *reversed(asked[1:])])
    found: dict[tuple[str, str], str] = {}
    for one in order:
        line = fit_beginning(f"asked: {neutralise(one_line(one[1]))}", room, count) if room > _LEAST else ""
        if not line:
            break
        found[one] = f"{line} ({one[0]})" if one[0] and count(f"{line} ({one[0]})") <= room else line
        room -= count(found[one]) + 1
    return [found[one] for one in asked if one in found]


def _newest(material: SummaryMaterial) -> str:
    texts = [message_text(message) for message in material.messages[-_NEWEST:]]
    said = [digest.final.text for digest in material.digests if digest.final]
    return "\n".join(texts) or "\n".join(said)
