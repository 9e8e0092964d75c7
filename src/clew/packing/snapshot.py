"""The snapshot: what the model is told of everything that is not sent word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from clew.domain import Message
from clew.errors import BudgetExceeded
from clew.history.requests import request_words
from clew.packing.cover import covered, longest_fitting
from clew.packing.formats import SUMMARY, Format, Section, written
from clew.packing.gather import gathered
from clew.packing.layout import laid_out
from clew.packing.weigh import weighed

#: The share of the room that the user's own words may take before the oldest are shortened, then left out.
_WORDS_SHARE = 0.3
_LONG_REQUEST, _SHORT_REQUEST = 1_300, 160
#: No request is told in less.
_MIN_REQUEST_TOKENS = 6
#: Estimated tokens may be off by this much: the fit looks at enough, the exact count decides.
_ESTIMATE_MARGIN = 1.2
#: Room for less than a line need not be filled.
_SLACK_TOKENS = 4
#: Lists of the story that the files below tell with more: each name stands by its file there.
_LISTS = ("files: ", "functions: ", "names: ")
#: A header that stands this near to the beginning of a request repeats it; a shorter one is no proof.
_REPEATS_WITHIN, _MIN_HEADER_CHARS = 40, 12

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is known of a session beside its messages; headers, summaries, chunks and critical items are (id, text).
    ``asking`` says how a model may read more. ``summary`` is one of the whole, ``sources`` what it was drawn from."""

    session: str
    root: str = ""
    story: str = ""
    headers: Sequence[tuple[str, str]] = ()
    summaries: Sequence[tuple[str, str]] = ()
    asking: str = ""
    summary: str = ""
    sources: tuple[str, ...] = ()
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


def snapshot(
    messages: Sequence[Message], told: Told, *, budget: int, count: Count, format: Format
) -> tuple[Section, ...]:
    """Sections within the budget. Story, headers and the newest request are guaranteed."""
    newest = next(((m.id, words) for m in reversed(messages) if (words := request_words(m))), None)
    needed = [] if newest is None or _is_in(newest[1], told.story) else [_Request(*newest)]
    fixed = _fixed(told, needed)
    sizes = {section.name: count(format(section)) for section in fixed if section.text}
    if sum(sizes.values()) > budget:
        raise BudgetExceeded(budget, sizes)
    room = int((budget - sum(sizes.values())) * _WORDS_SHARE)
    fixed = _fixed(told, _requests(messages, needed, told.story, room=room, count=count))
    return _filled(messages, told, fixed, budget=budget, count=count, format=format)


# ── what is always told ──────────────────────────────────────────────────────────────────────────────


def _fixed(told: Told, requests: Sequence[_Request]) -> tuple[Section, ...]:
    about = (
        f"What was said before, shortened. Nothing is lost: `clew show {told.session} ID` "
        "gives any id below (m12, x3) whole."
    )
    about = f"{about} {told.asking}" if told.asking else about
    story = "\n".join(line for line in told.story.split("\n") if not line.startswith(_LISTS))
    requests, headers = _without_repeats(requests, told.headers, story)
    return (
        Section("about", 0, about),
        Section(
            "critical", 0, "\n".join(f"{id} {text}" for id, text in told.critical), tuple(id for id, _ in told.critical)
        ),
        Section("story", 0, story),
        Section(SUMMARY, 3, told.summary, told.sources),
        Section("chunks", 3, "\n".join(f"{id} {text}" for id, text in told.chunks), tuple(id for id, _ in told.chunks)),
        Section("timeline", 2, "\n".join(f"{id} {line}" for id, line in headers), tuple(id for id, _ in told.headers)),
        Section(
            "summaries",
            3,
            "\n".join(f"{id} {text}" for id, text in told.summaries),
            tuple(id for id, _ in told.summaries),
        ),
        Section("requests", 1, "\n".join(one.text for one in requests), tuple(one.id for one in requests)),
    )


def _without_repeats(
    requests: Sequence[_Request], headers: Iterable[tuple[str, str]], story: str
) -> tuple[list[_Request], list[tuple[str, str]]]:
    """A header that only repeats a request is told by its id beside the request; one in the story needs no telling."""
    found, left = list(requests), []
    begin = [_joined(one.words[:_SHORT_REQUEST]) for one in found]
    told = _joined(story)
    for id, line in headers:
        key = _joined(line).rstrip("…").rstrip()
        if len(key) < _MIN_HEADER_CHARS:
            left.append((id, line))
            continue
        at = next((n for n, text in enumerate(begin) if 0 <= text.find(key) <= _REPEATS_WITHIN), None)
        if at is not None and not found[at].segment:
            found[at] = replace(found[at], segment=id)
        elif key not in told:
            left.append((id, line))
    return found, left


def _joined(text: str) -> str:
    """Words with single blanks: the story quotes without line ends."""
    return " ".join(text.split())


def _is_in(words: str, story: str) -> bool:
    """True when the story quotes it whole."""
    return _joined(words) in _joined(story)


def _requests(
    messages: Sequence[Message], needed: Sequence[_Request], story: str, *, room: int, count: Count
) -> list[_Request]:
    """All requests, newest first into the room there is; the oldest are shortened, then left out."""
    kept = list(needed)
    for message in reversed(messages):
        if room < _MIN_REQUEST_TOKENS:
            break
        words = request_words(message)
        if not words or message.id in {one.id for one in needed} or _is_in(words, story):
            continue
        for limit in (_LONG_REQUEST, _SHORT_REQUEST):
            request = _Request(message.id, words, limit)
            price = count(request.text) + 1
            if price <= room:
                kept.append(request)
                room -= price
                break
    return kept[::-1]


# ── what the fit chooses ─────────────────────────────────────────────────────────────────────────────


def _filled(
    messages: Sequence[Message], told: Told, fixed: tuple[Section, ...], *, budget: int, count: Count, format: Format
) -> tuple[Section, ...]:
    if not messages:
        return fixed
    material = gathered(messages, told.root)
    pieces = weighed(material)
    room = (budget - count(written(fixed, format))) * _ESTIMATE_MARGIN
    chosen = covered(pieces.pieces, pieces.weights, pieces.group_costs, room=room)

    def sections(number: int) -> tuple[Section, ...]:
        shown = [pieces.choices[at] for at in chosen[:number]]
        laid = laid_out(shown, material)
        where = f"paths from {material.root}\n" if material.root and laid.files else ""
        ids = sorted({choice.line.id for choice in shown if choice.line}, key=lambda one: (len(one), one))
        return (*fixed, Section("files", 4, where + laid.files), Section("work", 3, laid.work, tuple(ids)))

    best = longest_fitting(
        [pieces.pieces[at].cost for at in chosen],
        lambda number: count(written(sections(number), format)),
        budget,
        slack=_SLACK_TOKENS,
    )
    return sections(best)
