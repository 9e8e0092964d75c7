"""Adherence: whether a turn keeps a rule, clause by clause, by a check or by wording."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import check_for, evaluate
from clew.signals.adherence.checks.rule import clauses_of, read
from clew.signals.adherence.checks.turn import CheckedTurn, Verdict
from clew.text.stems import topic_stems

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
