"""Messages of many sessions on one scale: rarity of words, lengths and nearness are those of all sessions that are
searched, so that the best of one compares with the best of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from clew.domain import SessionKey, UnitUse
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.search import read_figures, read_times
from clew.ports import Postings, Store
from clew.retrieval.bm25 import WordStatistics, mean_size
from clew.retrieval.exact_first import READ_FOR_PHRASES, Place, exact_first, together
from clew.retrieval.exact_words import exact_words
from clew.retrieval.feedback import rank_by_use
from clew.retrieval.fusion import (
    MEANING,
    PERSON,
    Figures,
    Nearness,
    Preference,
    Ranked,
    find_speakers,
    in_time_score,
    message_scores,
    rank_pool,
    word_scores,
)
from clew.retrieval.query import Query, read_query
from clew.retrieval.words import query_words
from clew.text.dates import Span

#: Messages of one session that are scored: those with the rarest words, and those with all words.
_CANDIDATES = 200
#: Messages of all sessions whose place is looked at more closely.
_POOL = 300
NearnessOf = Callable[[SessionKey, str], Nearness | None]


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that matches, and its score on the scale of all."""

    key: SessionKey
    ranked: Ranked


@dataclass(slots=True)
class _Searched:
    """What is known of one session that holds words of the query, or is near to it."""

    ledger: SessionLedger
    figures: Figures
    postings: Sequence[Postings]
    nearness: Nearness | None
    preference: Preference


class OneScale:
    """Ranks the messages of sessions. ``nearness`` says how near those of a session are to a text, by the products of
    their vectors; None where words alone count. ``read`` returns what a message says, ``uses`` how often replies used
    messages of a session. ``span`` are the times that messages have to be of.
    """

    def __init__(
        self,
        store: Store,
        ledgers: Mapping[SessionKey, SessionLedger],
        *,
        read: Callable[[SessionKey, int], str],
        uses: Callable[[SessionKey], Mapping[str, UnitUse]],
        nearness: NearnessOf | None = None,
        now: float = 0.0,
        span: Span | None = None,
    ) -> None:
        self._store, self._ledgers, self._read, self._uses = store, ledgers, read, uses
        self._nearness, self._now, self._span = nearness, now, span
        self._known: dict[SessionKey, Figures] = {}
        self._found: dict[tuple[tuple[str, ...], int], Mapping[SessionKey, Sequence[Postings]]] = {}

    def rank(self, text: str) -> list[Hit]:
        """Returns the messages that match, best first; of equals, those of the newest session, the newest first."""
        query, exact = read_query(text, now=self._now), exact_words(text)
        if not query.words:
            return []
        if not exact:
            return self._rank_hits(self._search_sessions(query))
        words, limit = (query_words(exact.quoted), READ_FOR_PHRASES) if exact.phrases else (query.words, _CANDIDATES)
        order = exact_first(
            lambda: {(hit.key, hit.ranked.number): hit.ranked for hit in self._rank_hits(self._search_sessions(query))},
            self._holding(words, limit),
            exact,
            read=lambda place: self._read(*place),
            is_person=lambda place: bool(self._figures(place[0]).mark(place[1]) & PERSON),
        )
        return [Hit(key, ranked) for (key, _), ranked in order]

    def _search_sessions(self, query: Query) -> dict[SessionKey, _Searched]:
        """Sessions in the order given, so that equals stand in it."""
        postings = self._postings(query.words, _CANDIDATES)
        near = {key: self._nearness(key, query.meaning) for key in self._ledgers} if self._nearness else {}
        return {
            key: self._one(ledger, query, postings.get(key, ()), near.get(key))
            for key, ledger in self._ledgers.items()
            if key in postings or near.get(key)
        }

    def _one(
        self, ledger: SessionLedger, query: Query, postings: Sequence[Postings], nearness: Nearness | None
    ) -> _Searched:
        figures = self._figures(ledger.key)
        times = read_times(ledger) if query.span else []
        speakers = find_speakers(query.names if figures.labels else (), figures, lambda _: ())
        in_time = {index for index, time in enumerate(times) if _is_within(time, query.span)} if query.span else None
        asker = query.asker and not speakers.names
        preference = Preference(labels=speakers.labels, persons=speakers.persons, asker=asker, in_time=in_time or None)
        return _Searched(ledger, figures, postings, nearness, preference)

    def _rank_hits(self, searched: Mapping[SessionKey, _Searched]) -> list[Hit]:
        statistics = self._statistics(searched)
        words = {
            key: word_scores(searched.postings, searched.figures, statistics) for key, searched in searched.items()
        }
        most = max((score for scores in words.values() for score in scores.values()), default=1.0)
        shares = {key: {number: score / most for number, score in scores.items()} for key, scores in words.items()}
        near = _on_one_scale({key: searched.nearness for key, searched in searched.items() if searched.nearness})
        scores = {
            key: message_scores(shares[key], searched.figures, nearness=near.get(key), preference=searched.preference)
            for key, searched in searched.items()
        }
        order = {key: -index for index, key in enumerate(searched)}
        every = (
            (score + in_time_score(number, searched[key].preference), order[key], number, key)
            for key, scored in scores.items()
            for number, score in scored.items()
        )
        pool: dict[SessionKey, list[int]] = {}
        for _, _, number, key in nlargest(_POOL, every):
            pool.setdefault(key, []).append(number)
        scale = 1.0 + MEANING if near else 1.0
        hits = [
            Hit(key, ranked)
            for key, numbers in pool.items()
            for ranked in rank_by_use(
                rank_pool(
                    numbers, shares[key], scores[key], searched[key].figures, searched[key].preference, scale=scale
                ),
                self._uses(key),
            )
        ]
        return sorted(hits, key=lambda hit: (-hit.ranked.score, -order[hit.key], -hit.ranked.number))

    def _statistics(self, searched: Mapping[SessionKey, _Searched]) -> WordStatistics:
        totals = Counter[str]()
        for search in searched.values():
            totals.update({posting.word: posting.total for posting in search.postings})
        messages = sum(ledger.info.messages for ledger in self._ledgers.values())
        return WordStatistics(messages, mean_size([searched.figures.sizes for searched in searched.values()]), totals)

    def _holding(self, words: Sequence[str], limit: int) -> Iterator[Place]:
        """The messages that hold all the words, the newest of a session first."""
        for key, postings in self._postings(words, limit).items():
            if len(postings) == len(words):
                yield from ((key, number) for number in together(postings, words, self._figures(key).sizes))

    def _postings(self, words: Sequence[str], limit: int) -> Mapping[SessionKey, Sequence[Postings]]:
        asked = (*words,), limit
        if asked not in self._found:
            self._found[asked] = self._store.find_words_in(self._ledgers.keys(), words, limit)
        return self._found[asked]

    def _figures(self, key: SessionKey) -> Figures:
        """What the index knows of the messages of a session; those of other times are not to be found."""
        if key not in self._known:
            figures, ledger = read_figures(self._ledgers[key]), self._ledgers[key]
            sizes = _sizes_within(figures.sizes, read_times(ledger), self._span) if self._span else figures.sizes
            self._known[key] = replace(figures, sizes=sizes)
        return self._known[key]


def _on_one_scale(by_session: Mapping[SessionKey, Nearness]) -> dict[SessionKey, Nearness]:
    """The nearest of all, as shares of the nearest one."""
    products = {
        key: {number: nearness.product(number) or 0.0 for number in nearness.nearest}
        for key, nearness in by_session.items()
    }
    best = {key: max(of_one.values(), default=0.0) for key, of_one in products.items()}
    most = max(best.values(), default=0.0) or 1.0
    near: dict[SessionKey, list[int]] = {key: [] for key in by_session}
    every = ((product, number, key) for key, of_one in products.items() for number, product in of_one.items())
    for _, number, key in nlargest(_POOL, every, key=lambda entry: entry[:2]):
        near[key].append(number)
    return {
        key: replace(nearness, nearest=near[key], of=_scale_by(nearness.of, best[key] / most))
        for key, nearness in by_session.items()
    }


def _scale_by(of: Callable[[int], float], factor: float) -> Callable[[int], float]:
    return lambda number: of(number) * factor


def _sizes_within(sizes: Sequence[int], times: Sequence[float], span: Span) -> list[int]:
    """Sizes of messages, 0 for those of other times: they are not to be found."""
    return [size if index < len(times) and _is_within(times[index], span) else 0 for index, size in enumerate(sizes)]


def _is_within(time: float, span: Span | None) -> bool:
    return span is not None and span[0] <= time < span[1]
