"""Choices: what a reply says is used against what was chosen, and what was turned down for it.

Only what is told as a fact or as done counts; what is offered, asked or compared chooses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row, of_work
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import NOTHING, CheckedTurn, Judgement
from clew.text.sentences import sentences

_CHOSEN = (
    r"\b(?:use|using|adopt|go(?:ing)? with|stick (?:to|with)|stay(?:ing)? (?:on|with)|(?:decided|settled|agreed) on)\s+"
    r"(?:the\s+)?(?P<chosen>[a-z][\w.+#-]{1,30})(?:,?\s+(?:and\s+)?(?:not|never|instead of|rather than|over)\s+"
    r"(?P<other>[a-z][\w.+#-]{1,30}))?"
)
#: Offered, asked, compared or denied.
_NO_DEED = r"could|would|might|may|can|should|if|whether|option\w*|alternativ\w*|previous\w*|not|never|unlike|no"
_OFFERED = re.compile(rf"(?i)\b(?:{_NO_DEED})\b|n['’]t\b|\?")


def judge_choice(turn: CheckedTurn, chosen: str, other: str) -> Judgement:
    """A reply does not tell that something was used in place of what was chosen, or that what was turned down is."""
    shown = [
        rf"\b(?:used|chose|picked|added|built|implemented)\b.*\b(?:instead of|rather than|in place of) {chosen}\b",
        rf"\breplaced {chosen} (?:with|by)\b",
        *([rf"\b(?:is|are|use[sd]?|using|created? an?|runs? on|stored? in) {other}\b(?!.*\binstead)"] if other else ()),
    ]
    for sentence in sentences(turn.parsed_reply.prose):
        if not _OFFERED.search(sentence) and re.search("|".join(shown), sentence, re.IGNORECASE):
            is_asked = re.search(rf"\b{other or chosen}\b", turn.request, re.IGNORECASE) is not None
            return Judgement(0.4 if is_asked else 0.1, sure=not is_asked, evidence=sentence)
    return NOTHING


def _choice(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Names of things, which people write with a capital or a digit; no other words."""
    names = [match[name].rstrip(".") for name in ("chosen", "other") if match[name]]
    shown = [re.search(rf"\b{re.escape(name)}(?!\w)", rule.text, re.IGNORECASE) for name in names]
    if all(match_in_text and re.search(r"[A-Z0-9]", match_in_text[0]) for match_in_text in shown):
        yield re.escape(names[0]), re.escape(names[1]) if len(names) > 1 else ""


ROWS = (Row(_CHOSEN, judge_choice, _choice, of_work, of_reply=True, group="choice"),)
