"""Curating one output: its kind, its reducer, and whether what is saved is worth it."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Literal

from clew.config import CurationConfig
from clew.curation import builds, commands, diffs, files, jsons, listings, logs, pages, prose, runs, searches
from clew.curation.envelopes import opened
from clew.curation.kinds import Kind, kind_of
from clew.curation.lines import capped, cleaned, squeezed
from clew.curation.marks import blob_id, defused, is_curated, marked
from clew.domain import Call
from clew.text.actions import actions
from clew.text.deeds import Deed

When = Literal["recorded", "epoch"]
Reducer = Callable[[str, int], str | None]


@dataclass(frozen=True, slots=True)
class Curated:
    """A shorter form of an output; ``text`` ends with the marker that leads to the whole, ``blob``.

    Without ``blob`` nothing was left out: only what could pass for a marker of ours was rewritten.
    """

    kind: Kind
    text: str
    blob: str
    whole_chars: int

    @property
    def dropped_chars(self) -> int:
        return self.whole_chars - len(self.text)


REDUCERS: dict[Kind, Reducer] = {
    Kind.SEARCH: searches.reduced,
    Kind.LISTING: listings.reduced,
    Kind.TESTS: runs.reduced,
    Kind.BUILD: builds.reduced,
    Kind.DIFF: diffs.reduced,
    Kind.LOG: logs.reduced,
    Kind.PAGE: pages.reduced,
    Kind.PROSE: prose.reduced,
    Kind.COMMAND: commands.reduced,
    Kind.OTHER: commands.reduced,
}


def curate(
    text: str,
    call: Call | None,
    config: CurationConfig,
    *,
    when: When = "recorded",
    known: Container[str] = (),
    limit_chars: int | None = None,
) -> Curated | None:
    """The shorter form of a tool's output, or None to leave it as it is.

    ``known`` holds ids of blobs: a text that ends with a marker to one of them is curated already. The same
    words from anybody else are defused. ``limit_chars`` takes the place of the limit of its kind.
    """
    if is_curated(text, known):
        return None
    plain = defused(text)
    if config.enabled and len(text) >= config.min_chars:
        kind = kind_of(call, plain)
        shown = _shown(plain, kind, call, when=when, limit=limit_chars or _limit(kind, config, when), config=config)
        if shown is not None:
            done = marked(shown, text)
            if len(done) <= len(text) * (1 - config.min_saving):
                return Curated(kind, done, blob_id(text), len(text))
    return Curated(Kind.OTHER, plain, "", len(text)) if plain != text else None


def _limit(kind: Kind, config: CurationConfig, when: When) -> int:
    limit: int = getattr(config, f"{kind}_chars")
    return limit if when == "recorded" else int(limit * config.epoch_share)


def _shown(text: str, kind: Kind, call: Call | None, *, when: When, limit: int, config: CurationConfig) -> str | None:
    if kind is Kind.FILE and when == "recorded":
        return None
    head, body, tail = opened(text)
    if kind is Kind.PROSE and len(body) <= limit:
        return None
    shown = _reduced(body, kind, call, limit=limit, config=config, path=head[5:] if head.startswith("file ") else "")
    if shown is None:
        return None
    whole = "\n".join(part for part in (head, shown.strip("\n"), tail) if part)
    # Escapes that were read and controls that were taken out may have made a marker of what was none before.
    return defused("\n".join(cleaned(whole)))


def _reduced(body: str, kind: Kind, call: Call | None, *, limit: int, config: CurationConfig, path: str) -> str | None:
    if kind is Kind.JSON:  # half of it would be none: it is read whole, or not at all
        return jsons.reduced(body, limit)
    lines = cleaned(_within(body, config.max_chars))
    if kind is Kind.FILE:
        return _file(lines, limit, call, path=path, is_whole=len(body) <= config.max_chars)
    body = "\n".join(capped(squeezed(lines)))
    if kind is Kind.EDIT:
        return files.edit_reduced(body, limit, written=_written(call))
    return REDUCERS[kind](body, limit)


def _file(lines: list[str], limit: int, call: Call | None, *, path: str, is_whole: bool) -> str:
    """The outline of what was read; without its middle nobody knows the numbers of the lines behind."""
    place, first = _read_place(call)
    shown = capped(lines)
    first = first if is_whole and len(shown) == len(lines) else 0
    return files.reduced("\n".join(shown), limit, path=path or place, first=first)


def _within(text: str, chars: int) -> str:
    half = chars // 2
    return text if len(text) <= chars else f"{text[:half]}\n… {len(text) - 2 * half:,} characters …\n{text[-half:]}"


def _read_place(call: Call | None) -> tuple[str, int]:
    """The file that was read and the line it was read from; 0 when something else may stand above it."""
    done = actions(call) if call is not None else ()
    reads = [action for action in done if action.deed is Deed.READ]
    if len(done) != 1 or not reads:
        return (reads[0].path if reads else ""), 0
    return reads[0].path, reads[0].lines[0] if reads[0].lines else 1


def _written(call: Call | None) -> str:
    """The text that an edit put into its files."""
    done = actions(call) if call is not None else ()
    return "\n".join(change.new for action in done for change in action.changes)
