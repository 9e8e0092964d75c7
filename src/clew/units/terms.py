"""Terms: the words and names by which later work picks up what was said before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from clew.text.memo import remember
from clew.text.vocabulary import words

#: Code in backticks, file names, camelCase and snake_case, hashes, links, issue numbers.
NAME = re.compile(
    r"`[^`\n]{2,80}`|https?://[^\s)\"'>]{4,200}|\b[\w./-]{1,120}\.(?:go|py|tsx?|jsx?|rs|md|json|ya?ml|toml|sh|java|rb|php"
    r"|cpp|hpp|c|h|sql|css|html|txt|lock)(?::\d{1,6})?\b|\b[a-z]{1,40}[A-Z]\w{2,60}\b|\b[A-Z][a-z]{1,40}[A-Z]\w{1,60}\b"
    r"|\b[a-z]\w{0,40}_\w{1,60}\b|\b[0-9a-f]{7,40}\b|#\d{2,7}\b|\b[A-Z]{2,8}-\d{1,6}\b"
)
_WORD = re.compile(r"[a-z]{5,30}")
_COMMON = words(
    "about after again already another because before being between could doing every first going hence later little"
    " maybe might needs never nothing other should since something still their there these thing things think those"
    " through under until using where which while without would files tests lines function method added makes"
)
_MAX_CHARS = 12_000
_CONTENT_WORD = re.compile(r"[a-z]{4,30}")
_PLAIN = _COMMON | words(
    "also been does done from have here into just keep know like look make more most much must need next only over same"
    " seem seen some sure than that them then they this very want well were what when will with work your"
)
_LEAST_WORDS = 2


def terms_of(text: str) -> frozenset[str]:
    """Returns the names and longer words of a text, in small letters."""
    return _terms(text[:_MAX_CHARS])


def says_little(text: str) -> bool:
    """Returns True for words that name nothing: no name, no number, hardly a word that is not said everywhere."""
    if not text.isascii() or NAME.search(text) or any(map(str.isdigit, text)):
        return False
    return len(set(_CONTENT_WORD.findall(text.lower())) - _PLAIN) < _LEAST_WORDS


@remember(1 << 13)  # the lines of a session are read again with each of its packs
def _terms(text: str) -> frozenset[str]:
    names = {name.strip("`").lower() for name in NAME.findall(text)}
    return frozenset(names | (set(_WORD.findall(text.lower())) - _COMMON))


class TermUse:
    """Knows which messages used each term: the last one, and all those that report something."""

    def __init__(self, texts: Iterable[tuple[int, str]], reports: Iterable[tuple[int, str]] = ()) -> None:
        self._last: dict[str, int] = {}
        self._reports: dict[str, list[int]] = {}
        for number, text in texts:
            self._last.update(dict.fromkeys(terms_of(text), number))
        for number, text in reports:
            for term in terms_of(text):
                self._reports.setdefault(term, []).append(number)

    def picked_up(self, terms: Iterable[str], number: int) -> float:
        """Returns the share of terms that messages after the next one used again."""
        all_terms = list(terms)
        return sum(self._last.get(term, 0) > number + 1 for term in all_terms) / max(1, len(all_terms))

    def most_retold(self, terms: Collection[str], number: int) -> float:
        """Returns the largest share of terms that one later report uses."""
        later = Counter(report for term in terms for report in self._reports.get(term, ()) if report > number)
        return max(later.values(), default=0) / max(1, len(terms))

    def is_used_after(self, term: str, number: int) -> bool:
        """Returns True when a message after the next one used the term."""
        return self._last.get(term, 0) > number + 1
