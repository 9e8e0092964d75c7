"""Takes the summary out of a model's answer, however it is wrapped."""

from __future__ import annotations

import re

from clew.ports import ModelReply
from clew.summaries.sections import sections_of
from clew.summaries.values import UnfitSummary

_OPENING = re.compile(r"<summary(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_CLOSING = re.compile(r"</summary\s{0,8}>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:analysis|think|thinking)\s{0,8}>", re.IGNORECASE)
_THOUGHT = re.compile(r"<(?:analysis|think|thinking)(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_FENCE = re.compile(r"\s*```[\w-]{0,20}[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
#: An answer that forgot the tags is taken for a summary when it has so many of its headings.
_HEADINGS = 3
_WHY = {
    "calls": "it called a tool instead of writing a summary",
    "refusal": "it declined to write a summary",
    "length": "it reached its limit before the summary was complete",
    "other": "it stopped for an unknown reason before the summary was complete",
}


def summary_in(said: ModelReply) -> str:
    """Takes the summary out of a reply; raises UnfitSummary where there is none, or it was cut off."""
    if said.calls or said.stop in ("calls", "refusal"):
        raise UnfitSummary(_WHY["refusal" if said.stop == "refusal" else "calls"])
    rest = _after_thoughts(said.text)
    opening = _OPENING.search(rest)
    if opening is None:
        return _without_tags(rest, said)
    inside = rest[opening.end() :]
    closings = list(_CLOSING.finditer(inside))
    if not closings and said.stop != "end":
        raise UnfitSummary(_WHY[said.stop])
    return _bare(inside[: closings[-1].start()] if closings else inside)


def _after_thoughts(text: str) -> str:
    """What follows the last thought that a summary follows; a thought that never ended says nothing."""
    ends = [match.end() for match in _THOUGHT_END.finditer(text)]
    openings = [match.start() for match in _OPENING.finditer(text)]
    if openings:
        return text[max((end for end in ends if end <= openings[-1]), default=0) :]
    begun = _THOUGHT.search(text)
    return text[ends[-1] :] if ends else text[: begun.start()] if begun else text


def _without_tags(text: str, reply: ModelReply) -> str:
    found = _bare(text)
    if not found:
        raise UnfitSummary("it is empty" if reply.stop == "end" else _WHY[reply.stop])
    if sum(bool(section.name) for section in sections_of(found)) < _HEADINGS:
        raise UnfitSummary("it holds no summary")
    if reply.stop != "end":
        raise UnfitSummary(_WHY[reply.stop])
    return found


def _bare(text: str) -> str:
    """Without blanks and a code fence around it."""
    fence = _FENCE.match(text)
    return (fence[1] if fence else text).strip()
