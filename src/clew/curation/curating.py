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
    Kind.EDIT: files.edit_reduced,
    Kind.SEARCH: searches.reduced,
    Kind.LISTING: listings.reduced,
    Kind.TESTS: runs.reduced,
    Kind.BUILD: builds.reduced,
    Kind.DIFF: diffs.reduced,
    Kind.JSON: jsons.reduced,
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
    lines = cleaned(_within(body, config.max_chars))
    body = "\n".join(capped(lines if kind is Kind.FILE else squeezed(lines)))
    if kind is Kind.FILE:
        path, first = _read_place(call)
        path = head.removeprefix("file ") if head.startswith("file ") else path
        shown: str | None = files.reduced(body, limit, path=path, first=first)
    else:
        shown = REDUCERS[kind](body, limit)
    if shown is None:
        return None
    return "\n".join(part for part in ("\n".join(cleaned(head)), shown.strip("\n"), tail) if part)


def _within(text: str, chars: int) -> str:
    half = chars // 2
    return text if len(text) <= chars else f"{text[:half]}\n… {len(text) - 2 * half:,} characters …\n{text[-half:]}"


def _read_place(call: Call | None) -> tuple[str, int]:
    """The file that was read and the line it was read from; 0 when several were."""
    reads = [action for action in actions(call) if action.deed is Deed.READ] if call is not None else []
    if len(reads) != 1:
        return (reads[0].path if reads else ""), 0
    return reads[0].path, reads[0].lines[0] if reads[0].lines else 1
