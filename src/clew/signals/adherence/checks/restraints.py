"""Deeds: what an agent must not do, or not without asking (commit, push, delete, install, deploy …)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.acts import ACTS
from clew.signals.adherence.checks.permission import allows
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.text.tools.actions import ActionKind

_ASK = (
    r"(?:ask|check with me|check in with me|confirm|get (?:my |explicit )?(?:approval|permission|confirmation"
    r"|consent|ok|okay)|wait for (?:my |explicit )?(?:approval|confirmation|ok|okay|go-ahead|permission|review)"
    r"|seek (?:my )?approval|request (?:my )?(?:approval|permission)|let me (?:review|approve|confirm|check)|show me"
    r"|consult me)"
)
_ASK_BEFORE = re.compile(rf"\b{_ASK}\b[^.;]{{0,60}}?\b(?:before|prior to)\b([^.;]{{3,100}})")
_BEFORE_ASK = re.compile(rf"\bbefore\b([^.;,]{{3,60}}),?[^.;]{{0,30}}?\b{_ASK}\b")
_FIRST_VERBS = re.compile(r"(?:ever |automatically |just |auto-?|to |run |do |attempt to |try to |make any |make )*")


#: Commit what? A rule on some things only is no rule on the act.
_OBJECT = re.compile(
    r"(?:commit|push|merg|deploy|publish|rebas|releas)\w*\s+(?!(?:changes?|anything|code|it|this|yet|directly"
    r"|automatically|my|your|the (?:changes?|code)|to|or|and|any (?:changes?|code)|work|without|until|unless|for me"
    r"|on (?:my|your) own|again|now)\b)\w"
)


@dataclass(frozen=True, slots=True)
class Restraint:
    """An act that is forbidden, or with ``ask`` wants a person's leave first."""

    act: str
    ask: bool = False
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        found = next(ACTS[self.act].shows(turn.work), None)
        if found is None:
            return Judged(1.0) if turn.calls and not self.ask else NOTHING
        at, evidence = found
        if self.ask and any(action.kind is ActionKind.ASK and where < at for where, action in turn.work.deeds):
            return Judged(1.0, evidence=evidence, call=at)
        allowed = allows(turn, ACTS[self.act].verbs)
        if allowed:
            return Judged(0.9, evidence=evidence, call=at) if self.ask else NOTHING
        return Judged(0.5 if allowed is None else 0.1, sure=allowed is False, evidence=evidence, call=at)


def restraints(rule: Rule) -> Iterator[Restraint]:
    """The acts that a rule forbids or ties to a person's word."""
    if rule.is_asked:
        return
    asked = _ASK_BEFORE.search(rule.body) or _BEFORE_ASK.search(rule.body)
    if asked and not rule.forbids:
        yield from (Restraint(name, ask=True) for name in _named(asked[1]))
    elif rule.forbids:
        clause = re.split(r"[,;]|\b(?:unless|until|without|because|since)\b", rule.head)[0]
        start = _FIRST_VERBS.match(clause)
        names = list(_named(clause[start.end() if start else 0 :], at_start=True))
        narrow = re.search(
            r"\bto (?:the )?(?:prod\w*|remote|origin)\b|\b(?:secrets?|\.env|credentials|keys)\b|\bin\b", rule.head
        )
        yield from (Restraint(name, ask=rule.needs_leave) for name in names if not narrow and not _OBJECT.match(clause))


def _named(text: str, *, at_start: bool = False) -> Iterator[str]:
    """The acts in a list of them: deleting files, committing or pushing."""
    pieces = re.split(r",|\bor\b|\band\b|/", text)
    for piece in pieces:
        for name, act in ACTS.items():
            looks = re.compile(
                rf"\s*(?:you |i |we |any |making |doing |running |a |the |every |each )*(?:{act.called})(?![\w-])"
            )
            if looks.match(piece) and (not at_start or len(piece.split()) <= 8):
                yield name
                break
