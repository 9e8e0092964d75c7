"""How a rule stands over time: folded from verdicts, one reply after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.domain import RuleState
from clew.domain.ids import message_number

if TYPE_CHECKING:
    from clew.signals.adherence.checks.turn import Verdict

#: A rule that nothing has touched for so many replies may have faded.
UNTOUCHED_TURNS = 40
#: A ban that was broken counts as kept again when it was not broken for so many replies.
_AMENDS_TURNS = 20
#: From this score on a rule that cannot be judged whole is kept as far as it can be judged.
_SEEMS_KEPT = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a rule stands: the newest verdict that told something of it, and the message that shows it.

    ``since`` is the message where the present lapse began, ``times`` how often it was broken; ``broken`` is the message
    that broke it last, and ``breach`` what shows it, whatever came after. ``touched`` counts the replies until the last
    one that had to do with it; ``asked`` counts requests until it was given. ``reminded`` is the lapse that was brought
    back to mind: nobody is told of it again.
    """

    state: RuleState = RuleState.UNKNOWN
    score: float = 0.5
    message: str = ""
    evidence: str = ""
    since: str = ""
    times: int = 0
    broken: str = ""
    breach: str = ""
    touched: int = 0
    asked: int = 0
    reminded: str = ""

    def after_verdict(self, verdict: Verdict, turn: int, *, is_idle: bool = False) -> Standing:
        """With one more verdict: one that tells nothing leaves what is known as it is.

        ``is_idle`` marks a ban that was kept by doing something else: that is no amends for having broken it just now.
        """
        is_kept, is_recent = verdict.state is RuleState.KEPT, turn - self.touched < _AMENDS_TURNS
        if is_idle and is_kept and is_recent and self.state is RuleState.BROKEN:
            return self
        if verdict.state in {RuleState.KEPT, RuleState.BROKEN}:
            is_broken = verdict.state is RuleState.BROKEN
            since = (self.since or verdict.message) if is_broken else ""
            return replace(
                self,
                state=verdict.state,
                score=verdict.score,
                message=verdict.message,
                evidence=verdict.evidence,
                since=since,
                times=self.times + is_broken,
                broken=verdict.message if is_broken else self.broken,
                breach=verdict.evidence if is_broken else self.breach,
                touched=turn,
            )
        if self.state is RuleState.BROKEN and verdict.score >= _SEEMS_KEPT and not is_recent:
            return replace(self, state=verdict.state, score=verdict.score, since="")
        is_first = self.state in {RuleState.UNKNOWN, RuleState.NOT_APPLICABLE}
        return replace(self, state=verdict.state, score=verdict.score) if is_first else self

    def forgetting(self, first: int) -> Standing:
        """Without what messages from a number on showed: they are no longer so."""
        shown = [message_number(id) for id in (self.message, self.since, self.broken) if id]
        return Standing(touched=self.touched, asked=self.asked) if any(number >= first for number in shown) else self

    def lapse(self, turns: int) -> str:
        """What there is to remind of after so many replies: a name for the occasion, or nothing."""
        if self.state is RuleState.BROKEN:
            return f"broken@{self.since}"
        return f"idle@{self.touched}" if turns - self.touched >= UNTOUCHED_TURNS else ""
