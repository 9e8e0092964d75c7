"""The last resort: how the requests begin and how the newest text ends. It needs no digest and never fails."""

from __future__ import annotations

from clew.history.requests import request_words
from clew.history.transcript import message_text
from clew.summaries.clipping import Count, beginning, end, one_line
from clew.summaries.completing import kept_lines
from clew.summaries.planted import harmless
from clew.summaries.sections import KEPT
from clew.summaries.values import Material

#: Shares of what is left, one after the other: the earlier summary, then the requests; the newest text gets the rest.
_BEFORE_SHARE, _ASKED_SHARE = 0.4, 0.5
#: Less than this says nothing.
_LEAST = 8
_NEWEST = 30


def truncated(material: Material, *, room: int, count: Count) -> tuple[str, list[str]]:
    """Something of the text within the room, and what found none; nothing only where there is nothing to tell."""
    kept, findings = kept_lines(material.keep, room=room, count=count)
    fixed = [f"## {KEPT}", *kept] if kept else []
    left = room - sum(count(line) + 1 for line in fixed)
    told: list[str] = []
    if material.before and left > _LEAST:
        told.append(beginning(harmless(material.before), int(left * _BEFORE_SHARE), count))
        left -= count(told[-1]) + 1
    for line in _requests(material, int(left * _ASKED_SHARE), count):
        told.append(line)
        left -= count(line) + 1
    told.append(end(harmless(_newest(material)), max(left - 1, 0), count))
    text = "\n".join(line for line in [*told, *fixed] if line)
    return (text if count(text) <= room else beginning(text, room, count)), findings


def _requests(material: Material, room: int, count: Count) -> list[str]:
    """The first request, then the newest, as far as they go; without messages, as the digests quote them."""
    asked = [(message.id, words) for message in material.messages if (words := request_words(message))]
    asked = asked or [(fact.source, fact.text) for digest in material.digests for fact in digest.requests]
    order = dict.fromkeys([*asked[:1], *reversed(asked[1:])])
    found: dict[tuple[str, str], str] = {}
    for one in order:
        line = beginning(f"asked: {harmless(one_line(one[1]))}", room, count) if room > _LEAST else ""
        if not line:
            break
        found[one] = f"{line} ({one[0]})" if one[0] and count(f"{line} ({one[0]})") <= room else line
        room -= count(found[one]) + 1
    return [found[one] for one in asked if one in found]


def _newest(material: Material) -> str:
    texts = [message_text(message) for message in material.messages[-_NEWEST:]]
    said = [digest.final.text for digest in material.digests if digest.final]
    return "\n".join(texts) or "\n".join(said)
