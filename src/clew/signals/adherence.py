"""Adherence: how a session keeps its rules over time: which are broken now, how far it has drifted, what to remind of.

Works on verdicts in the order of their turns, oldest first. Pure; when verdicts are made and what is done with a
reminder is left to others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from clew.signals.checks import check_for, evaluate
from clew.signals.checks_rule import read
from clew.signals.checks_stems import stems
from clew.signals.checks_values import State, Turn, Verdict

#: One broken rule is a warning (.3), three are critical (.6): each takes this share of what is left.
_A_RULE = 0.3
_A_CONTRADICTION = 0.15
#: Work off the topic is no alarm by itself: at its worst it stays just below a warning.
_MOST_BY_TOPIC = 0.25
_TOPIC_FROM = 0.6
_WEIGHTS = {"preference": 0.5, "custom": 1.0}

#: A rule that nothing has touched for so many turns may have faded.
UNTOUCHED_TURNS = 40
MAX_REMINDERS = 3

#: Words of a rule that say what to do with the rest, not what it is about.
_RULE_WORDS = frozenset(
    stems(
        "always never response answer reply include including provide ensure focus explain describe mention specific"
        " detailed format user ask asked question avoid refrain cover discuss highlight written style example"
        " suitable clear clearly should must prefer keep written previous conversation"
    )
)
#: Fewer telling words than this may be found anywhere.
_LEAST_STEMS = 2
_SURE_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Reminder:
    """A rule to bring back to mind. ``lapse`` names the occasion: what was reminded of once is not said again."""

    rule: str
    lapse: str
    is_broken: bool
    message: str = ""


def judge(rule_text: str, turn: Turn, *, kind: str = "instruction") -> Verdict:
    """How a turn keeps a rule: by a check where a program can make one, else by wording."""
    check = check_for(rule_text, kind)
    return evaluate(check, turn) if check else by_wording(rule_text, turn, kind=kind)


def by_wording(rule_text: str, turn: Turn, *, kind: str = "instruction") -> Verdict:
    """How much of a rule's words a reply takes up. Kept at best, never broken: wording alone raises no alarm."""
    rule = read(rule_text)
    wanted = set(stems(rule_text)) - _RULE_WORDS
    if rule is None or rule.forbids or len(wanted) < _LEAST_STEMS or not turn.is_final or not turn.reply.strip():
        return Verdict(rule=rule_text, state=State.UNKNOWN, message=turn.message, kind=kind)
    share = len(wanted & turn.said.stems) / len(wanted)
    score = 0.4 if turn.said.is_no_answer else 0.5 + 0.3 * share
    state = State.KEPT if share >= _SURE_SHARE and not turn.said.is_no_answer else State.UNKNOWN
    return Verdict(rule=rule_text, state=state, score=round(score, 4), message=turn.message, kind=kind)


def lapsed(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Rules that are broken now: the first verdict of each one's present lapse, in order."""
    open_: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.state is State.BROKEN:
            open_.setdefault(verdict.rule, verdict)
        elif verdict.state is State.KEPT:
            open_.pop(verdict.rule, None)
    return tuple(open_.values())


def drift_score(verdicts: Iterable[Verdict], topic: float = 0.0, contradictions: Sequence[float] = ()) -> float:
    """0 to 1: rules that are broken now, contradictions by their scores, and work off the topic."""
    left = 1.0
    for verdict in lapsed(verdicts):
        left *= 1.0 - _A_RULE * _WEIGHTS.get(verdict.kind, 1.0)
    for score in contradictions:
        left *= 1.0 - _A_CONTRADICTION * _within(score)
    off = max(0.0, _within(topic) - _TOPIC_FROM) / (1.0 - _TOPIC_FROM)
    return round(1.0 - left * (1.0 - _MOST_BY_TOPIC * off), 4)


def _within(score: float) -> float:
    return min(1.0, max(0.0, score))


def reminders(
    verdicts: Sequence[Verdict], *, given: Collection[str] = (), untouched_turns: int = UNTOUCHED_TURNS
) -> tuple[Reminder, ...]:
    """What to remind of: rules that are broken, then rules untouched for long; never what was ``given`` before."""
    broken = [Reminder(one.rule, f"{one.rule}@{one.message}", True, one.message) for one in lapsed(verdicts)]
    found = [*reversed(broken), *_untouched(verdicts, untouched_turns)]
    return tuple(one for one in found if one.lapse not in given)[:MAX_REMINDERS]


def _untouched(verdicts: Sequence[Verdict], turns: int) -> list[Reminder]:
    idle: dict[str, int] = {}
    last: dict[str, str] = {}
    for verdict in verdicts:
        if verdict.state in {State.KEPT, State.BROKEN}:
            idle[verdict.rule], last[verdict.rule] = 0, verdict.message
        else:
            idle[verdict.rule] = idle.get(verdict.rule, 0) + 1
    return [
        Reminder(rule, f"{rule}@idle:{last.get(rule, '')}", False, last.get(rule, ""))
        for rule, count in idle.items()
        if count >= turns
    ]
