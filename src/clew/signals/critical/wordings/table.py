"""The wordings of ``wordings.toml``, which says what its fields mean; and how a sentence is searched for them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Any

import re2

from clew.domain.critical import ItemKind, Scope
from clew.text import decisions
from clew.text.language import LANGUAGES
from clew.text.phrases import any_of

#: Room for the automaton's states; it starts anew when they are full.
_AUTOMATON_BYTES = 32 << 20
_PART = re.compile(r"\{([A-Z_]+)\}")
_LINE_BREAK = re.compile(r"\n *")


class Strength(IntEnum):
    """How sure a wording is: only proposed; in force where it is said; in force within a long document too."""

    WEAK = 0
    PLAIN = 1
    STRONG = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A row of the table."""

    kind: ItemKind
    pattern: str
    strength: Strength
    scope: Scope | None
    asks: bool
    states: bool
    is_fact: bool
    unless: str
    along: str


def _fill_parts(pattern: str, parts: Mapping[str, str]) -> str:
    return _PART.sub(lambda match: parts[match[1]], _LINE_BREAK.sub("", pattern))


def _all_parts(written: Mapping[str, str]) -> dict[str, str]:
    """The parts of the table, and those that other folders share."""
    names = ("DECIDED_TO", "GOING_WITH", "WILL_FOLLOW", "NOT_NEEDED")
    parts = {name: getattr(decisions, name) for name in names}
    parts |= {"CHOICES": "|".join(sorted(CHOICES)), "LANGUAGES": "|".join(sorted(LANGUAGES))}
    for name, pattern in written.items():
        parts[name] = _fill_parts(pattern, parts)
    return parts


def _pattern(row: Mapping[str, Any]) -> str:
    if "pattern" in row:
        return _fill_parts(row["pattern"], PARTS)
    start, end = (_fill_parts(row.get(name, r"\b"), PARTS) for name in ("start", "end"))
    return any_of(*(_fill_parts(pattern, PARTS) for pattern in row["any"]), start=start, end=end)


def _wording(row: Mapping[str, Any]) -> Wording:
    kind, *is_ = row["is"].split()
    scope = next((word for word in is_ if word in set(Scope)), "user" if "fact" in is_ else "")
    return Wording(
        kind=ItemKind(kind),
        scope=Scope(scope) if scope else None,
        pattern=_pattern(row),
        strength=Strength.STRONG if "strong" in is_ else Strength.PLAIN,
        asks="asks" in is_,
        states="states" in is_ or "fact" in is_,
        is_fact="fact" in is_,
        unless=_fill_parts(row.get("unless", ""), PARTS),
        along=_fill_parts(row.get("along", ""), PARTS),
    )


def _changes(rows: Mapping[str, Any]) -> dict[str, Any]:
    joined = {name: _LINE_BREAK.sub("", row) for name, row in rows.items() if isinstance(row, str)}
    lists = {name: row for name, row in rows.items() if name not in joined}
    chooses = f"(?:{joined['chooses']})"
    return joined | {
        name: [_LINE_BREAK.sub("", form).replace("{CHOOSES}", chooses) for form in forms]
        for name, forms in lists.items()
    }


_TABLE = tomllib.loads((resources.files(__package__) / "wordings.toml").read_text("utf-8"))
#: What each choice is about, of which people choose one: "indentation" by "tabs" and by "spaces".
CHOICES: dict[str, str] = {value: about for about, values in _TABLE["choices"].items() for value in values.split()}
PARTS = _all_parts(_TABLE["parts"])
WORDINGS = tuple(map(_wording, _TABLE["wordings"]))
#: How people word that they choose otherwise.
CHANGES: dict[str, Any] = _changes(_TABLE["changes"])
#: Lines that announce a list of rules: what its items are, and their scope.
LEADS = tuple(
    (ItemKind(kind), Scope(scope), _pattern(row)) for row in _TABLE["leads"] for kind, scope in [row["is"].split()]
)


@cache
def _automaton() -> Any:
    """All wordings as one automaton: one pass over a sentence tells which of them it holds."""
    options = re2.Options()
    options.max_mem = _AUTOMATON_BYTES
    automaton = re2.Set.SearchSet(options)
    for wording in WORDINGS:
        automaton.Add(wording.pattern)
    automaton.Compile()
    return automaton


def wordings_in(plain: str) -> list[Wording]:
    """The wordings that a sentence in small letters holds, in the order in which they are to be tried."""
    matches: Iterable[int] = _automaton().Match(plain) or ()
    return [WORDINGS[index] for index in sorted(matches)]
