"""What a text says already: the one answer to whether something needs to be told beside it.

Two texts say the same by their telling tokens, if these stand near to one another: words that stand apart say
something else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from clew.text.sentences import sentences
from clew.text.telling_tokens import telling_tokens
from clew.text.trim import one_line

#: A sentence is looked at with so many on each side: what one says may be told in two.
_NEIGHBOURS = 1
#: Parts of what counts as held: tokens that stand near to one another, and those that stand anywhere.
_NEAR_SHARE = 0.65
#: What a token keeps of its weight if all texts have it.
_COMMON = 0.25
#: What is gained of a token that the summary has, though in another place.
_APART = 0.3
#: Lines of a window, where tokens are taken alike.
_WINDOW = 4
#: A token with more places than this stands all over a text.
_ALL_OVER = 30
_FENCE = ("```", "~~~")


class SaidText:
    """A text as sentences, and what it says of any other. Lines that are added to it are said from then on."""

    def __init__(self, text: str, texts: Iterable[str] = (), *, weighs: bool = True) -> None:
        """``texts`` are those that will be compared: a token that many of them have tells little. One that ``weighs``
        nothing takes all tokens alike, line by line: that a line was repeated with another number tells little."""
        self._weighs = weighs
        self._unread: list[str] = []
        self._texts: list[str] = []
        self._plain: str | None = None
        self._sentences: list[str] = []
        self._places: dict[str, set[int]] = {}
        self._counts = Counter(token for text in texts for token in telling_tokens(text))
        self._most = max(self._counts.values(), default=0) + 1
        self.add(text)

    def add(self, text: str) -> None:
        """Takes in a text that stands below the others."""
        self._unread.append(text)
        self._texts.append(text)
        self._plain = None

    @property
    def sentences(self) -> list[str]:
        """The sentences of the text and its lines of code, in order, with an empty one between texts."""
        self._read()
        return self._sentences

    def _read(self) -> None:
        """Notes where the tokens of texts stand that came since the last time: not all who ask need that."""
        for text in self._unread:
            split = _split(text) if self._weighs else text.split("\n")
            for sentence in (*([""] if self._sentences else []), *split):
                place = len(self._sentences)
                self._sentences.append(sentence)
                near = range(place - _NEIGHBOURS, place + _NEIGHBOURS + 1) if self._weighs else _windows(place)
                for token in telling_tokens(sentence):
                    self._places.setdefault(token, set()).update(near)
        self._unread.clear()

    def missing(self, text: str) -> float:
        """Returns the share of what a text tells that is not said, from 0 to 1."""
        if self._unread:
            self._read()
        if not self._weighs:
            return self._missing_alike(telling_tokens(text))
        weights = self.weights(text)
        total = sum(weights.values())
        if not total:
            return 0.0
        near = max(self._near(weights).values(), default=0.0)
        anywhere = sum(weight for token, weight in weights.items() if token in self._places)
        return 1 - (_NEAR_SHARE * near + (1 - _NEAR_SHARE) * anywhere) / total

    def gain(self, text: str) -> float:
        """Returns the weight of what a text tells that stands nowhere, and part of what stands apart."""
        self._read()
        weights = self.weights(text)
        near = self._near(weights)
        best = max(near, key=lambda place: (near[place], -place), default=None)
        return sum(weight * self._lack(token, best) for token, weight in weights.items())

    def _lack(self, token: str, place: int | None) -> float:
        places = self._places.get(token)
        return 1.0 if not places else 0.0 if place in places else _APART

    def has(self, token: str) -> bool:
        """Returns True when every telling token of a name or an id stands in the text."""
        self._read()
        return all(token in self._places for token in telling_tokens(token))

    def quotes(self, words: str) -> bool:
        """Returns True when the text has these very words, in whatever case and however its lines break."""
        if self._plain is None:
            self._plain = one_line("\n".join(self._texts)).casefold()
        return one_line(words).casefold() in self._plain

    def names_branch(self, name: str) -> bool:
        """Returns True when the text has a branch by its name, or by the last part of it if that is telling."""
        last = name.rpartition("/")[2]
        forms = (name, last) if any(sign in last for sign in "-_0123456789") else (name,)
        return any(form.lower() in sentence.lower() for sentence in self.sentences for form in forms)

    def names_request(self, number: str) -> bool:
        """Returns True when the text names a pull request or an issue by its number."""
        named = re.compile(rf"(?:#|\b(?:PR|MR|pull|issues?|merge_requests|request)[ /#]*){number}\b", re.IGNORECASE)
        return any(map(named.search, self.sentences))

    def closest(self, text: str) -> str:
        """Returns the sentence that shares most with a text; empty if none shares anything."""
        weights = self.weights(text)
        shares = (
            (sum(weight for token, weight in weights.items() if token in telling_tokens(sentence)), -index)
            for index, sentence in enumerate(self.sentences)
        )
        best, negative_index = max(shares, default=(0.0, 0))
        return self.sentences[-negative_index] if best > 0 else ""

    def weights(self, text: str) -> dict[str, float]:
        """Returns the telling tokens of a text, each with what it tells in this session."""
        return {token: weight * self._rarity(token) for token, weight in telling_tokens(text).items()}

    def _rarity(self, token: str) -> float:
        rarity = 1 - math.log(1 + self._counts[token]) / math.log(1 + self._most)
        return _COMMON + (1 - _COMMON) * rarity

    def _missing_alike(self, tokens: Collection[str]) -> float:
        """The share that is not said, of tokens that tell alike; what stands all over the text is near to anything."""
        known_places = [self._places[token] for token in tokens if token in self._places]
        if not known_places:
            return 1.0 if tokens else 0.0
        rare = [places for places in known_places if len(places) <= _ALL_OVER]
        near = len(known_places) - len(rare) + max(Counter(chain.from_iterable(rare)).values(), default=0)
        return 1 - (_NEAR_SHARE * near + (1 - _NEAR_SHARE) * len(known_places)) / len(tokens)

    def _near(self, weights: Mapping[str, float]) -> dict[int, float]:
        sums: dict[int, float] = {}
        for token, weight in weights.items():
            for place in self._places.get(token, ()):
                sums[place] = sums.get(place, 0.0) + weight
        return sums


def shows(text: str, forms: Iterable[str]) -> bool:
    """Returns whether a text holds any of the forms, not as a piece of a longer word."""
    return any(form in text and _stands_alone(text, form) for form in forms)


def _stands_alone(text: str, form: str) -> bool:
    index = text.find(form)
    while index >= 0:
        before, after = text[index - 1 : index] if index else "", text[index + len(form) : index + len(form) + 1]
        if not (before.isalnum() and form[0].isalnum()) and not (after.isalnum() and form[-1].isalnum()):
            return True
        index = text.find(form, index + 1)
    return False


def _windows(line: int) -> tuple[int, int]:
    """The two windows of a few lines that a line stands in: fewer places to count than neighbours of each."""
    return 2 * (line // _WINDOW), 2 * ((line + _WINDOW // 2) // _WINDOW) + 1


def _split(text: str) -> Iterator[str]:
    """The sentences of a text and its lines of code, in order."""
    in_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCE):
            in_code = not in_code
        elif in_code:
            yield line.strip()
        else:
            yield from sentences(line)
