"""What Clew saves: for each call of a model what was sent, as its provider counted it, and what would have been sent.

Only the first is measured. The second goes on from the last request that was sent whole by what was recorded since, in
tokens of the provider as the session's whole requests have shown them. Its cache is taken to work as that of what was
sent did; where a compaction of Clew's has broken that, as if it had not. A conversation that would have outgrown the
window would have been compacted without Clew too: from there on it is as large as what was sent, and nothing is saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import astuple, replace
from datetime import UTC, datetime

from clew.domain import Call, ContextReport, Message, Output, Usage
from clew.history.gain_values import (
    CountedReply,
    FetchedBack,
    GainRow,
    GainState,
    GainSums,
    Growth,
    LastRequest,
    Prompt,
)
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
#: The last word in the names of tools that give back what a prompt has left out.
_FETCHING = ("retrieve_context", "search_context")
_MOST_FETCHING = 50
_FETCHING_COMMAND = re.compile(r"^\s*clew (?:show|search) ")
#: How an output ends that a hook has made smaller: the command is for readers who have a shell.
_SHORTENED = re.compile(r"\[clew: [^\n]{1,80} shown; whole: (b[0-9a-f]{12}) \(clew show \S{1,80} \1\)\]\Z")


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
            known.fetching = (*known.fetching, part.id)[-_MOST_FETCHING:]
        elif isinstance(part, Output):
            back = known.call.fetched
            if part.call_id in known.fetching:
                known.fetching = tuple(id for id in known.fetching if id != part.call_id)
                back = replace(back, calls=back.calls + 1, tokens=back.tokens + tokens)
            elif prompt.tail_start and _is_read_again(change.number, prompt.tail_start, rows):
                back = replace(back, reread=back.reread + tokens)
            known.call = replace(known.call, fetched=back)
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
        newest = known.newest
        is_newest = change.number == newest.number and change.is_handed_in >= newest.is_handed_in
        if message.usage is None or not is_newest:  # a client's file tells what the client was told
            return
        known.call = newest.before
        _take_sums_back(newest, rows)
    known.newest = CountedReply(change.number, change.is_handed_in, before=known.call)
    is_ours = change.is_handed_in and prompt.is_packed
    if message.usage is not None and message.usage.input_tokens:
        sums = _count(known, change.message, message.usage, prompt, is_ours=is_ours)
    else:
        sums = GainSums(calls=1, uncounted=1)
    if is_ours or known.kept_out:
        back = known.call.fetched
        sums.fetches, sums.fetched, sums.reread = back.calls, back.tokens, back.reread
        known.call = replace(known.call, fetched=FetchedBack())
        _add(known, sums, message.at, rows)


def note_answered_calls(known: GainState, report: ContextReport, asked: Usage, rows: Rows) -> None:
    """Clew has answered calls of the newest reply: its counts are those of several requests, of which the client's own
    was ``asked``. A whole conversation would have been that alone; the rest of this epoch has the answers in it.
    """
    newest, last, growth = known.newest, known.call.request, known.call.growth
    if not newest.row:
        return
    sums = GainSums(*newest.sums)
    _take_sums_back(newest, rows)
    if last.is_whole:
        more = sums.sent - asked.input_tokens
        grew = growth.recorded > newest.before.growth.recorded
        growth = replace(growth, counted=growth.counted - (more if grew else 0))
        sums.would_send = max(sums.would_send - more, 0)
        last = replace(last, would=sums.would_send, history=max(last.history - more, 0))
        sums.would_read, sums.would_write = asked.cache_read_tokens, asked.cache_write_tokens
        sums.would_write_1h = asked.cache_write_1h_tokens
        known.added += report.fetched
    known.call = replace(known.call, request=replace(last, sent=asked.input_tokens), growth=growth)
    sums.fetches, sums.fetched = sums.fetches + report.fetches, sums.fetched + report.fetched
    _add(known, sums, last.at, rows)


def note_own_compaction(known: GainState, *, beside: int, total: int) -> None:
    """The client has compacted by itself: it goes on with what it sends ``beside`` the conversation, and with what
    comes behind its first ``total`` tokens."""
    last = replace(known.call.request, would=beside, history=beside, total=total, is_whole=False)
    known.call, known.kept_out = replace(known.call, request=last), 0


def _take_sums_back(reply: CountedReply, rows: Rows) -> None:
    if reply.row:
        sums = GainSums(*(rows.get(reply.row) or ()))
        sums.add(GainSums(*reply.sums), -1)
        rows.put(reply.row, astuple(sums))


def _add(state: GainState, added: GainSums, time: float | None, rows: Rows) -> None:
    day = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d") if time else UNKNOWN
    sizes = "".join(str(sum(size > least for least in SIZES[1:])) for size in (added.sent, added.would_send))
    row = f"{_GAIN}{day}/{sizes}/{state.call.growth.model or UNKNOWN}"
    state.newest = replace(state.newest, row=row, sums=astuple(added))
    sums = GainSums(*(rows.get(row) or ()))
    sums.add(added)
    rows.put(row, astuple(sums))


def _count(state: GainState, message: Message, usage: Usage, prompt: Prompt, *, is_ours: bool) -> GainSums:
    """The sums of one call, and what the next is compared with."""
    is_short, sent, time = is_ours and bool(prompt.tail_start), usage.input_tokens, message.at or 0.0
    last, growth = state.call.request, state.call.growth
    if message.model and message.model != growth.model:
        growth = Growth(message.model)
    elif last.is_whole and not is_short and prompt.total > last.total and sent > last.sent:
        recorded = growth.recorded + prompt.total - last.total
        growth = replace(growth, counted=growth.counted + sent - last.sent, recorded=recorded)
    state.call = replace(state.call, growth=growth)
    would, history = _would_send(state, prompt, sent, is_short=is_short)
    is_cached = last.is_cached or bool(usage.cache_read_tokens or usage.cache_write_tokens)
    read, written, written_1h = _would_cache(state, usage, would, time, is_cached=is_cached)
    request = LastRequest(
        sent=sent,
        would=would,
        history=history,
        at=time,
        total=prompt.total + state.kept_out,
        is_whole=not is_short,
        is_cached=is_cached,
        is_kept_long=bool(usage.cache_write_1h_tokens),
    )
    state.call = replace(state.call, request=request, starts_epoch=False)
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


def _would_send(state: GainState, prompt: Prompt, sent: int, *, is_short: bool) -> tuple[int, int]:
    """What would have been sent, and what the client's history takes. A conversation goes on from the last call; of one
    whose first call was compacted already, the compaction says what it freed.
    """
    last, ratio = state.call.request, state.call.growth.ratio
    if not is_short:
        own = max(sent - round(state.added * ratio), 0)
        would, history = max(sent + round((state.kept_out - state.added) * ratio), 0), own
    elif not last.would:
        would = history = sent + prompt.freed
    else:
        would, history = state.grown(last.would, prompt), state.grown(last.history, prompt)
    return sent if prompt.window and would > max(prompt.window, sent) else would, history


def _would_cache(state: GainState, usage: Usage, would: int, time: float, *, is_cached: bool) -> tuple[int, int, int]:
    """What of it would have been read from the cache, written there, and written for an hour."""
    sent, read, written = usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens
    if would == sent:
        return read, written, usage.cache_write_1h_tokens
    last = state.call.request
    share = min(read / last.sent, 1.0) if last.sent else 0.0
    if state.call.starts_epoch:
        lasts = _HOUR_SECONDS if last.is_kept_long else _CACHE_SECONDS
        share = float(is_cached and time - last.at <= lasts)
    would_read = min(round(last.would * share), would)
    would_write = round((would - would_read) * written / (sent - read)) if sent > read else 0
    return would_read, would_write, round(would_write * usage.cache_write_1h_tokens / written) if written else 0
