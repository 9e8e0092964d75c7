"""What a check looks at and what it says: the turn, what one demand found in it, and the verdict on a rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from clew.domain import Call, RuleState
from clew.signals.adherence.checks.reply import Reply
from clew.signals.adherence.checks.work import Work
from clew.text.stems import topic_stems


@dataclass(frozen=True)
class CheckedTurn:
    """One exchange or step: what a person asked, what the assistant said and did.

    ``message`` is the id of the reply; ``makers`` are those of the messages that made the calls, where they are
    known. ``earlier`` are a few requests before this one, newest last: leave that was given there still holds.
    ``is_final`` says that the assistant has ended its answer here; what it says between two calls is no answer.
    """

    request: str = ""
    reply: str = ""
    calls: tuple[Call, ...] = ()
    message: str = ""
    makers: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    is_final: bool = True

    @cached_property
    def parsed_reply(self) -> Reply:
        return Reply(self.reply)

    @cached_property
    def request_stems(self) -> frozenset[str]:
        """The stems of the request."""
        return frozenset(topic_stems(self.request))

    @cached_property
    def work(self) -> Work:
        return Work(self.calls, self.parsed_reply.fences)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one demand found: ``score`` 1 for kept and 0 for broken, and how sure it is.

    One that is not ``sure`` leaves the state unknown. ``applies`` is False where there was nothing to judge. ``call``
    is the place of the call that shows it, or -1 for the reply.
    """

    score: float = 0.5
    sure: bool = True
    evidence: str = ""
    applies: bool = True
    call: int = -1


#: Nothing in the turn that the rule is about.
NOTHING = Judgement(applies=False)
KEPT = Judgement(1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a rule fared in one turn: ``score`` 1 for kept, 0 for broken, near .5 where nobody knows.

    ``evidence`` is a short quotation of the reply or the deed, ``message`` the id of the message it stands in.
    """

    rule: str
    state: RuleState
    score: float = 0.5
    evidence: str = ""
    message: str = ""
    kind: str = "instruction"
