"""Values that gains are counted by: sums of calls, and what is known of a session's calls, in its provider's tokens."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from clew.domain import Usage

#: Tokens that whole requests have grown by before they tell how the provider counts.
_LEAST_GROWTH = 1_000


@dataclass(slots=True)
class GainSums:
    """Sums over calls. ``uncounted`` are calls of which the provider said nothing: all else leaves them out. Tokens of
    ``fetched`` and ``reread`` are counted here.
    """

    calls: int = 0
    uncounted: int = 0
    sent: int = 0
    read: int = 0
    written: int = 0
    written_1h: int = 0
    output: int = 0
    would_send: int = 0
    would_read: int = 0
    would_write: int = 0
    would_write_1h: int = 0
    fetches: int = 0
    fetched: int = 0
    reread: int = 0

    @property
    def values(self) -> list[int]:
        """The sums in their order."""
        return [getattr(self, name) for name in self.__slots__]

    def add(self, other: GainSums, factor: int = 1) -> None:
        """Adds other sums, or takes them off."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + factor * getattr(other, name))

    @property
    def usage(self) -> Usage:
        """What was sent and answered, as providers counted it."""
        return Usage(self.sent, self.output, self.read, self.written, self.written_1h)

    @property
    def would_be_usage(self) -> Usage:
        """What would have been sent for the same answers."""
        return Usage(self.would_send, self.output, self.would_read, self.would_write, self.would_write_1h)


class GainRow(NamedTuple):
    """The sums of one day and model, of calls of about one size: the smallest that was sent, and would have been."""

    day: str
    model: str
    sent_from: int
    would_from: int
    sums: GainSums


class Prompt(NamedTuple):
    """How a session's prompt stands when a message comes: recorded tokens, whether packs of Clew's are sent, the first
    message that they send whole, 0 where nothing was compacted, what that freed, and the window, 0 for none.
    """

    total: int
    is_packed: bool
    tail_start: int
    freed: int
    window: int


@dataclass(frozen=True, slots=True)
class LastRequest:
    """The last request: what was ``sent``, what ``would`` have been, and what the client's own ``history`` took, which
    no window ends. ``at``: when, ``total``: the recorded conversation then. It ``is_whole`` where nothing of that was
    compacted; the provider has a cache if it ``is_cached``, and the last one ``is_kept_long`` there.
    """

    sent: int = 0
    would: int = 0
    history: int = 0
    at: float = 0.0
    total: int = 0
    is_whole: bool = False
    is_cached: bool = False
    is_kept_long: bool = False


@dataclass(frozen=True, slots=True)
class Growth:
    """What whole requests of a model have grown by, as the provider has ``counted`` it and as it was ``recorded``."""

    model: str = ""
    counted: int = 0
    recorded: int = 0

    @property
    def ratio(self) -> float:
        """Tokens of the provider for a recorded one."""
        return self.counted / self.recorded if self.recorded >= _LEAST_GROWTH else 1.0


@dataclass(frozen=True, slots=True)
class FetchedBack:
    """What came back since the last reply: ``calls`` that fetched something and their tokens, and what was read
    again.
    """

    calls: int = 0
    tokens: int = 0
    reread: int = 0


@dataclass(frozen=True, slots=True)
class CallState:
    """What a reply changes, and one that grows changes anew. It ``starts_epoch`` where the next request begins
    otherwise than the last, because of Clew.
    """

    request: LastRequest = LastRequest()
    growth: Growth = Growth()
    fetched: FetchedBack = FetchedBack()
    starts_epoch: bool = False


@dataclass(frozen=True, slots=True)
class CountedReply:
    """The newest reply: what it has added to the sums of a ``row``, and the state ``before`` it."""

    number: int = 0
    is_handed_in: bool = False
    row: str = ""
    sums: tuple[int, ...] = ()
    before: CallState = CallState()


@dataclass(slots=True)
class GainState:
    """What is known of a session's calls. ``kept_out``: recorded tokens that hooks have kept out, ``added``: those that
    whole requests have beyond the client's own, of calls that Clew has answered. ``fetching``: calls whose outputs have
    yet to come.
    """

    call: CallState = field(default_factory=CallState)
    newest: CountedReply = field(default_factory=CountedReply)
    kept_out: int = 0
    added: int = 0
    fetching: tuple[str, ...] = ()

    def start_epoch(self, *, breaks: bool) -> None:
        """Notes an epoch; one that ``breaks`` begins otherwise than what was sent before."""
        self.call = replace(self.call, starts_epoch=self.call.starts_epoch or breaks)
        self.added = 0

    def grown(self, tokens: int, prompt: Prompt) -> int:
        """Returns what something that took so many tokens at the last request takes now, as all was added to it that
        was recorded since.
        """
        recorded = prompt.total + self.kept_out - self.call.request.total
        return max(tokens + round(recorded * self.call.growth.ratio), 0)

    def history_tokens(self, prompt: Prompt) -> int:
        """Returns what the client's own history takes now; 0 where no request of it was counted."""
        history = self.call.request.history
        return self.grown(history, prompt) if history else 0
