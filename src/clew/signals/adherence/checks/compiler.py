"""Rules as checks: a person's sentence becomes what a program can look for in replies and tool calls.

``judge`` says how a turn keeps a rule, clause by clause: by the check that ``check_for`` makes of the clause and
``evaluate`` tries on the turn, or else by its wording. A rule that is not understood gives no check, and a check that
is not sure says unknown: an alarm that is wrong costs more than one that is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from statistics import fmean

from clew.domain import RuleState
from clew.signals.adherence.checks import acts, choices, code, commands, forms, language, length, order, paths, phrases
from clew.signals.adherence.checks.rows import Demand, demands
from clew.signals.adherence.checks.rule import clauses_of, read
from clew.signals.adherence.checks.turn import NOTHING, CheckedTurn, Judgement, Verdict
from clew.text.memo import remember
from clew.text.stems import topic_stems
from clew.text.trim import shorten

#: What rules ask of replies, and of work.
_OF_ORDERS = (
    *(length.ROWS + forms.ROWS + phrases.ROWS),
    *(choices.ROWS + code.ROWS + commands.ROWS + paths.ROWS + acts.ROWS + order.ROWS),
)
#: Evidence is a short quotation; more of it is in the message it names.
_MAX_EVIDENCE_CHARS = 120
#: Scores from here up are kept, and from here down broken, where the demand is sure.
_KEPT, _BROKEN = 0.6, 0.35
#: A reply that asks back or declines is no answer: what rules ask of answers says little of it.
_NO_ANSWER = 0.3
#: So much of a topic has to show in a request for a rule on it to apply.
_TOPIC_SHARE = 0.6
#: Longer requests, with logs and texts pasted in, hold words of every topic.
_MAX_TOPIC_CHARS = 600
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
#: What the state of one clause makes of a rule: the first of these that one of them is in.
_WORST = (RuleState.BROKEN, RuleState.UNKNOWN, RuleState.KEPT, RuleState.NOT_APPLICABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A rule that a program can check: all of its demands have to be met.

    ``topic`` holds the stems of what a request must be about for the rule to apply; empty for always. One that
    ``is_hedged`` leaves room: it is never broken, only unknown.
    """

    rule: str
    kind: str
    demands: tuple[Demand, ...]
    topic: frozenset[str] = frozenset()
    is_hedged: bool = False


def judge(rule_text: str, turn: CheckedTurn, *, kind: str = "instruction") -> Verdict:
    """How a turn keeps a rule: broken where one of its clauses is, kept where none is broken or unknown."""
    verdicts = [_judge_clause(clause, turn, kind) for clause in clauses_of(rule_text)]
    applicable = [verdict for verdict in verdicts if verdict.state is not RuleState.NOT_APPLICABLE] or verdicts
    worst = min(applicable, key=lambda verdict: (_WORST.index(verdict.state), verdict.score))
    score = worst.score if worst.state is RuleState.BROKEN else round(fmean(verdict.score for verdict in applicable), 4)
    return replace(worst, rule=rule_text, score=score)


def is_checkable(rule_text: str) -> bool:
    """Whether a program can check a clause of a rule."""
    return any(check_for(clause) for clause in clauses_of(rule_text))


def _judge_clause(clause: str, turn: CheckedTurn, kind: str) -> Verdict:
    """By a check where a program can make one, else by wording."""
    check = check_for(clause, kind)
    return evaluate(check, turn) if check else by_wording(clause, turn, kind=kind)


def by_wording(rule_text: str, turn: CheckedTurn, *, kind: str = "instruction") -> Verdict:
    """How much of a rule's words a reply takes up. Kept at best, never broken: wording alone raises no alarm."""
    rule = read(rule_text)
    wanted = set(topic_stems(rule_text)) - _RULE_WORDS
    if rule is None or rule.forbids or len(wanted) < _LEAST_STEMS or not turn.is_final or not turn.reply.strip():
        return Verdict(rule=rule_text, state=RuleState.UNKNOWN, message=turn.message, kind=kind)
    share = len(wanted & turn.parsed_reply.stems) / len(wanted)
    score = 0.4 if turn.parsed_reply.is_no_answer else 0.5 + 0.3 * share
    state = RuleState.KEPT if share >= _SURE_SHARE and not turn.parsed_reply.is_no_answer else RuleState.UNKNOWN
    return Verdict(rule=rule_text, state=state, score=round(score, 4), message=turn.message, kind=kind)


@remember(4096)
def check_for(rule_text: str, kind: str = "instruction") -> Check | None:
    """The check that a rule's sentence asks for, or None where no program can make it."""
    rule = read(rule_text)
    if rule is None:
        return None
    rows = (*_OF_ORDERS, *language.ROWS) if rule.is_order else language.ROWS
    demanded = tuple(dict.fromkeys(demands(rule, rows)))
    made = Check(rule=rule_text, kind=kind, demands=demanded, topic=rule.topic, is_hedged=rule.is_hedged)
    return made if demanded else None


def evaluate(check: Check, turn: CheckedTurn) -> Verdict:
    """How the turn keeps the rule."""
    is_due = len(check.topic & turn.request_stems) >= ceil(len(check.topic) * _TOPIC_SHARE)
    judged = (
        [judgement for demand in check.demands if (judgement := _judge_demand(demand, turn)).applies] if is_due else []
    )
    if not judged:
        return _verdict(check, turn, RuleState.NOT_APPLICABLE, Judgement())
    if check.is_hedged or (check.topic and len(turn.request) > _MAX_TOPIC_CHARS):
        judged = [replace(judgement, sure=judgement.sure and judgement.score > _BROKEN) for judgement in judged]
    worst = min(judged, key=lambda judgement: judgement.score)
    broken = min(
        (judgement for judgement in judged if judgement.sure and judgement.score <= _BROKEN),
        key=lambda judgement: judgement.score,
        default=None,
    )
    if broken:
        return _verdict(check, turn, RuleState.BROKEN, broken)
    is_kept = all(judgement.sure and judgement.score >= _KEPT for judgement in judged)
    return _verdict(check, turn, RuleState.KEPT if is_kept else RuleState.UNKNOWN, worst)


def _judge_demand(demand: Demand, turn: CheckedTurn) -> Judgement:
    if not demand.of_reply:
        return demand.judge(turn, *demand.wanted)
    if not turn.is_final:
        return NOTHING
    demanded = demand.judge(turn, *demand.wanted) if turn.parsed_reply.text else Judgement(applies=not turn.calls)
    return (
        replace(demanded, score=min(demanded.score, _NO_ANSWER), sure=False)
        if turn.parsed_reply.is_no_answer
        else demanded
    )


def _verdict(check: Check, turn: CheckedTurn, state: RuleState, judged: Judgement) -> Verdict:
    shown = "".join(char if char.isprintable() else " " for char in judged.evidence[: 4 * _MAX_EVIDENCE_CHARS])
    is_deed = 0 <= judged.call < len(turn.makers)
    return Verdict(
        rule=check.rule,
        state=state,
        score=round(judged.score, 4),
        evidence=shorten(shown, _MAX_EVIDENCE_CHARS),
        message=turn.makers[judged.call] if is_deed else turn.message,
        kind=check.kind,
    )
