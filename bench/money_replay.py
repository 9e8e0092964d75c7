"""A session told call by call to Clew: what would be sent each time, what it costs, and what had to be read again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import clew
from bench.money_items import MODEL, PROVIDER, ModelCall, Reader
from bench.money_needs import NameIndex, Rereading, is_line, lines_replaced, names_used
from bench.money_policies import SYSTEM_TOKENS, Bill, Prompt
from clew.config import Config
from clew.domain import Json, Message
from clew.domain.ids import message_number
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.history.user_requests import is_request

WINDOW = 200_000
#: Sections that every pack may have; others are a snapshot's.
_PLAIN_SECTIONS = {"system", "messages", "retrieved", "input"}


@dataclass(frozen=True, slots=True)
class Compaction:
    """At which call and after how many of the person's requests, and the conversation's tokens before and after."""

    call: int
    request: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """One session at one setting.

    ``sent`` is what left; ``charged`` has besides it what the assistant would have had to read again for names that a
    compaction had put away; ``all_charged`` also for names that were shortened away when they were recorded, and for
    lines that it replaced and was no longer shown. ``needs``, ``rereads`` and ``reread_tokens`` are those of
    ``charged``. ``broken`` are calls that did not begin with all of the one before, though no epoch ended.
    """

    sent: Bill
    charged: Bill
    all_charged: Bill
    compactions: tuple[Compaction, ...]
    needs: int
    rereads: int
    reread_tokens: int
    broken: int
    switch_ms: tuple[float, ...] = field(compare=False)
    ordinary_ms: tuple[float, ...] = field(compare=False)


class MessageClock:
    """The time of the message told last: what went cold in the session goes cold here."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at


def replay_session(asks: Sequence[ModelCall], config: Config, reader: Reader, *, window: int = WINDOW) -> ReplayResult:
    """Tells a session and asks for each call what would be sent."""
    clock = MessageClock()
    with clew.open(":memory:", config=config, clock=clock) as engine:
        session = engine.session("replayed", model=MODEL, window=window)
        session.record(system=system_prompt(reader))
        return _Replay(engine, session, clock, reader).run(asks)


def system_prompt(reader: Reader) -> str:
    """A text of as many tokens as a coding assistant's system prompt and tools have; it holds no names."""
    line = "Be brief and exact. Say what was done and what was not. Ask before anything is removed.\n"
    return line * (SYSTEM_TOKENS // reader.tokens(line))


class _Replay:
    """The state of one replay; ``run`` may be called once."""

    def __init__(self, engine: Engine, session: Session, clock: MessageClock, reader: Reader) -> None:
        self._engine, self._session, self._clock, self._reader = engine, session, clock, reader
        self._known, self._epoch, self._requests, self._new = NameIndex(), 0, 0, 0
        self._items: list[Json] = []
        self._sizes: list[int] = []
        self._shown: set[str] = set()
        self._put_away, self._all = Rereading(), Rereading()
        self._bills: tuple[list[Prompt], list[Prompt], list[Prompt]] = ([], [], [])
        self._compactions: list[Compaction] = []
        self._times: tuple[list[float], list[float]] = ([], [])
        self._broken = 0

    def run(self, asks: Sequence[ModelCall]) -> ReplayResult:
        for call, ask in enumerate(asks):
            self._new = 0
            for message in ask.messages:
                self._tell(message)
            self._ask(call, ask.reply)
        sent, charged, all_charged = map(tuple, self._bills)
        ordinary, switch = map(tuple, self._times)
        return ReplayResult(
            sent=sent,
            charged=charged,
            all_charged=all_charged,
            compactions=tuple(self._compactions),
            needs=self._put_away.needs,
            rereads=self._put_away.rereads,
            reread_tokens=self._put_away.tokens,
            broken=self._broken,
            switch_ms=switch,
            ordinary_ms=ordinary,
        )

    def _tell(self, message: Message) -> None:
        self._clock.at = max(self._clock.at, message.at or 0.0)
        self._session.record([message])
        place = self._session.info.messages
        for source in self._reader.outputs(message, place):
            self._known.add_output(source)
        self._known.add_message(self._reader.words(message, place))
        self._requests += is_request(message)
        self._new += sum(item.tokens for item in self._reader.items(message))

    def _ask(self, call: int, reply: Message) -> None:
        self._engine.wait()  # a model takes longer to reply than this takes
        began = time.perf_counter()
        pack = self._session.pack(target=PROVIDER)
        items = pack.request(PROVIDER)["messages"]
        taken = (time.perf_counter() - began) * 1000
        before, has_switched = sum(self._sizes) + self._new, pack.epoch != self._epoch
        is_compaction = has_switched and any(one.name not in _PLAIN_SECTIONS for one in pack.sections)
        self._times[is_compaction].append(taken)
        prompt = self._sent(items, has_switched=has_switched)
        if is_compaction:
            after = prompt.tokens - SYSTEM_TOKENS
            self._compactions.append(Compaction(call, self._requests, before - SYSTEM_TOKENS, after))
        self._epoch = pack.epoch
        self._charge(prompt, reply, _cut(pack))

    def _sent(self, items: list[Json], *, has_switched: bool) -> Prompt:
        """What the cache has of a request, and what not; everything that it shows is known from now on."""
        pairs = enumerate(zip(self._items, items, strict=False))
        shorter = min(len(self._items), len(items))
        equal = next((at for at, (before, now) in pairs if before is not now and before != now), shorter)
        if has_switched:
            self._put_away.forget()
            self._all.forget()
        elif equal < len(self._items):
            self._broken += 1
        if equal < len(self._items):
            self._shown = set().union(*map(self._reader.item_names, items[:equal]))
        self._shown.update(*map(self._reader.item_names, items[equal:]))
        self._items, self._sizes = items, [*self._sizes[:equal], *map(self._reader.item_tokens, items[equal:])]
        return Prompt(sum(self._sizes[:equal]), sum(self._sizes[equal:]))

    def _charge(self, prompt: Prompt, reply: Message, cut: int) -> None:
        needs = self._known.missing(names_used(reply) | lines_replaced(reply), self._shown)
        put_away = {
            name: source for name, source in needs.items() if not is_line(name) and self._known.last(name) < cut
        }
        sent, charged, all_charged = self._bills
        sent.append(prompt)
        charged.append(self._put_away.charge(prompt, self._put_away.fetch(put_away)))
        all_charged.append(self._all.charge(prompt, self._all.fetch(needs)))


def _cut(pack: Pack) -> int:
    """The number of the first message that follows the snapshot."""
    ids = [id for section in pack.sections if section.name == "messages" for id in section.sources]
    return min((message_number(id) for id in ids), default=1)
