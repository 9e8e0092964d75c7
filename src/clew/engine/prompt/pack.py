"""The pack: what to send for one turn. It is a complete value; other shapes of it are pure renderings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clew.domain import Json, Message, Repair, SectionReport, Tool
from clew.engine.epochs.turn import Turn
from clew.engine.prompt.builder import render_text
from clew.errors import UsageError
from clew.history.repair.rules import repair_history
from clew.packing.formats import FORMATS
from clew.packing.report import Omission
from clew.packing.snapshot import with_snapshot
from clew.packing.valid_request import encode_valid


@dataclass(frozen=True, slots=True, kw_only=True)
class PackContent:
    """Content of a pack before it has a provider's shape: the snapshot, the messages after it, and the turn;
    ``is_whole`` where nothing of the conversation was compacted yet.
    """

    snapshot: str
    messages: tuple[Message, ...]
    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    turn: Turn
    sealed_after: int
    is_whole: bool = False

    def as_text(self) -> str:
        """Renders the content as one text."""
        return render_text(self.snapshot, self.messages, self.turn)

    def as_request(self, provider: str) -> Json:
        """Encodes the content as a valid request of a provider, with the caller's system prompt and tools."""
        request, _, _ = encode_valid(
            self._sent_messages(), provider, system=self.system, tools=self.tools, sealed_after=self.sealed_after
        )
        return request.body

    def as_messages(self) -> tuple[Message, ...]:
        """Returns the content as messages, each call with its output, without the system prompt: for whoever has
        message classes of their own.
        """
        messages, _ = repair_history(self._sent_messages(), sealed_after=self.sealed_after)
        return messages

    def _sent_messages(self) -> tuple[Message, ...]:
        tail = with_snapshot(self.messages, self.snapshot, in_first_message=True)
        return (*tail, *self.turn.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What to send, built for ``target`` within ``budget`` tokens.

    ``sections`` are what it is made of, with tokens and the ids each was drawn from; ``left_out`` is every segment that
    is not sent word for word, every shortened output and every critical item without room, with what stands for it and
    why. ``digest`` is the hash of what was built, and ``counted`` says how its tokens were counted.
    """

    session: str
    target: str
    budget: int
    tokens: int
    epoch: int
    sections: tuple[SectionReport, ...]
    left_out: tuple[Omission, ...]
    repairs: tuple[Repair, ...]
    digest: str
    body: Json | str = field(repr=False)
    content: PackContent = field(repr=False)
    counted: str = ""

    def request(self, provider: str | None = None) -> Json:
        """Returns the request of a provider: messages, system prompt and tools in its format. Nothing is recorded.

        For the target it is what was built. For any other provider the same content is encoded validly, but its tokens
        were not counted. Raises UsageError for ``text`` or an unknown provider.
        """
        body: Json = _copy(self.shared_request(provider))
        return body

    def shared_request(self, provider: str | None = None) -> Json:
        """Returns the same for those who change nothing in it: packs of one stream share what they have in common."""
        wanted = provider or self.target
        if wanted == "text":
            raise UsageError("a text is no request; take pack.text")
        if wanted not in FORMATS:
            raise UsageError(f"cannot pack for {wanted!r}; there are {', '.join(FORMATS)}")
        body: Any = self.body if wanted == self.target else self.content.as_request(wanted)
        if _is_empty(body):
            raise UsageError("the session has nothing to send; record a message first, or give pack an input")
        return dict(body)

    @property
    def is_empty(self) -> bool:
        """True where there is no message to send."""
        return not isinstance(self.body, str) and _is_empty(self.body)

    @property
    def shares(self) -> dict[str, float]:
        """The share of the budget that each branch was given: system, knowledge, conversation and query."""
        return self.content.turn.budget.shares

    @property
    def text(self) -> str:
        """The pack as one text, for models and tools that take nothing else."""
        return self.body if isinstance(self.body, str) else self.content.as_text()


def _copy(value: Any) -> Any:
    """Objects and lists of a request anew: whoever changes what they were handed changes no other pack."""
    if isinstance(value, dict):
        return {name: _copy(item) for name, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _is_empty(request: Json) -> bool:
    return not any(request.get(name) for name in ("messages", "input", "contents"))
