"""The snapshot: what the model is told of everything that is not sent word for word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.domain import Message
from clew.errors import BudgetExceeded
from clew.history.requests import request_words
from clew.packing.cover import covered, longest_fitting
from clew.packing.formats import Format, Section, written
from clew.packing.gather import gathered
from clew.packing.layout import laid_out
from clew.packing.places import Places, common_root
from clew.packing.weigh import weighed
from clew.text.actions import actions

#: The share of the room that the user's own words may take before the oldest are shortened, then left out.
_WORDS_SHARE = 0.3
_LONG_REQUEST, _SHORT_REQUEST = 1_300, 160
#: More characters to a token than any text here has: the fit looks at enough, the exact count decides.
_MOST_CHARS_PER_TOKEN = 4.6

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is known of a session beside its messages; headers are (id, line), oldest first."""

    session: str
    root: str = ""
    story: str = ""
    headers: Sequence[tuple[str, str]] = ()


def snapshot(
    messages: Sequence[Message], told: Told, *, budget: int, count: Count, format: Format
) -> tuple[Section, ...]:
    """Sections within the budget. Story, headers and the newest request are guaranteed."""
    fixed = _fixed(messages, told)
    needed = {section.name: count(format(section)) for section in fixed}
    if sum(needed.values()) > budget:
        raise BudgetExceeded(budget, needed)
    fixed = _with_all_requests(messages, fixed, budget=budget, count=count, format=format)
    return _filled(messages, told, fixed, budget=budget, count=count, format=format)


def _fixed(messages: Sequence[Message], told: Told) -> tuple[Section, ...]:
    about = (
        f"What was said before in session {told.session}, shortened. Nothing is lost: any id below (m12, x3) can be "
        f"read whole with `clew show {told.session} ID`."
    )
    newest = next(((m.id, words) for m in reversed(messages) if (words := request_words(m))), None)
    if newest and _joined(newest[1]) in _joined(told.story):
        newest = None  # the story quotes it whole
    requests = Section(
        "requests", 1, _request(*newest, limit=_LONG_REQUEST) if newest else "", (newest[0],) if newest else ()
    )
    headers = Section(
        "timeline", 2, "\n".join(f"{id} {line}" for id, line in told.headers), tuple(i for i, _ in told.headers)
    )
    return (Section("about", 0, about), Section("story", 0, told.story), headers, requests)


def _joined(text: str) -> str:
    """Words with single blanks: the story quotes without line ends."""
    return " ".join(text.split())


def _request(id: str, words: str, *, limit: int) -> str:
    """A person's words; what is too long keeps its beginning and its end."""
    if len(words) > limit:
        words = f"{words[: limit * 3 // 4]} […] {words[-limit // 4 :]}"
    return f"{id}: " + words.replace("\n", "\n  ")


def _with_all_requests(
    messages: Sequence[Message], fixed: tuple[Section, ...], *, budget: int, count: Count, format: Format
) -> tuple[Section, ...]:
    """All requests, newest first into the room there is; the oldest are shortened, then left out."""
    story = _joined(fixed[1].text)
    left = int((budget - sum(count(format(section)) for section in fixed)) * _WORDS_SHARE)
    kept: list[tuple[str, str]] = []
    asked = [(message.id, words) for message in messages if (words := request_words(message))]
    for id, words in reversed(asked):
        if id in fixed[-1].sources:
            continue
        if _joined(words) in story:
            continue
        for limit in (_LONG_REQUEST, _SHORT_REQUEST):
            text = _request(id, words, limit=limit)
            price = count(text) + 1
            if price <= left:
                kept.append((id, text))
                left -= price
                break
    last = fixed[-1]
    texts = [text for _, text in reversed(kept)] + ([last.text] if last.text else [])
    ids = tuple(id for id, _ in reversed(kept)) + last.sources
    return (*fixed[:-1], Section("requests", 1, "\n".join(texts), ids))


def _filled(
    messages: Sequence[Message], told: Told, fixed: tuple[Section, ...], *, budget: int, count: Count, format: Format
) -> tuple[Section, ...]:
    paths = [action.path for m in messages for call in m.calls for action in actions(call) if action.path]
    root = told.root or common_root(paths)
    material = gathered(messages, Places(root, paths)) if messages else None
    if material is None:
        return fixed
    pieces = weighed(material)
    room = (budget - count(written(fixed, format))) * _MOST_CHARS_PER_TOKEN
    chosen = covered(pieces.pieces, pieces.weights, pieces.group_costs, room=room)

    def sections(number: int) -> tuple[Section, ...]:
        shown = [pieces.choices[at] for at in chosen[:number]]
        laid = laid_out(shown, material)
        where = f"paths from {root}\n" if root and laid.files else ""
        ids = sorted({choice.line.id for choice in shown if choice.line}, key=lambda one: (len(one), one))
        return (
            *fixed,
            Section("files", 4, where + laid.files if laid.files else ""),
            Section("work", 3, laid.work, tuple(ids)),
        )

    best = longest_fitting(len(chosen), lambda number: count(written(sections(number), format)) <= budget)
    return sections(best)
