"""Packing a session: from the ledger to what is sent. Reading only: nothing is stored by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.codecs import jsonio, registry
from clew.digests.story import render_story
from clew.digests.trio import within
from clew.domain import Json, Message, Repair, Role
from clew.errors import BudgetExceeded, UsageError
from clew.history.fold import History
from clew.history.normalise import normalised
from clew.packing.formats import FORMATS
from clew.packing.pack import LeftOut, Plan, digest_of, left_out, planned, planned_text
from clew.packing.snapshot import Told
from clew.ports import Tokenizer
from clew.rules import repair as repaired
from clew.tokens.counting import count_message
from clew.tokens.models import model as model_info

if TYPE_CHECKING:
    from clew.engine.session import Session

#: The model whose count is used where a session does not name one of the provider's.
_USUAL = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}
#: Headers never take more of a budget than this: the oldest roll up into eras. Nor does the story.
_HEADERS_SHARE, _STORY_SHARE = 0.05, 0.1
_FAMILY = {"anthropic": "claude", "gemini": "gemini"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """A section as a report shows it."""

    name: str
    layer: int
    tokens: int
    sources: tuple[str, ...]


class Pack:
    """What to send for one turn. Made for a provider when it is asked for; the same every time."""

    def __init__(self, session: Session, query: str | None, *, budget: int, history: History) -> None:
        self._session, self._query, self._history = session, query or "", history
        self.session, self.budget, self.epoch = session.id, budget, 0
        self._made: dict[str, tuple[Json | str, Plan, tuple[Repair, ...]]] = {}

    def request(self, provider: str) -> Json:
        """The provider's request: messages, system and tools as it wants them."""
        body = self._of(provider)[0]
        assert isinstance(body, dict)
        return body

    @property
    def text(self) -> str:
        """The pack as one text, for models and tools that take nothing else."""
        body = self._of("text")[0]
        assert isinstance(body, str)
        return body

    def tokens(self, target: str = "text") -> int:
        return self._of(target)[1].tokens

    def digest(self, target: str = "text") -> str:
        body = self._of(target)[0]
        return digest_of(body.encode() if isinstance(body, str) else jsonio.dumps(body))

    def sections(self, target: str = "text") -> tuple[Sized, ...]:
        """What the pack is made of, with tokens and the ids each section was drawn from."""
        plan, count = self._of(target)[1], self._tokenizer(target).count
        format = FORMATS[target]
        sized = [
            Sized(name=s.name, layer=s.layer, tokens=count(format(s)), sources=s.sources)
            for s in plan.sections
            if s.text
        ]
        rest = plan.tokens - sum(section.tokens for section in sized)
        if plan.messages:
            ids = tuple(message.id for message in plan.messages if message.id)
            sized.append(Sized(name="messages", layer=1, tokens=max(rest, 0), sources=ids))
        return tuple(sized)

    def left_out(self, target: str = "text") -> tuple[LeftOut, ...]:
        """Every segment that is not sent word for word, with what stands for it and why."""
        plan = self._of(target)[1]
        if plan.messages and not plan.sections:
            return ()
        first = int(plan.first_whole[1:]) if plan.first_whole else 0
        shown = {source for section in plan.sections for source in section.sources}
        return left_out(self._session.outline(), first, shown)

    def repairs(self, provider: str) -> tuple[Repair, ...]:
        return self._of(provider)[2]

    # ── making ───────────────────────────────────────────────────────────────────────────────────────

    def _of(self, target: str) -> tuple[Json | str, Plan, tuple[Repair, ...]]:
        if target not in FORMATS:
            raise UsageError(f"cannot pack for {target!r}; there are {', '.join(FORMATS)}")
        if target not in self._made:
            self._made[target] = self._text() if target == "text" else self._request(target)
        return self._made[target]

    def _text(self) -> tuple[str, Plan, tuple[Repair, ...]]:
        count = self._tokenizer("text").count
        messages = [message for message in self._history.prompt_view() if message.role is not Role.SYSTEM]
        text, plan = planned_text(messages, self._told(), self._query, budget=self.budget, count=count)
        return text, plan, ()

    def _request(self, provider: str) -> tuple[Json, Plan, tuple[Repair, ...]]:
        tokenizer, encoder = self._tokenizer(provider), registry.encoder(provider)
        messages, repairs = normalised(self._history.prompt_view())
        system, rest = _split(messages)
        extra = _extra(system, self._history, tokenizer)
        plan = planned(
            rest, self._told(), self._query, budget=self.budget, tokenizer=tokenizer, provider=provider, extra=extra
        )
        sent, more = normalised(plan.messages)
        body, last = repaired(encoder.encode((*system, *sent), tools=self._history.tools).body, provider)
        if plan.tokens > self.budget:
            raise BudgetExceeded(self.budget, {"pack": plan.tokens})
        return body, plan, (*repairs, *more, *last)

    def _told(self) -> Told:
        config, digested = self._session.engine.config.digests, self._session.digested()
        room = int(self.budget * _HEADERS_SHARE)
        story = render_story(digested.story(), min(config.story_tokens, int(self.budget * _STORY_SHARE)))
        headers = within([one.header for one in digested.trios()], max_headers=config.max_headers, max_tokens=room)
        lines = [(one.id, one.line) for one in headers]
        return Told(session=self.session, root=self._session.info.cwd, story=story, headers=lines)

    def _tokenizer(self, target: str) -> Tokenizer:
        """The session's model where it is one of the provider's, else the provider's usual one."""
        engine, own = self._session.engine, self._session.info.model
        family = _FAMILY.get(target)
        if family is None:
            return engine.tokenizer("text")
        return engine.tokenizer(own if model_info(own).family == family else _USUAL[target])


def _split(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    at = next((at for at, message in enumerate(messages) if message.role is not Role.SYSTEM), len(messages))
    return tuple(messages[:at]), tuple(messages[at:])


def _extra(system: Sequence[Message], history: History, tokenizer: Tokenizer) -> int:
    """What the caller's system prompt and tools take; they are sent byte for byte."""
    tools = sum(
        tokenizer.count(jsonio.dumps([tool.name, tool.description, tool.schema]).decode()) for tool in history.tools
    )
    return sum(count_message(message, tokenizer) for message in system) + tools
