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
from clew.packing.inputs import Input
from clew.packing.pack import LeftOut, digest_of, left_out
from clew.ports import Tokenizer
from clew.tokens.models import model as model_info

if TYPE_CHECKING:
    from clew.engine.session import Session

#: The model whose count is used where a session does not name one of the provider's.
_USUAL = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}
_FAMILY = {"anthropic": "claude", "gemini": "gemini"}


class Pack:
    """What to send. The same for a provider every time it is asked; what it is made of (``tokens``, ``sections`` and
    so on) is told of the one that was asked for last, the text if none was."""

    def __init__(self, session: Session, input: Input | None, *, budget: Budget, record: bool) -> None:
        self._session, self._input, self._record, self._budget = session, input, record, budget
        self._asked = input.messages() if input else ()
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
        return (*left_out(self._session.outline(), made.epoch.cut, shown), *shortened)

    def _shortened(self, made: Made) -> Iterator[LeftOut]:
        for message in made.tail:
            for output in message.outputs:
                if blob := named_blob(output.text):
                    whole = self._session.recall(blob)[0]
                    yield LeftOut(blob, "curated", whole.tokens, f"output in {message.id}, shortened")

    @property
    def repairs(self) -> tuple[Repair, ...]:
        return self._of(self.target).repairs

    def _of(self, target: str) -> Made:
        if target not in FORMATS:
            raise UsageError(f"cannot pack for {target!r}; there are {', '.join(FORMATS)}")
        if target not in self._made:
            system, tools = self._session.outgoing.system_and_tools()
            turn = Turn(system=system, tools=tools, budget=self._budget, input=self._input, asked=self._asked)
            line = self._session.line(target, self.budget, self._tokenizer(target))
            self._made[target] = line.made(turn, record=self._record)
        self.target = target
        return self._made[target]

    def _tokenizer(self, target: str) -> Tokenizer:
        """The session's model where it is one of the provider's, else the provider's usual one."""
        engine, own = self._session.engine, self._session.info.model
        family = _FAMILY.get(target)
        if family is None:
            return engine.tokenizer("text")
        return engine.tokenizer(own if model_info(own).family == family else _USUAL[target])
