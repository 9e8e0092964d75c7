"""Curates one output: finds its kind, applies the reducer of that kind, and keeps the result if it saves enough."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Literal

from clew.config import CurationConfig
from clew.curation.envelopes import open_envelope
from clew.curation.kinds import OutputKind, kind_of
from clew.curation.lines import cap_lines, clean_lines, collapse_equal_lines
from clew.curation.markers import blob_id, is_curated, with_marker
from clew.curation.reducers import files, jsons
from clew.domain import Call
from clew.plugins import Registry
from clew.text.markers import neutralise_markers
from clew.text.tools.actions import ActionKind
from clew.text.tools.calls import call_actions

When = Literal["recorded", "epoch"]
Reducer = Callable[[str, int], str | None]


@dataclass(frozen=True, slots=True)
class CuratedOutput:
    """A shorter form of an output; ``text`` ends with the marker that leads to the whole, ``blob``.

    Without ``blob`` nothing was left out: only what could pass for a marker of ours was rewritten.
    """

    kind: OutputKind
    text: str
    blob: str


def _name(kind: OutputKind) -> str:
    """The name of a kind's own reducer, which no tool has."""
    return f"kind:{kind}"


#: Those that are built in are named after kinds of outputs, those of packages after the tool whose outputs they reduce.
REDUCERS: Registry[Reducer] = Registry(
    "clew.reducers",
    kind="reducer",
    built_in={
        _name(OutputKind.SEARCH): "clew.curation.reducers.searches:reduce",
        _name(OutputKind.LISTING): "clew.curation.reducers.listings:reduce",
        _name(OutputKind.TESTS): "clew.curation.reducers.testruns:reduce",
        _name(OutputKind.BUILD): "clew.curation.reducers.builds:reduce",
        _name(OutputKind.DIFF): "clew.curation.reducers.diffs:reduce",
        _name(OutputKind.LOG): "clew.curation.reducers.logs:reduce",
        _name(OutputKind.PAGE): "clew.curation.reducers.pages:reduce",
        _name(OutputKind.PROSE): "clew.curation.reducers.prose:reduce",
        _name(OutputKind.COMMAND): "clew.curation.reducers.commands:reduce",
        _name(OutputKind.OTHER): "clew.curation.reducers.commands:reduce",
    },
)


def curate(
    text: str,
    call: Call | None,
    config: CurationConfig,
    *,
    when: When = "recorded",
    known: Container[str] = (),
    limit_chars: int | None = None,
) -> CuratedOutput | None:
    """The shorter form of a tool's output, or None to leave it as it is.

    ``known`` holds ids of blobs: a text that ends with a marker to one of them is curated already. The same
    words from anybody else are neutralised. ``limit_chars`` takes the place of the limit of its kind.
    """
    if is_curated(text, known):
        return None
    plain = neutralise_markers(text)
    if config.enabled and len(text) >= config.min_chars:
        kind = kind_of(call, plain)
        shown = _reduce_in_envelope(
            plain, kind, call, when=when, limit=limit_chars or _limit_chars(kind, config, when), config=config
        )
        if shown is not None:
            done = with_marker(shown, text)
            if len(done) <= len(text) * (1 - config.min_saving):
                return CuratedOutput(kind, done, blob_id(text))
    return CuratedOutput(OutputKind.OTHER, plain, "") if plain != text else None


def _limit_chars(kind: OutputKind, config: CurationConfig, when: When) -> int:
    limit: int = getattr(config, f"{kind}_chars")
    return limit if when == "recorded" else int(limit * config.epoch_share)


def _reduce_in_envelope(
    text: str, kind: OutputKind, call: Call | None, *, when: When, limit: int, config: CurationConfig
) -> str | None:
    head, body, tail = open_envelope(text)
    shown = _reduce_by_plugin(body, call, limit)
    if shown is None and not _is_left_whole(body, kind, when=when, limit=limit):
        path = head[5:] if head.startswith("file ") else ""
        shown = _reduce_body(body, kind, call, limit=limit, config=config, path=path)
    if shown is None:
        return None
    whole = "\n".join(part for part in (head, shown.strip("\n"), tail) if part)
    # Escapes that were read and controls that were taken out may have made a marker of what was none before.
    return neutralise_markers("\n".join(clean_lines(whole)))


def _is_left_whole(body: str, kind: OutputKind, *, when: When, limit: int) -> bool:
    """Source that was just read is about to be edited; prose that is short enough has nothing to leave out."""
    return (kind is OutputKind.FILE and when == "recorded") or (kind is OutputKind.PROSE and len(body) <= limit)


def _reduce_by_plugin(body: str, call: Call | None, limit: int) -> str | None:
    """What a package's reducer makes of its tool's output; None where there is none, or it fails."""
    reduce = REDUCERS.find_installed(call.name) if call is not None else None
    if call is None or reduce is None:
        return None
    try:
        shown = reduce(body, limit)
        if shown is not None and not isinstance(shown, str):
            raise TypeError(f"a reducer gives a text or None, not a {type(shown).__name__}")
    except Exception as error:  # a foreign reducer may raise anything
        REDUCERS.fail(call.name, error)
        return None
    return shown


def _reduce_body(
    body: str, kind: OutputKind, call: Call | None, *, limit: int, config: CurationConfig, path: str
) -> str | None:
    if kind is OutputKind.JSON:  # half of it would be none: it is read whole, or not at all
        return jsons.reduce(body, limit)
    lines = clean_lines(_without_middle(body, config.max_chars))
    if kind is OutputKind.FILE:
        return _reduce_file(lines, limit, call, path=path, is_whole=len(body) <= config.max_chars)
    body = "\n".join(cap_lines(collapse_equal_lines(lines)))
    if kind is OutputKind.EDIT:
        return files.reduce_edit(body, limit, written=_written_text(call))
    return REDUCERS.get(_name(kind))(body, limit)


def _reduce_file(lines: list[str], limit: int, call: Call | None, *, path: str, is_whole: bool) -> str:
    """The outline of what was read; without its middle nobody knows the numbers of the lines behind."""
    place, first = _read_location(call)
    shown = cap_lines(lines)
    first = first if is_whole and len(shown) == len(lines) else 0
    return files.reduce("\n".join(shown), limit, path=path or place, first=first)


def _without_middle(text: str, chars: int) -> str:
    half = chars // 2
    return text if len(text) <= chars else f"{text[:half]}\n… {len(text) - 2 * half:,} characters …\n{text[-half:]}"


def _read_location(call: Call | None) -> tuple[str, int]:
    """The file that was read and the line it was read from; 0 when something else may stand above it."""
    done = call_actions(call) if call is not None else ()
    reads = [action for action in done if action.kind is ActionKind.READ]
    if len(done) != 1 or not reads:
        return (reads[0].path if reads else ""), 0
    return reads[0].path, reads[0].lines[0] if reads[0].lines else 1


def _written_text(call: Call | None) -> str:
    """The text that an edit put into its files."""
    done = call_actions(call) if call is not None else ()
    return "\n".join(change.new for action in done for change in action.changes)
