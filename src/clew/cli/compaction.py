"""The command compact: compacts a session, previews that, or takes it back."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.figures import USED, messages_and_tokens, share_of, shows_tokens
from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import note, print_json, progress, say, short_line, size
from clew.cli.sources import AUTO, is_read, session_of
from clew.errors import UsageError
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.domain import Compaction
    from clew.engine.compactor.report import Preview
    from clew.engine.session import Session

#: From this share of difference on, two sizes of one session are explained.
_OTHER_SIZE = 0.2
#: Names of what is preserved, where the key is not one.
_KINDS = {
    "custom": "other critical item",
    "unpinned_decisions": "unpinned decision",
    "relevant_messages": "relevant message",
    "recent_messages": "recent message",
}


def compact(
    source: Source,
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            metavar="S",
            help="auto: the mildest that reaches the target; summarize: a summary of older parts; selective: relevant"
            " parts stay word for word; chunked: key points of runs of segments; aggressive: two fifths of the usual"
            " size.",
        ),
    ] = "auto",
    keep_recent: Annotated[
        int | None, typer.Option("--keep-recent", metavar="N", help="How many newest messages stay word for word.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", metavar="N", help="Tokens for the whole prompt afterwards.")
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what it would do, and write nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last compaction back.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Compact a session; --undo takes it back.

    Older messages move to smaller sizes. Every word stays readable by its id.
    """
    if undo and (preview or is_read(source)):
        raise UsageError("--undo takes back what was done to a stored session; it goes with nothing else")
    with session_of(source, store, format=format) as session:
        if undo:
            _undo(session, as_json=as_json)
        elif preview:
            planned = session.compactor.preview(strategy, keep_recent=keep_recent, budget=budget)
            _preview(planned, session.limit(), as_json=as_json)
            if not as_json:
                _note_other_size(session, planned.compaction)
        else:
            _compact(session, source, strategy, keep_recent, budget, as_json=as_json)


def _compact(
    session: Session, source: str, strategy: str, keep_recent: int | None, budget: int | None, *, as_json: bool
) -> None:
    theirs = {} if is_read(source) else _client_window(session)
    with progress(f"compacting {session.id}", None):
        done = session.compact(strategy, keep_recent=keep_recent, budget=budget)
    done = with_undo_command(done, source, session.id)
    if is_read(source):
        note(f"clew: nothing was stored: {source} is only read; `clew import` it to keep what a compaction does")
    if as_json:
        print_json(as_dict(done) | theirs)
        return
    report(done, session.limit())
    if theirs and done.summarized.messages:
        note(
            f"clew: this is what Clew would send; {theirs['client']} goes on with its own prompt"
            f" ({share_of(theirs['client_tokens'], theirs['client_limit'])}) until it compacts"
        )
    else:
        _note_other_size(session, done)


def _client_window(session: Session) -> dict[str, Any]:
    """What a client that writes the session sends itself: no compaction of ours changes that."""
    if not session.info.client:
        return {}
    health = session.health()
    return {"client": session.info.client, "client_tokens": health.tokens_used, "client_limit": health.tokens_limit}


def _note_other_size(session: Session, planned: Compaction) -> None:
    """Notes why `clew health` tells of another size than what Clew would send, where the two are far apart."""
    health, sent = session.health(), planned.before.tokens
    if shows_tokens() and abs(health.tokens_used - sent) > _OTHER_SIZE * max(health.tokens_used, sent):
        told_size = f"{size(health.tokens_used)} tokens, {USED[health.used_source]}"
        note(f"clew: `clew health` tells of {told_size}; {size(sent)} are what Clew would send")


def with_undo_command(done: Compaction, source: str, id: str) -> Compaction:
    """Returns the report with the command that takes the compaction back; a file that is only read needs none."""
    return replace(done, undo=f"clew compact {id} --undo" if done.undo and not is_read(source) else "")


def as_dict(done: Compaction) -> dict[str, Any]:
    """Returns the report with the keys that are documented."""
    return asdict(done) | {"saved_tokens": done.saved_tokens}


def _undo(session: Session, *, as_json: bool) -> None:
    session.undo()
    if as_json:
        print_json({"session": session.id, "undone": True})
    else:
        say(f"session {session.id}: the last compaction is taken back; packs go on as before it")


def report(done: Compaction, limit: int) -> None:
    """Prints what a compaction did, for people."""
    if done.after.tokens >= done.before.tokens:
        say(f"nothing to compact: {done.reason}")
        _say_clipped(done)
        return
    say("✓ context compacted" if done.undo else "✓ context compacted, on paper")
    _say_sizes(done, limit)
    say("preserved:")
    for kind, number in done.preserved.items():
        say(f"  - {pluralise(number, _KINDS.get(kind, kind))}")
    into = done.summarized
    say(f"summarized ({done.strategy}, {done.rung}):")
    shorter = "1 header or summary" if into.into == 1 else f"{into.into} headers and summaries"
    say(f"  - {pluralise(into.messages, 'message')} → {shorter}")
    _say_clipped(done)
    if done.remembers:
        say("the assistant should now remember:")
        for line in done.remembers:
            say(f"  ✓ {short_line(line)}")
    if done.undo:
        say(f"take it back with: {done.undo}")


def _say_clipped(done: Compaction) -> None:
    for clip in done.clipped:
        say(f"clipped: {clip.id}, larger than its room: {size(clip.shown)} of its {size(clip.tokens)} tokens are sent")


def _say_sizes(done: Compaction, limit: int) -> None:
    """The prompt before and after, and what became of its messages: the numbers add up."""
    messages, before, after = done.balance.messages, done.balance.tokens_before, done.balance.tokens_after
    say(f"  before: {share_of(before.total, limit)}, {pluralise(messages.before, 'message')} as Clew would send them")
    say(f"  after:  {share_of(after.total, limit)}, {pluralise(messages.after, 'message')}")
    say(f"    kept:       {messages_and_tokens(messages.kept, before.kept)}")
    say(f"    summarized: {messages_and_tokens(messages.summarized, before.summarized)}")
    if messages.restored:
        say(f"    restored:   {messages_and_tokens(messages.restored, after.restored)}")
    if shows_tokens():
        named = {
            "kept": after.kept,
            "restored": after.restored,
            "snapshot": after.snapshot,
            "system prompt and tools": after.system,
            "repairs": after.repairs,
        }
        parts = [f"{size(tokens)} {name}" for name, tokens in named.items() if tokens]
        say(f"    after is:   {', '.join(parts)}")
        say(f"    counted:    {done.counted}")


def _preview(preview: Preview, limit: int, *, as_json: bool) -> None:
    done = preview.compaction
    if as_json:
        report = as_dict(done) | {
            "changes": [asdict(change) for change in preview.changes],
            "at_stake": list(preview.at_stake),
            "written_tokens": preview.written_tokens,
            "cost": round(preview.cost, 6),
        }
        print_json(report)
        return
    if done.after.tokens >= done.before.tokens:
        say(f"nothing to compact: {done.reason}")
        return
    say(f"would compact ({done.strategy}):")
    _say_sizes(done, limit)
    written = f"{size(preview.written_tokens)} tokens written anew" if shows_tokens() else "written anew"
    say(f"cache: {written}, about ${preview.cost:.3f}")
    say("no longer word for word" + (" (tokens as recorded):" if shows_tokens() else ":"))
    for change in preview.changes:
        tokens = f"{size(change.tokens):>7}  " if shows_tokens() else ""
        say(f"- {change.id:<7} {change.messages:<13} {tokens}{short_line(change.header)}")
        say(f"+ {'':<7} as {change.becomes}; relevance {change.relevance:.2f}: {change.because}")
    _say_clipped(done)
    unchanged = done.balance.messages.kept
    say(f"  {pluralise(unchanged, 'message')} {'stays as it is' if unchanged == 1 else 'stay as they are'}")
    if preview.at_stake:
        say(f"names that would stand nowhere: {', '.join(preview.at_stake)}")
    say("nothing is lost: every id above can be read with `clew show`")
