"""A pack: what to send for one turn, made for a provider when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.codecs import jsonio
from clew.curation import named_blob
from clew.domain import Json, Repair, Shown
from clew.engine.turns import Made, Turn
from clew.errors import UsageError
from clew.packing.allocation import Budget
from clew.packing.formats import FORMATS
from clew.packing.inputs import Input, is_same
from clew.packing.pack import LeftOut, digest_of, left_out
from clew.ports import Tokenizer
from clew.tokens.models import model as model_info

if TYPE_CHECKING:
    from clew.engine.session import Session

#: The model whose count is used where a session does not name one of the provider's.
_USUAL = {
    "anthropic": "claude-sonnet-4-5",
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
}
_FAMILIES = {
    "anthropic": {"claude"},
    "openai-chat": {"gpt", "gpt-4"},
    "openai-responses": {"gpt", "gpt-4"},
    "gemini": {"gemini"},
}


class Pack:
    """What to send. The same for a provider every time it is asked; what it is made of (``tokens``, ``sections`` and
    so on) is told of the one that was asked for last, the text if none was."""

    def __init__(self, session: Session, input: Input | None, *, budget: Budget, record: bool) -> None:
        self._session, self._input, self._record, self._budget = session, input, record, budget
        self._asked, self._at = session.outgoing.words(input, record=record), session.info.messages
        self.session, self.budget, self.target = session.id, budget.total, "text"
        self._made: dict[str, Made] = {}

    def request(self, provider: str) -> Json:
        """The provider's request: messages, system and tools as it wants them."""
        if provider == "text":
            raise UsageError("a text is no request; take pack.text")
        body = self._of(provider).body
        assert isinstance(body, dict)
        return body

    @property
    def text(self) -> str:
        """The pack as one text, for models and tools that take nothing else."""
        body = self._of("text").body
        assert isinstance(body, str)
        return body

    @property
    def tokens(self) -> int:
        return self._of(self.target).tokens

    @property
    def epoch(self) -> int:
        return self._of(self.target).epoch.number

    @property
    def digest(self) -> str:
        body = self._of(self.target).body
        return digest_of(body.encode() if isinstance(body, str) else jsonio.dumps(body))

    @property
    def sections(self) -> tuple[Shown, ...]:
        """What the pack is made of, with tokens and the ids each section was drawn from."""
        return self._of(self.target).sections

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Every segment that is not sent word for word, every shortened output: what stands for it and why."""
        made = self._of(self.target)
        shortened = tuple(self._shortened(made))
        if not made.epoch.snapshot:
            return shortened
        shown = {source for section in made.epoch.sections for source in section.sources}
        return (*left_out(self._session.outline(), made.epoch.sends, shown), *shortened)

    def _shortened(self, made: Made) -> Iterator[LeftOut]:
        for message in made.tail:
            for output in message.outputs:
                blob = named_blob(output.text)
                whole = self._session.outgoing.rows().blob(blob) if blob else None
                if blob and whole is not None:
                    known = self._session.outgoing.form(message, blob)
                    tokens = known["tokens"] if known else self._session.engine.count(whole)
                    yield LeftOut(blob, "curated", tokens, f"output in {message.id or 'the input'}, shortened")

    @property
    def repairs(self) -> tuple[Repair, ...]:
        return self._of(self.target).repairs

    def _of(self, target: str) -> Made:
        if target not in FORMATS:
            raise UsageError(f"cannot pack for {target!r}; there are {', '.join(FORMATS)}")
        if target not in self._made:
            line = self._session.line(target, self.budget, tokenizer_of(self._session, target))
            self._made[target] = line.made(self._turn(target), record=self._record)
        self.target = target
        return self._made[target]

    def _turn(self, target: str) -> Turn:
        """A text is about the conversation: whoever takes it has a system prompt of their own."""
        system, tools = self._session.outgoing.system_and_tools() if target != "text" else ((), ())
        input, asked = (None, ()) if self._is_recorded() else (self._input, self._asked)
        return Turn(system=system, tools=tools, budget=self._budget, input=input, asked=asked)

    def _is_recorded(self) -> bool:
        """True when the caller recorded the input after asking for the pack, and before taking it."""
        last = self._session.info.messages
        since = self._session.read_range(self._at + 1, last) if self._asked and last > self._at else []
        return any(is_same(message, self._asked) for message in since)


def home_of(model: str) -> str:
    """The provider whose model it is; the Messages API where nobody knows."""
    family = model_info(model).family
    return next((target for target, families in _FAMILIES.items() if family in families), "anthropic")


def tokenizer_of(session: Session, target: str) -> Tokenizer:
    """The session's model where it is one of the provider's, else the provider's usual one."""
    own = session.info.model
    if target == "text":
        return session.engine.tokenizer(target)
    return session.engine.tokenizer(own if model_info(own).family in _FAMILIES[target] else _USUAL[target])
