"""Where the work changed files, as far as a summary does not tell: functions, tests and lines, file by file."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from clew.domain import Message
from clew.domain.ids import message_id
from clew.history.work_map.view import WorkMap
from clew.summary_patch.edit_places import COMMENT, EditHistory, EditPlace, FileEdits
from clew.summary_patch.focus import Focus
from clew.units.action_units import PROSE
from clew.units.already_said import SaidText
from clew.units.code_lines import removed_lines
from clew.units.unit import Section, Unit, clip_middle, nearness

#: What the places of a file are worth that was changed last, in the present work, and that the summary lacks.
_VALUE = 1.5
#: What a file keeps of its value whose edits are in a commit, or came before the newest request.
_COMMITTED, _BEFORE = 0.4, 0.6
#: The share of a name and of a line that must be missing in the summary, beside the file's name, for it to be told.
_NAME_MISSING, _LINE_MISSING = 0.3, 0.5
_MAX_NAMES, _MAX_PLACES, _LINE_CHARS = 4, 3, 110


def place_losses(
    messages: Sequence[Message],
    history: EditHistory,
    work: WorkMap,
    summary: SaidText,
    focus: Focus,
    *,
    request: int,
) -> Iterator[Unit]:
    """Yields a line for each file of the checkout with places that the summary does not name beside it."""
    gone = removed_lines(messages)
    there = {facts.path for facts in work.files if facts.edited and not facts.deleted}
    for path, edits in history.files.items():
        if path not in there or path.endswith(PROSE) or not work.holds(path):
            continue
        shown = work.relative_path(path)
        descriptions = _describe_edits(edits, shown, summary, gone)
        if not descriptions:
            continue
        text = f"{shown} ({_span(edits)}): {'; '.join(descriptions)}"
        value = _VALUE * nearness(edits.newest, work.now) * min(1.0, focus.closeness(text)) * summary.missing(text)
        value *= _COMMITTED if edits.newest <= work.repository.settled_at else 1.0
        value *= 1.0 if edits.newest > request else _BEFORE
        yield Unit(section=Section.PLACES, number=edits.newest, text=text, value=value)


def _span(edits: FileEdits) -> str:
    numbers = {*edits.added.values(), *edits.removed.values(), *(place.number for place in edits.places)}
    first, last = message_id(min(numbers)), message_id(max(numbers))
    return first if first == last else f"{first}–{last}"


def _describe_edits(edits: FileEdits, path: str, summary: SaidText, gone: Container[str]) -> list[str]:
    """What was added, taken out and changed, without what the summary names beside the file."""

    def missing_names(names: Sequence[str]) -> list[str]:
        return [name for name in names if summary.missing(f"{path} {name}") >= _NAME_MISSING]

    parts = [
        f"{verb} {_list_names(names)}"
        for verb, names in (
            ("adds", missing_names(list(edits.added))),
            ("takes out", missing_names(list(edits.removed))),
        )
        if names
    ]
    places = [place for place in _newest_of_each(edits) if place.fresh not in gone and not COMMENT.match(place.fresh)]
    places = [
        place for place in places if place.name not in edits.removed and edits.added.get(place.name) != place.number
    ]
    alike: dict[str, list[EditPlace]] = {}
    for place in places[-_MAX_PLACES:]:
        alike.setdefault(place.fresh, []).append(place)
    return parts + [description for same in alike.values() if (description := _describe_places(same, path, summary))]


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"{', '.join(names[-_MAX_NAMES:])}{more}"


def _newest_of_each(edits: FileEdits) -> list[EditPlace]:
    """The newest place in each definition, in order."""
    newest = {place.name or place.fresh: place for place in edits.places}
    return sorted(newest.values(), key=lambda newest_place: newest_place.number)


def _describe_places(places: Sequence[EditPlace], path: str, summary: SaidText) -> str:
    """Places with the new line that all of them have, as far as the summary does not tell them."""
    fresh = places[0].fresh
    if summary.missing(fresh) < _LINE_MISSING:
        lost = [
            place.name for place in places if place.name and summary.missing(f"{path} {place.name}") >= _NAME_MISSING
        ]
        return f"in {', '.join(lost)}" if lost else ""
    where = ", ".join(dict.fromkeys(map(_where, places)))
    return f"{where}: `{clip_middle(fresh, _LINE_CHARS)}`" if where else f"`{clip_middle(fresh, _LINE_CHARS)}`"


def _where(place: EditPlace) -> str:
    if not place.name:
        return f"line {place.line}" if place.line else ""
    return f"in {place.name}{f' (line {place.line})' if place.line else ''}"
