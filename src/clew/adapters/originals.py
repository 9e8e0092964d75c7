"""Messages of a framework as it gave them, found again by what they say.

What a pack sends word for word goes out as the very object that came in, whatever else that object carries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

#: What an object says: marks of its parts.
Key = tuple[bytes, ...]
Keyed = tuple[Key, Any]


class Originals:
    """Finds objects by what they say; each once, the newest of equal ones first."""

    def __init__(self, keyed: Iterable[Keyed]) -> None:
        self._found: defaultdict[Key, list[Any]] = defaultdict(list)
        for key, value in keyed:
            self._found[key].append(value)
        self.longest = max(map(len, self._found), default=0)

    def take(self, key: Key) -> Any | None:
        """Returns the newest object that says this and was not taken yet; None where there is none."""
        found = self._found.get(key)
        return found.pop() if found else None


class OriginalReader:
    """Reads what the objects of a caller's list say. Those that come again are not read again."""

    def __init__(self, read: Callable[[Any], list[Keyed]]) -> None:
        self.read = read
        self._known: dict[int, tuple[Any, list[Keyed]]] = {}

    def originals(self, given: Sequence[Any]) -> Originals:
        """Returns the objects of a list, to be found again."""
        known = self._known
        read = {id(one): known[id(one)] if id(one) in known else (one, self.read(one)) for one in given}
        self._known = read
        return Originals(keyed for one in given for keyed in read[id(one)][1])
