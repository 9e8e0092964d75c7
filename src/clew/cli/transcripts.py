"""The commands sessions, show and export: what is stored or stands in a file, and any part of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.figures import RECORDED, shows_tokens, without_columns
from clew.cli.options import AsJson, FileFormat, Source, SourceOrHere, StoreUrl
from clew.cli.output import note, print_json, say, short_line, size, when
from clew.cli.sources import AUTO, note_losses, opened_to_read, read_file, session_name, session_of
from clew.cli.table import clip_to_columns, short_ids, table
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.engine.session import Session

#: From this many columns on, a list of sessions also shows what is recorded, and what share of the limit is in use.
_WIDE = 100
#: Columns of a list that an id and a client may take; the JSON has all of them.
_MOST_ID, _MOST_CLIENT = 20, 12
_SIZES, _WHOLES = ("full", "summary", "header", "digest"), ("story", "map", "tools", "retrieval")
_UNSUCCESSFUL = ("failed", "canceled", "timeout", "aborted", "interrupted")


def sessions(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="List the sessions in this file instead.", show_default=False)
    ] = "",
    project: Annotated[
        str, typer.Option("--project", metavar="P", help="Only those of this project: in a folder P, or below.")
    ] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="T", help="Only those recorded into since then: 2031-05-04, 12h, 7d, 2w.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="The newest N; 0 for all.")] = 0,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """List stored sessions, or those in a file, newest first."""
    from clew.cli.search_results.session_filter import Filter

    chosen = Filter.read(project=project, since=since, limit=limit)
    if file:
        with read_file(file, format) as (engine, reports):
            listed = [asdict(session) for session in chosen.list_sessions(engine)]
            names = {report.session: f"{file}#{session_name(report)}" for report in reports}
    else:
        with opened_to_read(store) as engine:
            sessions, names = chosen.list_sessions(engine), {}
        listed = [asdict(session) for session in sessions]
        for one in sessions:
            note_losses(one.losses, store)
    if as_json:
        print_json({"sessions": listed})
    elif not listed and chosen != Filter():
        say("No session is of that project or time.")
    elif not listed:
        say("No sessions yet. `clew import FILE` stores one; `clew demo` shows a tour.")
    else:
        _say_sessions(listed, names)


def _say_sessions(listed: list[dict[str, Any]], names: dict[str, str]) -> None:
    """Prints a table with the name of each session, or else the beginning of its id that is enough to name it."""
    import shutil

    from clew.domain.sessions import DEFAULT_USER

    shown, numbers = shows_tokens(), ["messages", "recorded", "in use"]
    is_wide = shutil.get_terminal_size().columns >= _WIDE
    rows = [
        [
            names.get(row["id"]) or clip_to_columns(id, _MOST_ID),
            clip_to_columns(row["user"], _MOST_CLIENT),
            short_line(row["title"]),
            clip_to_columns(row["client"], _MOST_CLIENT),
            str(row["messages"]),
            size(row["tokens"]),
            _in_use(row, tokens=shown, share=is_wide or not shown),
            when(row["updated"]),
        ]
        for id, row in zip(short_ids([row["id"] for row in listed]), listed, strict=True)
    ]
    columns = ["id", "user", "title", "client", *numbers, "updated (UTC)"]
    has_users = any(row["user"] not in ("", DEFAULT_USER) for row in listed)
    hidden = (set() if shown and is_wide else {"recorded"}) | (set() if has_users else {"user"})
    columns, rows = without_columns(columns, rows, hidden)
    for line in table(columns, rows, right=numbers, cut="title", drop=["client"]):
        say(line)


def _in_use(row: dict[str, Any], *, tokens: bool, share: bool) -> str:
    full = f"{'~' if row['limit_source'] == 'assumed' else ''}{row['utilization']:.0%}"
    return full if not tokens else f"{size(row['tokens_used'])} ({full})" if share else size(row["tokens_used"])


def show(
    source: SourceOrHere = "",
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Messages m12, exchanges x7, segments x7.2, blobs b….")
    ] = None,
    as_: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORM",
            help="full, summary, header or digest of parts; story, map, tools or retrieval of the session.",
        ),
    ] = "",
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Show parts of a session by id, or its outline.

    Without SOURCE, as in `clew show x7`, those of the newest session of this folder.
    """
    if as_ and as_ not in _SIZES + _WHOLES:
        raise UsageError(f"cannot show a session as {as_!r}; there are {', '.join(_SIZES + _WHOLES)}")
    if ids and as_ in _WHOLES:
        raise UsageError(f"{ids[0]} has no {as_}, which is of the whole session; leave the ids out, or --as {as_}")
    if _is_id(source):
        source, ids = "", [source, *(ids or [])]
    with session_of(source, store, format=format) as session:
        if as_ in ("tools", "retrieval"):
            (_show_tools if as_ == "tools" else _show_retrieval)(session, as_json=as_json)
            return
        items = [_whole(session, as_)] if as_ in _WHOLES else _items(session, ids or [], as_)
        if whole := [item["id"] for item in items if as_ in _SIZES and item["as"] != as_]:
            note(f"{', '.join(whole)} shown in full: only exchanges and segments (x7, x7.2) have a {as_}")
        if as_json:
            print_json({"session": session.id, "items": items, "counted": _token_basis(ids, as_)})
        else:
            say("\n\n".join(item["text"] for item in items) if ids or as_ else _outline(items))


def _is_id(source: str) -> bool:
    """True for a SOURCE that is the id of a part, as packs and searches name them, and no file."""
    from clew.domain.ids import ChunkId, PinId, parse_id

    return not Path(source).exists() and not isinstance(parse_id(source), ChunkId | PinId | None)


def _token_basis(ids: list[str] | None, as_: str) -> str:
    """What the tokens of the items count: the messages of an outline's segments, or the text that is shown."""
    return "the text as it is shown, by o200k_base" if ids or as_ else RECORDED


def _whole(session: Session, as_: str) -> dict[str, Any]:
    """What is known of the session as a whole."""
    more: dict[str, Any] = {}
    if as_ == "story":
        from clew.packing.story import render_story

        sections = session.story()
        text, sources = render_story(sections), [id for section in sections for id in section.sources]
        more = {"current": session.current_context().fields()}
    else:
        from clew.history.work_map.page import render_work_map

        text, sources = render_work_map(session.reader.work_map()), []
    messages = list(dict.fromkeys(sources))
    part = {"id": session.id, "as": as_, "text": text, "tokens": session.reader.count(text), "messages": messages}
    return part | more


def _items(session: Session, ids: list[str], as_: str) -> list[dict[str, Any]]:
    if ids or as_:
        answer = session.recall(
            ids or [segment.exchange_id for segment in session.reader.segments() if segment.part == 1], as_ or "full"
        )
        return [
            {
                "id": item.id,
                "as": item.as_,
                "text": item.text,
                "tokens": item.tokens,
                "messages": list(item.messages),
            }
            | ({"headers": [asdict(header) for header in item.headers]} if item.headers else {})
            for item in answer
        ]
    return [
        {
            "id": id,
            "as": "outline",
            "text": (segment.words or "(before the first request)") if segment.part == 1 else "…",
            "tokens": segment.tokens,
            "messages": [f"m{segment.first}", f"m{segment.last}"],
        }
        for segment, id in session.reader.outline()
    ]


def _outline(items: list[dict[str, Any]]) -> str:
    rows = [[item["id"], "–".join(item["messages"]), size(item["tokens"]), item["text"]] for item in items]
    columns = ["id", "messages", "recorded", "request"]
    if not shows_tokens():
        return "\n".join(table(*without_columns(columns, rows, {"recorded"}), cut="request"))
    total = f"{size(sum(item['tokens'] for item in items))} tokens recorded"
    return "\n".join([*table(columns, rows, right=["recorded"], cut="request"), total])


def _show_tools(session: Session, *, as_json: bool) -> None:
    used = session.reader.tools_used()
    if as_json:
        print_json({"session": session.id, "tools": [{"name": name, **tally} for name, tally in used.items()]})
        return
    order = sorted(used.items(), key=lambda pair: -pair[1].get("output_tokens", 0))
    rows = [
        [
            name,
            f"{tally.get('calls', 0):.0f}",
            f"{tally.get('success', 0):.0f}",
            f"{sum(tally.get(status, 0) for status in _UNSUCCESSFUL):.0f}",
            _seconds(tally.get("seconds", 0)),
            _seconds(tally.get("longest", 0)),
            size(tally.get("output_tokens", 0)),
            size(tally.get("largest", 0)),
        ]
        for name, tally in order
    ]
    columns = ["tool", "calls", "succeeded", "failed", "seconds", "longest", "output tokens", "largest"]
    columns, rows = without_columns(columns, rows, set() if shows_tokens() else {"output tokens", "largest"})
    for line in table(columns, rows, right=columns[1:], cut="tool"):
        say(line)


def _show_retrieval(session: Session, *, as_json: bool) -> None:
    """How much of what was retrieved for replies these used."""
    use = session.retrieval_use()
    if as_json:
        print_json({"session": session.id, "retrieval": [{"kind": kind, **counts} for kind, counts in use.items()]})
        return
    if not use:
        say("nothing was retrieved for replies of this session yet")
        return
    columns = ["kind", "retrieved", "used", "share"]
    rows = [
        [kind, f"{counts['retrieved']:.0f}", f"{counts['used']:.0f}", f"{counts['precision']:.0%}"]
        for kind, counts in use.items()
    ]
    for line in table(columns, rows, right=columns[1:], cut="kind"):
        say(line)


def _seconds(value: float) -> str:
    """Whole seconds; of less than ten, tenths."""
    return f"{value:.0f}" if value >= 10 or not value else f"{value:.1f}"


def export(
    source: Source,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="anthropic, openai-chat, openai-responses, gemini, claude-code, codex or clew.",
        ),
    ],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here instead of to stdout.")] = None,
    unmasked: Annotated[bool, typer.Option("--unmasked", help="Keep secrets as they are.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Write a session as a provider's request, as a client's session file, or losslessly.

    The request is valid for the provider, and so is what the client sends from the file (`clew handback` puts it where
    the client looks for it). The format clew keeps every entry as it is.
    """
    from clew.cli.session_export import export_session

    with session_of(source, store, format=format) as session:
        export_session(session, to, out, unmasked=unmasked, as_json=as_json)
