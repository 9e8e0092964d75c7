"""The snapshot: sections that stand for everything that is not sent word for word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clew.domain import Message, Origin, Role, Text
from clew.errors import BudgetExceeded
from clew.history.user_requests import request_words
from clew.packing.formats import FORMATS, SUMMARY, Format, PackSection, render_sections
from clew.packing.layout import render_layout
from clew.packing.material import collect_material
from clew.packing.piece_scores import score_pieces
from clew.packing.selection import choose_pieces, longest_fitting_prefix
from clew.ports import TokenCounter

#: Share of the room that requests may take before the oldest are shortened, then left out.
_WORDS_SHARE = 0.3
_LONG_REQUEST, _SHORT_REQUEST = 1_300, 160
#: Where more than this share of the room would stay unused, a newest request that is longer gets this share of that.
_UNUSED_SHARE, _LONG_SHARE = 0.5, 0.8
#: No request is shown in fewer tokens.
_MIN_REQUEST_TOKENS = 6
#: Estimated tokens may be off by this much: enough is chosen, the exact count decides.
_ESTIMATE_MARGIN = 1.2
#: Room for less than a line need not be filled.
_SLACK_TOKENS = 4
#: Lists of the story that the files section repeats with more detail: each name stands by its file there.
_LISTS = ("files: ", "functions: ", "names: ")
#: A header found within this many characters of a request's beginning repeats it; a shorter header is no proof.
_REPEATS_WITHIN, _MIN_HEADER_CHARS = 40, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSources:
    """What a snapshot is built from beside the messages. Headers, summaries, chunks and critical items are (id, text).

    ``retrieval_hint`` tells the model how to read more.
    ``summary`` covers the whole older part and was made from ``summary_sources``.
    """

    session: str
    root: str = ""
    story: str = ""
    headers: Sequence[tuple[str, str]] = ()
    summaries: Sequence[tuple[str, str]] = ()
    retrieval_hint: str = ""
    summary: str = ""
    summary_sources: tuple[str, ...] = ()
    chunks: Sequence[tuple[str, str]] = ()
    critical: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class _Request:
    id: str
    words: str
    limit: int = _LONG_REQUEST
    segment: str = ""

    @property
    def text(self) -> str:
        """A person's words; what is too long keeps its beginning and its end."""
        words = self.words
        if len(words) > self.limit:
            words = f"{words[: self.limit * 3 // 4]} […] {words[-self.limit // 4 :]}"
        return f"{self.id}{f' ({self.segment})' if self.segment else ''}: " + words.replace("\n", "\n  ")


def build_snapshot(
    messages: Sequence[Message], sources: SnapshotSources, *, budget: int, count: TokenCounter, format: Format
) -> tuple[PackSection, ...]:
    """Returns the sections within the budget. Story, headers and the newest request are guaranteed.

    Raises BudgetExceeded when those do not fit.
    """
    newest = next(((m.id, words) for m in reversed(messages) if (words := request_words(m))), None)
    needed = [] if newest is None or _is_quoted_in(newest[1], sources.story) else [_Request(*newest)]
    fixed = _fixed_sections(sources, needed)
    sizes = {section.name: count(format(section)) for section in fixed if section.text}
    if sum(sizes.values()) > budget:
        raise BudgetExceeded(budget, sizes)
    room = int((budget - sum(sizes.values())) * _WORDS_SHARE)

    def sections(needed: Sequence[_Request]) -> tuple[PackSection, ...]:
        fixed = _fixed_sections(sources, _choose_requests(messages, needed, sources.story, room=room, count=count))
        return _with_chosen_pieces(messages, fixed, root=sources.root, budget=budget, count=count, format=format)

    found = sections(needed)
    left = budget - count(render_sections(found, format))
    if left <= _UNUSED_SHARE * budget or not needed or len(needed[0].words) <= needed[0].limit:
        return found
    longer = replace(needed[0], limit=needed[0].limit + int(left * _LONG_SHARE * _chars_per_token(needed[0], count)))
    more = sections([longer])
    return more if count(render_sections(more, format)) <= budget else found


def _chars_per_token(request: _Request, count: TokenCounter) -> float:
    return len(request.text) / count(request.text)


def build_least_snapshot(messages: Sequence[Message], sources: SnapshotSources) -> tuple[PackSection, ...]:
    """Returns the guaranteed sections alone, with the newest request in short."""
    newest = next(((m.id, words) for m in reversed(messages) if (words := request_words(m))), None)
    is_told = newest is None or _is_quoted_in(newest[1], sources.story)
    return _fixed_sections(sources, [] if is_told or newest is None else [_Request(*newest, _SHORT_REQUEST)])


# ── what is always shown ─────────────────────────────────────────────────────────────────────────────


def _fixed_sections(sources: SnapshotSources, requests: Sequence[_Request]) -> tuple[PackSection, ...]:
    about = (
        f"What was said before, shortened. Nothing is lost: `clew show {sources.session} ID` "
        "gives any id below (m12, x3) whole."
    )
    about = f"{about} {sources.retrieval_hint}" if sources.retrieval_hint else about
    story = "\n".join(line for line in sources.story.split("\n") if not line.startswith(_LISTS))
    requests, headers = _without_repeats(requests, sources.headers, story)
    return (
        PackSection("about", 0, about),
        _list_section("critical", 0, sources.critical),
        PackSection("story", 0, story),
        PackSection(SUMMARY, 3, sources.summary, sources.summary_sources),
        _list_section("chunks", 3, sources.chunks),
        replace(_list_section("timeline", 2, headers), sources=tuple(id for id, _ in sources.headers)),
        _list_section("summaries", 3, sources.summaries),
        PackSection("requests", 1, "\n".join(one.text for one in requests), tuple(one.id for one in requests)),
    )


def _list_section(name: str, layer: int, rows: Sequence[tuple[str, str]]) -> PackSection:
    """A section of texts, each after the id it was drawn from."""
    return PackSection(name, layer, "\n".join(f"{id} {text}" for id, text in rows), tuple(id for id, _ in rows))


def _without_repeats(
    requests: Sequence[_Request], headers: Iterable[tuple[str, str]], story: str
) -> tuple[list[_Request], list[tuple[str, str]]]:
    """A header that only repeats a request becomes an id beside the request; one that the story quotes is left out."""
    found, left = list(requests), []
    begin = [_single_spaced(one.words[:_SHORT_REQUEST]) for one in found]
    quoted = _single_spaced(story)
    for id, line in headers:
        key = _single_spaced(line).rstrip("…").rstrip()
        if len(key) < _MIN_HEADER_CHARS:
            left.append((id, line))
            continue
        at = next((n for n, text in enumerate(begin) if 0 <= text.find(key) <= _REPEATS_WITHIN), None)
        if at is not None and not found[at].segment:
            found[at] = replace(found[at], segment=id)
        elif key not in quoted:
            left.append((id, line))
    return found, left


def _single_spaced(text: str) -> str:
    """Words with single blanks: the story quotes without line ends."""
    return " ".join(text.split())


def _is_quoted_in(words: str, story: str) -> bool:
    """True when the story quotes it whole."""
    return _single_spaced(words) in _single_spaced(story)


def _choose_requests(
    messages: Sequence[Message], needed: Sequence[_Request], story: str, *, room: int, count: TokenCounter
) -> list[_Request]:
    """All requests, newest first into the room there is; the oldest are shortened, then left out."""
    kept = list(needed)
    for message in reversed(messages):
        if room < _MIN_REQUEST_TOKENS:
            break
        words = request_words(message)
        if not words or message.id in {one.id for one in needed} or _is_quoted_in(words, story):
            continue
        for limit in (_LONG_REQUEST, _SHORT_REQUEST):
            request = _Request(message.id, words, limit)
            price = count(request.text) + 1
            if price <= room:
                kept.append(request)
                room -= price
                break
    return kept[::-1]


# ── what is chosen ───────────────────────────────────────────────────────────────────────────────────


def _with_chosen_pieces(
    messages: Sequence[Message],
    fixed: tuple[PackSection, ...],
    *,
    root: str,
    budget: int,
    count: TokenCounter,
    format: Format,
) -> tuple[PackSection, ...]:
    """The fixed sections, and files and work with as many pieces as the budget has room for."""
    if not messages:
        return fixed
    material = collect_material(messages, root)
    scored = score_pieces(material)
    room = (budget - count(render_sections(fixed, format))) * _ESTIMATE_MARGIN
    chosen = choose_pieces(scored.pieces, scored.weights, scored.group_costs, room=room)

    def sections(number: int) -> tuple[PackSection, ...]:
        shown = [scored.contents[at] for at in chosen[:number]]
        layout = render_layout(shown, material)
        where = f"paths from {material.root}\n" if material.root and layout.files else ""
        ids = sorted({content.line.message_id for content in shown if content.line}, key=lambda one: (len(one), one))
        return (*fixed, PackSection("files", 4, where + layout.files), PackSection("work", 3, layout.work, tuple(ids)))

    best = longest_fitting_prefix(
        [scored.pieces[at].cost for at in chosen],
        lambda number: count(render_sections(sections(number), format)),
        budget,
        slack=_SLACK_TOKENS,
    )
    return sections(best)


# ── the snapshot as text ─────────────────────────────────────────────────────────────────────────────


def render_snapshot(
    messages: Sequence[Message], sources: SnapshotSources, *, room: int | None, count: TokenCounter, target: str
) -> tuple[tuple[PackSection, ...], str]:
    """Returns the sections that stand for these messages within the room, and their text in the format of the target;
    without a room, the least there can be.
    """
    if room is None:
        sections = build_least_snapshot(messages, sources)
    else:
        sections = build_snapshot(messages, sources, budget=room, count=count, format=FORMATS[target])
    return sections, render_sections(sections, FORMATS[target])


def with_snapshot(tail: Sequence[Message], text: str, *, joins: bool) -> tuple[Message, ...]:
    """Returns the tail with the snapshot before it.

    It goes into the first message where that is a user's and it ``joins``, else into a message of its own.
    """
    if not text:
        return tuple(tail)
    part = Text(text=text)
    if joins and tail and tail[0].role is Role.USER and not tail[0].outputs:
        return (replace(tail[0], parts=(part, *tail[0].parts), wire=None), *tail[1:])
    return (Message(role=Role.USER, origin=Origin.CLEW, parts=(part,)), *tail)
