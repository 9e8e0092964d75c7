"""The timeline: one line for every segment that nothing else in the snapshot names. Where those have no room, the
oldest roll up into eras, which say what is in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from clew.domain import Header
from clew.domain.ids import parse_segment
from clew.ports import TokenCounter
from clew.text.memo import remember
from clew.text.stems import topic_stem
from clew.text.stop_words import STATEMENT_STOP_WORDS
from clew.text.trim import cut_at_word
from clew.text.vocabulary import words

#: Share of the room for eras, and the tokens that one takes at least: those that fit are told apart.
_ERA_SHARE, _ERA_TOKENS = 0.5, 40
#: Characters of an era's line and of each topic in it, and the words of a topic.
_ERA_CHARS, _TOPIC_CHARS, _TOPIC_WORDS = 160, 40, 3
#: Words of so few letters tell something only beside others.
_SHORT_WORD = 5
_WORD = re.compile(r"[^\W_][\w'’./#@+-]*[\w+#]|[^\W\d_]|[^\w\s'’`*]+")
#: Words by which people ask, and agents report, whatever it is about.
_EMPTY = STATEMENT_STOP_WORDS | words(
    "achieve added agree amazing appreciate asked awesome back best better change changed check completed considering"
    " couple create current currently done ensure exactly failed failing feel find fix fixed follow glad go going good"
    " great handle happened help how's i'd i'll i'm i've implement including issue it's keep know let's look looks love"
    " made make making new next nice passed proceed properly question read returns run running said say seems show"
    " sounds start take tell that's there's think time totally trouble trying understand update use used using want"
    " wanted we're what's work worked working wow you're"
)


def timeline_lines(
    headers: Sequence[Header], named: Collection[int], *, room: int, count: TokenCounter
) -> list[tuple[str, str]]:
    """Returns pairs of id and line, oldest first, within the room; eras stand for all that have none.

    Exchanges in ``named`` stand elsewhere in the snapshot under their id.
    """
    left = _without_repeats([header for header in headers if _exchange(header) not in named])
    lines = [(header.id, header.line) for header in left]
    prices = [count(f"{id} {line}") + 1 for id, line in lines]
    first, newest = 0, sum(prices)
    while newest > (room * (1 - _ERA_SHARE) if first else room):
        newest -= prices[first]
        first += 1
    for amount in range(max(1, (room - newest) // _ERA_TOKENS), 0, -1):
        eras = _eras(left[:first], amount)
        if amount == 1 or sum(count(f"{id} {line}") + 1 for id, line in eras) <= room - newest:
            return [*eras, *lines[first:]]
    return lines


def _without_repeats(headers: Sequence[Header]) -> list[Header]:
    """The headers, with one for each run of those that say the same."""
    found = list[Header]()
    for _, same in groupby(headers, key=lambda header: header.line):
        run = list(same)
        found.append(replace(run[0], id=_span(run), segments=sum(header.segments for header in run)))
    return found


def era_line(headers: Sequence[Header]) -> tuple[str, str]:
    """Returns the span of a run of segments, how many they are, and what they were about."""
    return _eras(headers, 1)[0]


def _eras(headers: Sequence[Header], amount: int) -> list[tuple[str, str]]:
    """So many runs of about as many segments, each as its span and what tells it from the others."""
    length = max(1, -(-len(headers) // amount))
    runs = [headers[at : at + length] for at in range(0, len(headers), length)]
    uses = [
        Counter(stem for header in run for stem in {topic_stem(word) for topic in _topics(header) for word in topic})
        for run in runs
    ]
    everywhere = Counter(stem for used in uses for stem in used)
    return [(_span(run), _era_text(run, used, everywhere)) for run, used in zip(runs, uses, strict=True)]


def _span(headers: Sequence[Header]) -> str:
    first, last = headers[0].id.split("–")[0], headers[-1].id.split("–")[-1]
    return first if first == last else f"{first}–{last}"


def _era_text(headers: Sequence[Header], used: Mapping[str, int], everywhere: Mapping[str, int]) -> str:
    """How many segments there are, and their topics: those that most of them share and other eras have not, each once,
    in the order in which they came up. A plain word alone is a topic only of several."""
    if len(headers) == 1:
        return headers[0].line
    worth = {stem: times / everywhere[stem] for stem, times in used.items()}
    found = list(dict.fromkeys(topic for header in headers for topic in _topics(header)))
    found = [topic for topic in found if len(topic) > 1 or used[topic_stem(topic[0])] > 1 or _is_name(topic[0])]
    ranked = sorted(found, key=lambda topic: -sum(worth[topic_stem(word)] for word in topic) / len(topic) ** 0.5)
    told, chosen = set[str](), list[tuple[str, ...]]()
    lead = f"{sum(header.segments for header in headers)} segments"
    left = _ERA_CHARS - len(lead)
    for topic in ranked:
        stems, price = set(map(topic_stem, topic)), len(" ".join(topic)) + 2
        if stems.isdisjoint(told) and price <= left:
            told, left = told | stems, left - price
            chosen.append(topic)
    said = ", ".join(cut_at_word(" ".join(topic), _TOPIC_CHARS) for topic in sorted(chosen, key=found.index))
    return f"{lead}: {said}" if said else lead


def _topics(header: Header) -> tuple[tuple[str, ...], ...]:
    """Runs of telling words in what was wanted, or else in the header's line."""
    return _topics_in(header.topic or header.line)


@remember(1 << 10)  # all headers are asked each time that sections are fitted
def _topics_in(text: str) -> tuple[tuple[str, ...], ...]:
    found, topic = list[tuple[str, ...]](), list[str]()
    for word in (*_WORD.findall(text), ""):
        if len(word) > 1 and word[0].isalnum() and word.lower().replace("’", "'") not in _EMPTY:
            topic.append(word)
            continue
        if len(topic) > 1 or any(len(one) > _SHORT_WORD or _is_name(one) for one in topic):
            found.append(tuple(topic[-_TOPIC_WORDS:]))
        topic = []
    return tuple(found)


def _is_name(word: str) -> bool:
    return not word[0].isdigit() and not word[1:].islower()


def _exchange(header: Header) -> int:
    named = parse_segment(header.id)
    return named.exchange if named else -1
