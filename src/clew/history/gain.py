"""What Clew saves: for each call of a model what was sent, as its provider counted it, and what would have been sent.

Only the first is measured. The second goes on from the last request that was sent whole by what was recorded since, in
tokens of the provider as the session's whole requests have shown them. Its cache is taken to work as that of what was
sent did; where a compaction of Clew's has broken that, as if it had not. A conversation that would have outgrown the
window would have been compacted without Clew too: from there on it is as large as what was sent, and nothing is saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from clew.domain import Call, ContextReport, Message, Output, Usage
from clew.ports import MessageChange, Rows
from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for

_GAIN = "gain/"
#: Where it is noted that a hook has made an output of a session smaller, before anybody has read its file.
SHORTENED = "shortened"
UNKNOWN = "(unknown)"
#: Sizes of prompts from which models cost more; calls of different sizes are summed up apart.
SIZES = (0, 100_000, 200_000, 272_000)
#: Seconds that a prompt stays in a provider's cache, and in one for which an hour is paid.
_CACHE_SECONDS, _HOUR_SECONDS = 300, 3_600
#: Tokens that whole requests have grown by before they tell how the provider counts.
_LEAST_GROWTH = 1_000
#: The last word in the names of tools that give back what a prompt has left out.
_FETCHING = ("retrieve_context", "search_context")
_MOST_FETCHING = 50
_FETCHING_COMMAND = re.compile(r"^\s*clew (?:show|search) ")
#: How an output ends that a hook has made smaller: the command is for readers who have a shell.
_SHORTENED = re.compile(r"\[clew: [^\n]{1,80} shown; whole: (b[0-9a-f]{12}) \(clew show \S{1,80} \1\)\]\Z")


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


@dataclass(slots=True)
class GainState:
    """What is known of a session's calls, in tokens of its provider.

    ``would``, ``sent``: the last request as it would have been, and as it was; ``at``: when, ``total``: the recorded
    conversation then. ``grown`` and ``recorded``: what whole requests of ``model`` have grown by, as the provider and
    the record count it. ``kept_out``: recorded tokens that hooks have kept out, ``added``: those that whole requests
    have beyond the client's own, of calls that Clew has answered. ``starts_epoch``: the next request
    begins otherwise than the last, because of Clew. ``fetching``: calls whose outputs have yet to come; ``fetches``,
    ``fetched`` and ``reread``: what came since the last reply. ``number``, ``row`` and ``sums``: the newest reply and
    what it has added, and ``before`` the state before it.
    """

    would: int = 0
    sent: int = 0
    at: float = 0.0
    total: int = 0
    model: str = ""
    grown: int = 0
    recorded: int = 0
    is_whole: bool = False
    is_cached: bool = False
    is_kept_long: bool = False
    kept_out: int = 0
    added: int = 0
    starts_epoch: bool = False
    fetching: list[str] = field(default_factory=list)
    fetches: int = 0
    fetched: int = 0
    reread: int = 0
    number: int = 0
    is_handed_in: bool = False
    row: str = ""
    sums: list[int] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Tokens of the provider for a recorded one."""
        return self.grown / self.recorded if self.recorded >= _LEAST_GROWTH else 1.0


#: What a reply changes, and one that grows changes anew.
_OF_CALL = (
    *("would", "sent", "at", "total", "model", "grown", "recorded", "is_whole", "is_cached", "is_kept_long"),
    *("starts_epoch", "fetches", "fetched", "reread"),
)


class Prompt(NamedTuple):
    """How a session's prompt stands when a message comes: recorded tokens, whether packs of Clew's are sent, the first
    message that they send whole, 0 where nothing was compacted, what that freed, and the window, 0 for none.
    """

    total: int
    is_packed: bool
    tail_start: int
    freed: int
    window: int


def gain_rows(rows: Rows, since: str = "") -> Iterator[GainRow]:
    """Yields the sums of a session from a day on."""
    for name, sums in rows.scan(_GAIN + since, _GAIN + "~"):
        _, day, sizes, model = name.split("/", 3)
        yield GainRow(day, model, SIZES[int(sizes[0])], SIZES[int(sizes[1])], GainSums(*sums))


# ── what tools gave back ─────────────────────────────────────────────────────────────────────────────


def note_tools(change: MessageChange, known: GainState, prompt: Prompt, rows: Rows) -> None:
    """Takes in calls that fetch something back, what they gave, what was read again, and what hooks kept out."""
    for part, tokens in zip(change.message.parts, change.tokens, strict=True):
        if isinstance(part, Call) and _fetches(part):
            known.fetching = [*known.fetching, part.id][-_MOST_FETCHING:]
        elif isinstance(part, Output):
            if part.call_id in known.fetching:
                known.fetching = [id for id in known.fetching if id != part.call_id]
                known.fetches, known.fetched = known.fetches + 1, known.fetched + tokens
            elif prompt.tail_start and _is_read_again(change.number, prompt.tail_start, rows):
                known.reread += tokens
            known.kept_out += _kept_out(part.text, tokens, rows)


def _fetches(call: Call) -> bool:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    command = arguments.get("command", arguments.get("cmd", ""))
    return call.name.endswith(_FETCHING) or (isinstance(command, str) and bool(_FETCHING_COMMAND.match(command)))


def _is_read_again(number: int, tail_start: int, rows: Rows) -> bool:
    """Whether an output repeats one that was compacted away, as curation has found."""
    forms = rows.of("forms").get(f"{number:09d}") or {}
    before = [number for form in forms.values() for number in (*form.get("same", ()), *form.get("like", ())[:1])]
    return any(number < tail_start for number in before)


def _kept_out(text: str, tokens: int, rows: Rows) -> int:
    """Tokens that a hook has kept out of an output. A marker that leads nowhere was not written by Clew."""
    match = _SHORTENED.search(text, max(len(text) - 300, 0)) if text.endswith(")]") else None
    whole = rows.blob(match[1]) if match else None
    return max(tokenizer_for(STORED_MEASURE).count(whole) - tokens, 0) if whole else 0


# ── replies ──────────────────────────────────────────────────────────────────────────────────────────


def note_reply(change: MessageChange, known: GainState, prompt: Prompt, rows: Rows) -> None:
    """Takes in a reply, or more of the newest one: the last count of its provider holds."""
    message = change.message
    if change.grows:
        is_newest = change.number == known.number and change.is_handed_in >= known.is_handed_in
        if message.usage is None or not is_newest:  # a client's file tells what the client was told
            return
        _take_back(known, rows)
    known.number, known.is_handed_in, known.row, known.sums = change.number, change.is_handed_in, "", []
    known.before = [getattr(known, name) for name in _OF_CALL]
    is_ours = change.is_handed_in and prompt.is_packed
    if message.usage is not None and message.usage.input_tokens:
        sums = _count(known, change.message, message.usage, prompt, is_ours=is_ours)
    else:
        sums = GainSums(calls=1, uncounted=1)
    if is_ours or known.kept_out:
        sums.fetches, sums.fetched, sums.reread = known.fetches, known.fetched, known.reread
        known.fetches = known.fetched = known.reread = 0
        _add(known, sums, message.at, rows)


def note_answered_calls(known: GainState, report: ContextReport, asked: Usage, rows: Rows) -> None:
    """Clew has answered calls of the newest reply: its counts are those of several requests, of which the client's own
    was ``asked``. A whole conversation would have been that alone; the rest of this epoch has the answers in it.
    """
    if not known.row:
        return
    sums, before = GainSums(*known.sums), dict(zip(_OF_CALL, known.before, strict=True))
    _take_sums_back(known, rows)
    if known.is_whole:
        more = sums.sent - asked.input_tokens
        known.grown -= more if known.recorded > before["recorded"] else 0
        known.would = sums.would_send = max(sums.would_send - more, 0)
        sums.would_read, sums.would_write = asked.cache_read_tokens, asked.cache_write_tokens
        sums.would_write_1h = asked.cache_write_1h_tokens
        known.added += report.fetched
    known.sent = asked.input_tokens
    sums.fetches, sums.fetched = sums.fetches + report.fetches, sums.fetched + report.fetched
    _add(known, sums, known.at, rows)


def note_own_compaction(known: GainState, *, beside: int, total: int) -> None:
    """The client has compacted by itself: it goes on with what it sends ``beside`` the conversation, and with what
    comes behind its first ``total`` tokens."""
    known.would, known.total, known.kept_out, known.is_whole = beside, total, 0, False


def _take_back(state: GainState, rows: Rows) -> None:
    for name, value in zip(_OF_CALL, state.before, strict=True):
        setattr(state, name, value)
    if state.row:
        _take_sums_back(state, rows)


def _take_sums_back(state: GainState, rows: Rows) -> None:
    sums = GainSums(*(rows.get(state.row) or ()))
    sums.add(GainSums(*state.sums), -1)
    rows.put(state.row, sums.values)


def _add(state: GainState, added: GainSums, time: float | None, rows: Rows) -> None:
    day = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d") if time else UNKNOWN
    sizes = "".join(str(sum(size > least for least in SIZES[1:])) for size in (added.sent, added.would_send))
    state.row, state.sums = f"{_GAIN}{day}/{sizes}/{state.model or UNKNOWN}", added.values
    sums = GainSums(*(rows.get(state.row) or ()))
    sums.add(added)
    rows.put(state.row, sums.values)


def _count(state: GainState, message: Message, usage: Usage, prompt: Prompt, *, is_ours: bool) -> GainSums:
    """The sums of one call, and what the next is compared with."""
    is_short, sent, time = is_ours and bool(prompt.tail_start), usage.input_tokens, message.at or 0.0
    if message.model and message.model != state.model:
        state.model, state.grown, state.recorded = message.model, 0, 0
    elif state.is_whole and not is_short and prompt.total > state.total and sent > state.sent:
        state.grown, state.recorded = state.grown + sent - state.sent, state.recorded + prompt.total - state.total
    would = (
        _would_send(state, prompt, sent)
        if is_short
        else max(sent + round((state.kept_out - state.added) * state.ratio), 0)
    )
    if prompt.window and would > max(prompt.window, sent):
        would = sent
    state.is_cached = state.is_cached or bool(usage.cache_read_tokens or usage.cache_write_tokens)
    read, written, written_1h = _would_cache(state, usage, would, time)
    state.would, state.sent, state.total, state.at = would, sent, _whole(state, prompt), time
    state.is_whole, state.starts_epoch, state.is_kept_long = not is_short, False, bool(usage.cache_write_1h_tokens)
    return GainSums(
        calls=1,
        sent=sent,
        read=usage.cache_read_tokens,
        written=usage.cache_write_tokens,
        written_1h=usage.cache_write_1h_tokens,
        output=usage.output_tokens,
        would_send=would,
        would_read=read,
        would_write=written,
        would_write_1h=written_1h,
    )


def _whole(state: GainState, prompt: Prompt) -> int:
    return prompt.total + state.kept_out


def _would_send(state: GainState, prompt: Prompt, sent: int) -> int:
    """What the conversation would take, from the last call on. Of one whose first call was compacted already, the
    compaction says what it freed."""
    if not state.would:
        return sent + prompt.freed
    return max(state.would + round((_whole(state, prompt) - state.total) * state.ratio), 0)


def _would_cache(state: GainState, usage: Usage, would: int, time: float) -> tuple[int, int, int]:
    """What of it would have been read from the cache, written there, and written for an hour."""
    sent, read, written = usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens
    if would == sent:
        return read, written, usage.cache_write_1h_tokens
    share = min(read / state.sent, 1.0) if state.sent else 0.0
    if state.starts_epoch:
        lasts = _HOUR_SECONDS if state.is_kept_long else _CACHE_SECONDS
        share = float(state.is_cached and time - state.at <= lasts)
    would_read = min(round(state.would * share), would)
    would_write = round((would - would_read) * written / (sent - read)) if sent > read else 0
    return would_read, would_write, round(would_write * usage.cache_write_1h_tokens / written) if written else 0
