"""Rules as checks: a person's sentence becomes what a program can look for in replies and tool calls.

``check_for`` compiles a rule or says that no program can check it; ``evaluate`` judges one turn by it. Both are pure.
A rule that is not understood gives no check, and a check that is not sure says unknown: an alarm that is wrong costs
more than one that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import ceil

from clew.domain import RuleState
from clew.signals.adherence.checks.choices import choices
from clew.signals.adherence.checks.code_style import styles
from clew.signals.adherence.checks.elements import elements
from clew.signals.adherence.checks.format import formats
from clew.signals.adherence.checks.language import languages
from clew.signals.adherence.checks.length import lengths
from clew.signals.adherence.checks.names import naming
from clew.signals.adherence.checks.order import messages, orders
from clew.signals.adherence.checks.paths import paths
from clew.signals.adherence.checks.phrases import phrases
from clew.signals.adherence.checks.restraints import restraints
from clew.signals.adherence.checks.rule import Rule, read
from clew.signals.adherence.checks.values import Check, Demand, Judged, Turn, Verdict, shortened
from clew.text.memo import remember

__all__ = ["Check", "Turn", "Verdict", "check_for", "evaluate"]

#: What rules ask of replies, and of work.
_FAMILIES: tuple[Callable[[Rule], Iterable[Demand]], ...] = (
    *(lengths, formats, languages, phrases, elements),
    *(naming, styles, choices, paths, restraints, orders, messages),
)
#: Scores from here up are kept, and from here down broken, where the demand is sure.
_KEPT, _BROKEN = 0.6, 0.35
#: A reply that asks back or declines is no answer: what rules ask of answers says little of it.
_NO_ANSWER = 0.3
#: So much of a topic has to show in a request for a rule on it to apply.
_TOPIC_SHARE = 0.6
#: Longer requests, with logs and texts pasted in, hold words of every topic.
_MAX_TOPIC_CHARS = 600


@remember(4096)
def check_for(rule_text: str, kind: str = "instruction") -> Check | None:
    """The check that a rule's sentence asks for, or None where no program can make it."""
    rule = read(rule_text)
    if rule is None:
        return None
    families = _FAMILIES if rule.is_order else (languages,)
    demands = tuple(dict.fromkeys(demand for family in families for demand in family(rule)))
    is_made = Check(rule=rule_text, kind=kind, demands=demands, topic=rule.topic, is_hedged=rule.is_hedged)
    return is_made if demands else None


def evaluate(check: Check, turn: Turn) -> Verdict:
    """How the turn keeps the rule."""
    if check.topic and len(check.topic & turn.asked) < ceil(len(check.topic) * _TOPIC_SHARE):
        return _verdict(check, turn, RuleState.NOT_APPLICABLE, Judged())
    judged = [found for demand in check.demands if (found := _judged(demand, turn)).applies]
    if check.is_hedged or (check.topic and len(turn.request) > _MAX_TOPIC_CHARS):
        judged = [replace(one, sure=one.sure and one.score > _BROKEN) for one in judged]
    if not judged:
        return _verdict(check, turn, RuleState.NOT_APPLICABLE, Judged())
    worst = min(judged, key=lambda one: one.score)
    broken = min((one for one in judged if one.sure and one.score <= _BROKEN), key=lambda one: one.score, default=None)
    if broken:
        return _verdict(check, turn, RuleState.BROKEN, broken)
    is_kept = all(one.sure and one.score >= _KEPT for one in judged)
    return _verdict(check, turn, RuleState.KEPT if is_kept else RuleState.UNKNOWN, worst)


def _judged(demand: Demand, turn: Turn) -> Judged:
    if not demand.of_reply:
        return demand.judge(turn)
    if not turn.is_final:
        return Judged(applies=False)
    found = demand.judge(turn) if turn.reply.strip() else Judged(applies=not turn.calls)
    if turn.said.is_no_answer:
        return Judged(min(found.score, _NO_ANSWER), sure=False, evidence=found.evidence, applies=found.applies)
    return found


def _verdict(check: Check, turn: Turn, state: RuleState, judged: Judged) -> Verdict:
    return Verdict(
        rule=check.rule,
        state=state,
        score=round(judged.score, 4),
        evidence=shortened(judged.evidence),
        message=turn.message if judged.call < 0 else turn.maker(judged.call),
        kind=check.kind,
    )
