"""Adherence: whether a turn keeps a rule, by a check or by wording, and how far a session has drifted."""

from __future__ import annotations

from collections.abc import Iterable

from clew.domain import RuleState
from clew.signals.checks.compiler import check_for, evaluate
from clew.signals.checks.rule import read
from clew.signals.checks.values import Turn, Verdict
from clew.text.stems import topic_stems

#: One broken rule is a warning (.3), three are critical (.6): each takes this share of what is left.
_A_RULE = 0.3
_A_CONTRADICTION = 0.15
#: Work off the topic is no alarm by itself: at its worst it stays just below a warning.
_MOST_BY_TOPIC = 0.25
_TOPIC_FROM = 0.6
_WEIGHTS = {"preference": 0.5}


#: Words of a rule that say what to do with the rest, not what it is about.
_RULE_WORDS = frozenset(
    topic_stems(
        "always never response answer reply include including provide ensure focus explain describe mention specific"
        " detailed format user ask asked question avoid refrain cover discuss highlight written style example"
        " suitable clear clearly should must prefer keep written previous conversation"
    )
)
#: Fewer telling words than this may be found anywhere.
_LEAST_STEMS = 2
_SURE_SHARE = 0.8


def judge(rule_text: str, turn: Turn, *, kind: str = "instruction") -> Verdict:
    """How a turn keeps a rule: by a check where a program can make one, else by wording."""
    check = check_for(rule_text, kind)
    return evaluate(check, turn) if check else by_wording(rule_text, turn, kind=kind)


def by_wording(rule_text: str, turn: Turn, *, kind: str = "instruction") -> Verdict:
    """How much of a rule's words a reply takes up. Kept at best, never broken: wording alone raises no alarm."""
    rule = read(rule_text)
    wanted = set(topic_stems(rule_text)) - _RULE_WORDS
    if rule is None or rule.forbids or len(wanted) < _LEAST_STEMS or not turn.is_final or not turn.reply.strip():
        return Verdict(rule=rule_text, state=RuleState.UNKNOWN, message=turn.message, kind=kind)
    share = len(wanted & turn.said.stems) / len(wanted)
    score = 0.4 if turn.said.is_no_answer else 0.5 + 0.3 * share
    state = RuleState.KEPT if share >= _SURE_SHARE and not turn.said.is_no_answer else RuleState.UNKNOWN
    return Verdict(rule=rule_text, state=state, score=round(score, 4), message=turn.message, kind=kind)


def drift_score(broken: Iterable[str], topic: float = 0.0, contradictions: Iterable[float] = ()) -> float:
    """0 to 1: rules that are broken now, by their kinds; contradictions by their scores; and work off the topic."""
    left = 1.0
    for kind in broken:
        left *= 1.0 - _A_RULE * _WEIGHTS.get(kind, 1.0)
    for score in contradictions:
        left *= 1.0 - _A_CONTRADICTION * _within(score)
    off = max(0.0, _within(topic) - _TOPIC_FROM) / (1.0 - _TOPIC_FROM)
    return round(1.0 - left * (1.0 - _MOST_BY_TOPIC * off), 4)


def _within(score: float) -> float:
    return min(1.0, max(0.0, score))
