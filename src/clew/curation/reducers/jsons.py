"""JSON: its shape with samples, outliers and counts. Not valid JSON any more, and plain to see where it was cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import orjson

from clew.codecs import jsonio
from clew.text.names import names_and_files_in

#: Members that only say where else to ask the same service, or how it numbers things inside.
_LINKS = re.compile(r"(?:_url|_links|_node_id|^node_id|^gravatar_id|^avatarUrl|^etag|^__typename|^\$schema)$")
#: Members in which people say something get more room.
_WORDS = re.compile(
    r"(?i)^(?:body|message|title|name|description|text|summary|error|reason|detail|content|stdout|stderr)s?$"
)
#: Members by which one item is told from another, and how it fares.
_TELLING = re.compile(
    r"(?i)(?:^|_|\b)(?:id|key|name|title|path|file|filename|status|state|type|kind|code|number|version|line|level|login)$"
)
_BAD = re.compile(r"(?i)error|fail|exception|fatal|denied|timeout|invalid|conflict|critical")
_MAX_DEPTH = 60
#: Nobody looks at more members of one object.
_MAX_MEMBERS = 10_000
_MIN_ROWS = 2
#: Values at least this long are written once; the next time they are as above.
_MIN_REPEATED_CHARS = 120
#: Names are looked for in so many characters of a long string.
_MAX_NAMED, _MAX_NAMES = 8_000, 100


@dataclass(frozen=True, slots=True)
class _Cut:
    """How hard to cut: items of a list, levels of nesting, members of an object, characters of a string.

    ``seen`` holds what was written already with this cut. Whatever the cut, ``names`` holds those of long strings and
    ``odd``, by identity of the list, the places of items that are rare or bad.
    """

    items: int
    depth: int
    members: int
    chars: int = 100_000
    links: bool = False
    seen: set[str] = field(default_factory=set, compare=False)
    names: dict[str, list[str]] = field(default_factory=dict, compare=False)
    odd: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict, compare=False)

    def names_in(self, text: str) -> list[str]:
        """Names in a long string, looked for once."""
        if text not in self.names:
            self.names[text] = names_and_files_in(text[:_MAX_NAMED], limit=_MAX_NAMES)
        return self.names[text]


#: Each shows less than the one before; strings are cut further in each before fewer things are shown.
_WHOLE = (_Cut(10_000, _MAX_DEPTH, 10_000, links=True), _Cut(10_000, _MAX_DEPTH, 10_000))
_CUTS = (
    _Cut(80, 12, 80),
    _Cut(50, 12, 60),
    _Cut(30, 10, 60),
    _Cut(16, 8, 40),
    _Cut(8, 6, 30),
    _Cut(5, 5, 24),
    _Cut(3, 4, 16),
    _Cut(2, 3, 12),
    _Cut(1, 2, 10),
)
#: Strings of fewer characters say little; more are shown where there is room.
_LEAST_STRING_CHARS = 100
_STRING_CHARS = (4_000, 2_000, 1_200, 800, 550, 400, 280, 200, 140)
_HARDEST = _Cut(1, 2, 10, 24)


def parse(text: str) -> tuple[Any] | None:
    """The value in a tuple of one, of JSON or of lines of it; None for what is neither."""
    text = text.strip()
    if text[:1] not in {"{", "["}:
        return None
    try:
        return (orjson.loads(text.encode("utf-8", "replace")),)
    except ValueError:
        return _parse_lines(text)


def _parse_lines(text: str) -> tuple[Any] | None:
    """Lines of JSON, one or two of which may be something else: a notice, or the last one, cut off."""
    rows = [line for line in text.split("\n") if line.strip()]
    values, other = list[Any](), 0
    for row in rows:
        try:
            values.append(orjson.loads(row.encode("utf-8", "replace")))
        except ValueError:
            values.append(row)
            other += 1
        if other > max(1, len(rows) // 20):
            return None
    return (values,) if len(rows) - other >= _MIN_ROWS else None


def reduce(text: str, limit: int) -> str | None:
    """As much as fits: everything, or fewer things with longer strings cut; the hardest cut is clipped."""
    value = parse(text)
    if value is None:
        return None
    names, odd = dict[str, list[str]](), dict[int, tuple[list[int], list[int]]]()
    # What is many times too long will not fit whole: no need to write it out.
    for cut in _WHOLE[(len(text) > 4 * limit) + (len(text) > 20 * limit) :]:
        shown = _render(value[0], replace(cut, seen=set()))
        if len(shown) <= limit:
            return shown
    for cut in _CUTS:
        cut = replace(cut, names=names, odd=odd)
        least = _render(value[0], replace(cut, chars=_LEAST_STRING_CHARS, seen=set()))
        if len(least) <= limit:
            return _render_longest(value[0], cut, limit) or least
    return _render(value[0], replace(_HARDEST, seen=set(), names=names, odd=odd))[:limit]


def _render_longest(value: Any, cut: _Cut, limit: int) -> str:
    """What the cut shows with strings as long as the limit allows; empty if only the shortest fit."""
    best, low, high = "", 0, len(_STRING_CHARS)
    while low < high:
        middle = (low + high) // 2
        shown = _render(value, replace(cut, chars=_STRING_CHARS[middle], seen=set()))
        if len(shown) <= limit:
            best, high = shown, middle
        else:
            low = middle + 1
    return best


def _render(value: Any, cut: _Cut) -> str:
    """One item or member of the outermost value a line."""
    if isinstance(value, list) and value:
        return "\n".join([_count(value), *_render_items(value, cut, 1)])
    if isinstance(value, dict) and value:
        return "\n".join(_render_members(value, cut, 1))
    return _render_value(value, cut, 0)


def _count(items: Sequence[Any]) -> str:
    return f"{len(items):,} items:" if len(items) > 1 else "1 item:"


def _render_value(value: Any, cut: _Cut, depth: int) -> str:
    if isinstance(value, str):
        return _render_once(_render_string(value, cut), cut)
    if isinstance(value, dict):
        if depth >= cut.depth and value:
            return "{" + ", ".join(_member_name(name) for name in list(value)[: cut.members]) + "}"
        return _render_once("{" + ", ".join(_render_members(value, cut, depth + 1)) + "}", cut)
    if isinstance(value, list):
        if depth >= cut.depth and value:
            return f"[{len(value):,} {_kinds(value)}]"
        return _render_once("[" + ", ".join(_render_items(value, cut, depth + 1)) + "]", cut)
    return _dump(value)


def _render_once(text: str, cut: _Cut) -> str:
    """The text, or only its beginning where all of it stands above."""
    if len(text) < _MIN_REPEATED_CHARS:
        return text
    if text in cut.seen:
        return f"{text[:50]} … as above{text[-1]}"
    cut.seen.add(text)
    return text


def _dump(value: Any) -> str:
    return jsonio.dumps(value).decode()  # which knows what to do with half a character


def _render_string(value: str, cut: _Cut) -> str:
    """A long string by its beginning, the names in its middle, and its end."""
    if len(value) <= cut.chars + 20:
        return _dump(value)
    head, tail = cut.chars * 5 // 8, cut.chars // 8
    left = len(value) - head - tail
    names = _list_names(cut.names_in(value), cut.chars // 4, known=value[:head] + value[-tail:])
    gap = f"{left:,} chars: {names}" if names else f"{left:,} chars"
    return f"{_dump(value[:head])[:-1]} …{gap}… {_dump(value[-tail:])[1:]}"


def _list_names(names: Iterable[str], room: int, *, known: str) -> str:
    out: list[str] = []
    for name in names:
        if len(name) + 2 <= room and name not in known:
            room -= len(name) + 2
            out.append(name)
    return _dump(", ".join(out))[1:-1]


def _member_name(name: str) -> str:
    return name[:80] if name.isidentifier() else _dump(name[:80])


def _render_members(value: dict[str, Any], cut: _Cut, depth: int) -> list[str]:
    """Empty members go unsaid, and so do addresses of the service's own; they are counted."""
    if cut.links:
        kept = list(value.items())
    else:
        first = islice(value.items(), _MAX_MEMBERS)
        kept = [(name, item) for name, item in first if not _is_empty(item) and not _LINKS.search(name)]
    kept, left = _most_telling(kept, cut), len(value)
    out = [
        f"{_member_name(name)}: {_render_value(item, _with_more_room(cut) if _WORDS.match(name) else cut, depth)}"
        for name, item in kept
    ]
    left -= len(kept)
    return [*out, f"… {left} more"] if left and not cut.links else out


def _with_more_room(cut: _Cut) -> _Cut:
    return replace(cut, chars=cut.chars * 2)


def _most_telling(members: list[tuple[str, Any]], cut: _Cut) -> list[tuple[str, Any]]:
    """As many members as the cut allows: what speaks of failure, what tells one from another, what is short."""
    if len(members) <= cut.members:
        return members
    ranked = sorted(
        range(len(members)),
        key=lambda place: (
            not _BAD.search(members[place][0]),
            not _TELLING.search(members[place][0]),
            isinstance(members[place][1], dict | list),
            place,
        ),
    )
    return [members[place] for place in sorted(ranked[: cut.members])]


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _render_items(value: list[Any], cut: _Cut, depth: int) -> list[str]:
    """The first items, the last, and those unlike the rest."""
    if len(value) <= cut.items:
        return [_render_value(item, cut, depth) for item in value]
    kept = sorted({*range(max(1, cut.items - 1)), len(value) - 1, *_outliers(value, cut)})
    out, before = list[str](), -1
    for index in kept:
        if index > before + 1:
            out.append(f"… {index - before - 1:,} more {_kinds(value[before + 1 : index])}")
        out.append(_render_value(value[index], cut, depth))
        before = index
    return out


def _outliers(value: Sequence[Any], cut: _Cut) -> list[int]:
    """Items that have another shape than most, or speak of failure where most do not."""
    if id(value) not in cut.odd:
        shapes = [_shape(item) for item in value]
        counts = Counter(shapes)
        rare = [index for index, shape in enumerate(shapes) if counts[shape] * 20 <= len(value)]
        bad = [index for index, item in enumerate(value) if _is_bad(item)]
        cut.odd[id(value)] = rare, bad if len(bad) * 4 <= len(value) else []
    rare, bad = cut.odd[id(value)]
    return sorted({*rare[: cut.items], *bad[: cut.items]})


def _shape(value: Any) -> str:
    """Kind of the value; for an object, the names and kinds of its members, emptiness left out."""
    if isinstance(value, dict):
        return ",".join(sorted(f"{name}:{type(item).__name__}" for name, item in value.items() if not _is_empty(item)))
    return type(value).__name__


def _is_bad(value: Any) -> bool:
    short: Iterable[Any] = value.values() if isinstance(value, dict) else [value]
    return any(isinstance(item, str) and len(item) < 200 and _BAD.search(item) for item in short)


_NAMES = {
    "dict": "objects",
    "list": "lists",
    "str": "strings",
    "int": "numbers",
    "float": "numbers",
    "bool": "booleans",
    "NoneType": "nulls",
}


def _kinds(items: Sequence[Any]) -> str:
    """What the items are; of objects with the same names, these."""
    kinds = sorted({_NAMES.get(type(item).__name__, "values") for item in items})
    if kinds != ["objects"]:
        return " and ".join(kinds)
    names = {tuple(item) for item in items[:50]}
    shared = next(iter(names))[:12] if len(names) == 1 else ()
    return f"objects {{{', '.join(map(_member_name, shared))}}}" if len(names) == 1 else "objects"
