"""JSON: its shape with samples, outliers and counts. Not valid JSON any more, and plain to see where it was cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

#: Members that only say where else to ask the same service, or how it numbers things inside.
_LINKS = re.compile(r"(?:_url|_links|_node_id|^node_id|^gravatar_id|^avatarUrl|^etag|^__typename|^\$schema)$")
#: Members in which people say something get more room.
_WORDS = re.compile(
    r"(?i)^(?:body|message|title|name|description|text|summary|error|reason|detail|content|stdout|stderr)s?$"
)
_BAD = re.compile(r"(?i)error|fail|exception|fatal|denied|timeout|invalid|conflict|critical")
_MAX_DEPTH = 60
_MIN_ROWS = 2


@dataclass(frozen=True, slots=True)
class _Cut:
    """How hard to cut: items of a list, characters of a string, levels of nesting, members of an object."""

    items: int
    chars: int
    depth: int
    members: int
    links: bool = False


#: Each shows less than the one before.
_CUTS = (
    _Cut(10_000, 100_000, _MAX_DEPTH, 10_000, links=True),
    _Cut(10_000, 100_000, _MAX_DEPTH, 10_000),
    _Cut(80, 2_000, 12, 80),
    _Cut(50, 1_000, 12, 60),
    _Cut(30, 500, 10, 60),
    _Cut(16, 300, 8, 40),
    _Cut(8, 160, 6, 30),
    _Cut(5, 100, 5, 24),
    _Cut(3, 60, 4, 16),
    _Cut(2, 40, 3, 12),
    _Cut(1, 24, 2, 10),
)


def parsed(text: str) -> tuple[Any] | None:
    """The value in a tuple of one, of JSON or of lines of it; None for what is neither."""
    text = text.strip()
    if text[:1] not in {"{", "["}:
        return None
    try:
        return (orjson.loads(text.encode("utf-8", "replace")),)
    except ValueError:
        return _lines(text)


def _lines(text: str) -> tuple[Any] | None:
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


def reduced(text: str, limit: int) -> str | None:
    """The first cut that fits; the hardest is clipped if even that does not."""
    value = parsed(text)
    if value is None:
        return None
    shown = ""
    # What is many times too long will not fit whole: no need to write it out.
    for cut in _CUTS[(len(text) > 4 * limit) + (len(text) > 20 * limit) :]:
        shown = _shown(value[0], cut)
        if len(shown) <= limit:
            return shown
    return shown[:limit]


def _shown(value: Any, cut: _Cut) -> str:
    """One item or member of the outermost value a line."""
    if isinstance(value, list) and value:
        return "\n".join([_count(value), *_items(value, cut, 1)])
    if isinstance(value, dict) and value:
        return "\n".join(_members(value, cut, 1))
    return _text(value, cut, 0)


def _count(items: Sequence[Any]) -> str:
    return f"{len(items):,} items:" if len(items) > 1 else "1 item:"


def _text(value: Any, cut: _Cut, depth: int) -> str:
    if isinstance(value, str):
        return _string(value, cut)
    if isinstance(value, dict):
        if depth >= cut.depth and value:
            return "{" + ", ".join(_bare(name) for name in list(value)[: cut.members]) + "}"
        return "{" + ", ".join(_members(value, cut, depth + 1)) + "}"
    if isinstance(value, list):
        if depth >= cut.depth and value:
            return f"[{len(value):,} {_kinds(value)}]"
        return "[" + ", ".join(_items(value, cut, depth + 1)) + "]"
    return _plain(value)


def _plain(value: Any) -> str:
    return orjson.dumps(value).decode()


def _string(value: str, cut: _Cut) -> str:
    if len(value) <= cut.chars + 20:
        return _plain(value)
    head, tail = cut.chars * 3 // 4, cut.chars // 4
    return f"{_plain(value[:head])[:-1]} …{len(value) - head - tail:,} chars… {_plain(value[-tail:])[1:]}"


def _bare(name: str) -> str:
    return name[:80] if name.isidentifier() else _plain(name[:80])


def _members(value: dict[str, Any], cut: _Cut, depth: int) -> list[str]:
    """Empty members go unsaid, and so do addresses of the service's own; they are counted."""
    if cut.links:
        kept = list(value.items())
    else:
        kept = [(name, item) for name, item in value.items() if not _is_empty(item) and not _LINKS.search(name)]
    kept, left = _telling(kept, cut), len(value)
    out = [f"{_bare(name)}: {_text(item, _roomy(cut) if _WORDS.match(name) else cut, depth)}" for name, item in kept]
    left -= len(kept)
    return [*out, f"… {left} more"] if left and not cut.links else out


def _roomy(cut: _Cut) -> _Cut:
    return replace(cut, chars=cut.chars * 3)


def _telling(members: list[tuple[str, Any]], cut: _Cut) -> list[tuple[str, Any]]:
    """As many members as the cut allows: what speaks of failure, then what is short, in their order."""
    if len(members) <= cut.members:
        return members
    ranked = sorted(
        range(len(members)),
        key=lambda at: (not _BAD.search(members[at][0]), isinstance(members[at][1], dict | list), at),
    )
    return [members[at] for at in sorted(ranked[: cut.members])]


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _items(value: list[Any], cut: _Cut, depth: int) -> list[str]:
    """The first items, the last, and those unlike the rest."""
    if len(value) <= cut.items:
        return [_text(item, cut, depth) for item in value]
    kept = sorted({*range(max(1, cut.items - 1)), len(value) - 1, *_outliers(value, cut)})
    out, before = list[str](), -1
    for at in kept:
        if at > before + 1:
            out.append(f"… {at - before - 1:,} more {_kinds(value[before + 1 : at])}")
        out.append(_text(value[at], cut, depth))
        before = at
    return out


def _outliers(value: Sequence[Any], cut: _Cut) -> list[int]:
    """Items that have another shape than most, or speak of failure where most do not."""
    shapes = [_shape(item) for item in value]
    counts = Counter(shapes)
    rare = [at for at, shape in enumerate(shapes) if counts[shape] * 20 <= len(value)]
    bad = [at for at, item in enumerate(value) if _is_bad(item)]
    return sorted({*rare[: cut.items], *(bad[: cut.items] if len(bad) * 4 <= len(value) else ())})


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
    return (
        "objects" if len(names) != 1 else "objects {" + ", ".join(_bare(name) for name in next(iter(names))[:12]) + "}"
    )
