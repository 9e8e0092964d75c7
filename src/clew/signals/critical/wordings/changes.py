"""Words by which somebody openly chooses otherwise: "X instead of Y", "change of plan: …", "scrap that"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.wordings.doubts import most_allowed
from clew.signals.critical.wordings.scope import scope_of
from clew.signals.critical.wordings.table import CHANGES, Strength
from clew.text.memo import remember

_NAME = r"(?:[\w+#/-]+(?:\.\w+)*)(?: [\w+#/-]+(?:\.\w+)*){0,3}?"
#: Where a name ends.
_END = (
    r"(?=\W*$|[,;:.!–—]\s|\s(?:for|in|on|because|since|as|from|please|now|then|when|with|and|but|so|after|to|at|by"
    r"|these)\b)"
)
#: A longer sentence says more than what is chosen.
_MAX_CHARS = 240
_INSTEAD = re.compile(r"\binstead\W*$")
_SMALL = re.compile(r"\A(?:(?:the|a|an|our|my|that|using|use)\s)+|\s(?:ones?|thing|idea|plan)\Z")
#: What is chosen by a common noun may be anything at hand; a name stands alone.
_COMMON = re.compile(r"(?:an?|the|this|that|it|these|those|your|my|one|both|all)\b")


@cache
def _lead() -> re.Pattern[str]:
    openly = rf"(?P<openly>{CHANGES['openly']})(?:\W*$|\s*[,;:.!–—]+\s*|\s+and\s+)"
    lightly = rf"(?P<lightly>{CHANGES['lightly']})\b\W+"
    return re.compile(rf"\W*(?:{openly}|{lightly}|(?:{CHANGES['fillers']})\b\W+){{0,4}}")


@cache
def _choice() -> re.Pattern[str]:
    chosen = rf"(?:{CHANGES['chooses']}) (?P<chosen>{_NAME})(?: instead)?{_END}"
    return re.compile(rf"{chosen}|(?P<named>{_NAME}) (?:it is|for the)\b")


@cache
def _forms() -> list[re.Pattern[str]]:
    old, new = (rf"(?P<{name}>{_NAME}){_END}" for name in ("old", "new"))
    forms = (*CHANGES["names"], *CHANGES["back"])
    return [re.compile(form.replace("{OLD}", old).replace("{NEW}", new)) for form in forms]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of mind: ``old`` names what goes, ``back_to`` what holds again. Where neither is named, what was chosen
    before on the same is meant; ``points``: or what was said just before. ``is_bare``: nothing is chosen in its place.
    """

    old: str = ""
    back_to: str = ""
    points: bool = False
    is_bare: bool = False


@remember(256)
def change_in(text: str) -> Change | None:
    """The change of mind that a sentence tells; None for any other, and where it asks, supposes or is for once."""
    plain = " ".join(text.replace("’", "'").lower().split())
    return next(_changes(plain), None) if _is_meant(plain) else None


def _is_meant(plain: str) -> bool:
    is_asked = plain.rstrip("\"'*)”’ ").endswith(("?", "？"))
    if is_asked or len(plain) > _MAX_CHARS or scope_of(plain, ItemKind.DECISION) is Scope.TASK:
        return False
    return most_allowed(plain, len(plain), len(plain)) is Strength.STRONG


def _changes(plain: str) -> Iterator[Change]:
    lead = _lead().match(plain)
    begin, opened, lightly = (lead.end(), lead["openly"], lead["lightly"]) if lead else (0, None, None)
    for match in filter(None, (form.match(plain, begin) for form in _forms())):
        named = {name: _SMALL.sub("", words) for name, words in match.groupdict().items()}
        yield Change(old=named.get("old", ""), back_to=named.get("new", ""))
    if opened and begin == len(plain):
        yield Change(points=True, is_bare=True)
    if choice := _choice().match(plain, begin):
        name = choice["named"] or choice["chosen"]
        is_swap = bool(_INSTEAD.search(plain)) and name.removesuffix(" instead").isalpha()  # no "port 80 instead"
        is_open = bool(opened or is_swap or (lightly and choice["named"]))
        if is_open or lightly:
            yield Change(points=is_open and not _COMMON.match(name))
