"""Length: so many words, sentences, lines, paragraphs, characters or things; at most, at least, exactly, about.

People count differently from programs, so a reply is given the counting that suits it best, and a little over the
limit is no breach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from clew.signals.adherence.checks.reply import Reply, count_words
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.text.sentences import sentences

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "hundred": 100, "a hundred": 100, "one hundred": 100, "two hundred": 200, "a single": 1, "single": 1,
    "a couple of": 2, "a couple": 2, "a few": 4, "few": 4,
}  # fmt: skip
_NUMBER = r"(\d{1,6}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_UNITS = {
    "word": "words", "sentence": "sentences", "line": "lines", "paragraph": "paragraphs", "character": "characters",
    "para": "paragraphs", "char": "characters", "letter": "characters", "stanza": "paragraphs", "verse": "paragraphs",
    "bullet": "things", "point": "things", "item": "things", "step": "things", "section": "things", "entrie": "things",
}  # fmt: skip
_RANGE = re.compile(
    r"\b(?:between )?(\d{1,6})\s?(?:-|–|to|and)\s?(\d{1,6})[ -](?:[a-z]+ )?(word|sentence|line|paragraph|character"
    r"|char)s?\b"
)
_COUNT = re.compile(rf"(?:\b|~){_NUMBER}[ -](?=[a-z])")
_FOLLOWING = re.compile(r"[a-z'-]+")
#: How far behind the number its noun may stand: three short but telling examples.
_MAX_ADJECTIVES = 4
#: A greeting, a title or a name on a line of its own is no paragraph to everybody.
_LEAST_PARAGRAPH = 8
#: Three characters are people in a story.
_LEAST_CHARACTERS = 20
_BEFORE = re.compile(
    r"(no more than|not more than|at most|up to|under|within|below|less than|fewer than|shorter than|no longer than"
    r"|max(?:imum)?(?: length)?(?: of)?|exceed(?:ing|s)?|limit(?:ed|s)?(?: [a-z]+){0,5} to|at least|no fewer than"
    r"|no less than|minimum(?: of)?|more than|over|longer than|above|exactly|precisely|about|around|approximately"
    r"|approx\.?|roughly|~|restrict(?:ed|s)?(?: [a-z]+){0,4} to|keep(?: [a-z]+){0,4} to|kept to|in only|only|just"
    r"|max:?)\s*(?:a |the |be |to )?\Z"
)
_AFTER = re.compile(
    r"\s*(?:long )?(?:or (less|fewer|under|more|so|longer)|(max(?:imum)?|tops|at most|min(?:imum)?|or so|limit)"
    r"|total)\b"
)
_PER = re.compile(
    r"\A[\w ]{0,12}\b(?:per|each|every|for each|for every|in each)\b(?! (?:response|answer|reply|message))"
)
_EACH = re.compile(r"\b(?:each|every)\b (?!time\b|response|answer|reply|message|output)(?:[a-z]+ ){0,4}")
_AT_MOST = re.compile(
    r"no more|not more|at most|up to|under|within|below|less|fewer than|shorter|no longer|max|limit|restrict|keep"
    r"|kept|only|just"
)
_AT_LEAST = re.compile(r"at least|no fewer|no less|min|more than|over|longer than|above")
_ABOUT = re.compile(r"about|around|approx|roughly|~")
#: Measures of something else, and nouns that nobody counts in a reply.
_NOT_COUNTED = re.compile(
    r"(?:minute|hour|day|week|month|year|second|dollar|percent|time|degree|euro|pound|mile|star|token|pixel|gram"
    r"|column|thi|space|tab|quote|response|answer|clas|proces|plu|bonu|acces|focu|basi|analysi|alway|doe|ha|wa|u"
    r"|point-of-view)\Z"
)
_BREAKS_OFF = frozenset(
    {"of", "for", "per", "to", "that", "with", "and", "or", "in", "on", "from", "about", "as", "by", "the"}
)
_LINES_OF_CODE = re.compile(r"\blines?\b[^.;]{0,40}\b(?:char|column)")
_BRIEF = re.compile(
    r"\b(?:be|keep|kept|is|are|prefer|give|provided?|provide|respond|answer|repl(?:y|ies)|responses?|answers?"
    r"|explanations?)\b[^.;]{0,40}\b(?:concise|concisely|brief|briefly|short|shorter|terse|succinct|to the point"
    r"|quick)\b(?! (?:stor|poem|film|term|introduction|explanation|description|summary of each|overview of each|for"
    r"|yet))"
)


@dataclass(frozen=True, slots=True)
class Length:
    """From ``least`` to ``most`` of a unit (-1 for no limit); ``each`` item has to be so long, not the whole."""

    unit: str
    least: int = -1
    most: int = -1
    each: bool = False
    is_about: bool = False
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        counts = self._of_each(turn.said) if self.each else self._of_all(turn.said)
        if not counts:
            return NOTHING
        return max((self._judged(count) for count in counts), key=lambda one: one.score)

    def _of_all(self, said: Reply) -> list[int]:
        """The countings that a reader may take."""
        if self.unit == "words":
            return sorted({said.core_words, said.words})
        if self.unit == "characters":
            return sorted({len(said.text), len(said.core_text) or len(said.text)})
        if self.unit == "sentences":
            return sorted({len(said.core_sentences), len(said.sentences)})
        if self.unit == "lines":
            return sorted({len(said.lines), sum(1 for line in said.core_text.split("\n") if line.strip())})
        if self.unit == "paragraphs":
            texts = [block for block in said.core if block.kind == "text"]
            long = sum(count_words(block.text) >= _LEAST_PARAGRAPH for block in texts)
            return sorted({len(said.paragraphs), len(texts) or 1, long or 1})
        return sorted({len(said.items), len(said.headings), said.bullets, said.numbers, len(said.paragraphs)})

    def _of_each(self, said: Reply) -> list[int]:
        pieces = said.items if len(said.items) > 1 else said.paragraphs
        measure = {"words": count_words, "sentences": lambda text: len(sentences(text)), "characters": len}
        if self.unit not in measure or not pieces:
            return []
        return [round(median(measure[self.unit](piece) for piece in pieces[:200]))]

    def _judged(self, count: int) -> Judged:
        over = count / self.most if self.most > 0 else 0.0
        under = self.least / max(count, 1) if self.least > 0 else 0.0
        excess = max(over, under)
        if self.unit == "things":
            return Judged(0.9 if excess <= 1.0 else 0.55, sure=excess <= 1.0)
        score = _score(excess, slack=0.1 if self.is_about else 0.0)
        far = abs(count - (self.most if over >= under else self.least)) >= (12 if self.unit == "words" else 2)
        return Judged(score, sure=score > 0.6 or (far and not self.each), evidence=f"{count} {self.unit}")


def _score(excess: float, *, slack: float) -> float:
    """How well a length keeps a limit that it exceeds by that factor: 1 within, .5 at a third more, near 0 at twice."""
    excess = max(0.0, excess - slack)
    if excess <= 1.0:
        return 1.0 - 0.05 * excess
    return max(0.02, 0.9 - 1.2 * (excess - 1.0)) if excess < 1.6 else max(0.02, 0.18 - 0.1 * (excess - 1.6))


@dataclass(frozen=True, slots=True)
class Brief:
    """Short without a number: a short reply keeps it, and nobody knows of others."""

    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        count = turn.said.core_words
        score = 0.95 if count <= 120 else max(0.5, 0.95 - (count - 120) / 900)
        return Judged(score, sure=count <= 120, evidence=f"{count} words")


def lengths(rule: Rule) -> Iterator[Length | Brief]:
    """What a rule says of the length of answers."""
    if not rule.is_about_reply or rule.is_about_code or _LINES_OF_CODE.search(rule.body):
        return
    found = list(_ranges(rule)) or list(_counts(rule))
    yield from found
    if not found and not rule.forbids and _BRIEF.search(rule.body):
        yield Brief()


def _ranges(rule: Rule) -> Iterator[Length]:
    for match in _RANGE.finditer(rule.body):
        low, high = sorted((int(match[1]), int(match[2])))
        before = _BEFORE.search(rule.body[max(0, match.start() - 40) : match.start()])
        negated = rule.forbids or rule.is_negated_before(match.start())
        low = -1 if before and (negated or _AT_MOST.match(before[1])) else low
        yield Length(_UNITS[match[3]], low, high, each=_is_each(rule, match.start(), match.end()))


def _counts(rule: Rule) -> Iterator[Length]:
    for match in _COUNT.finditer(rule.body):
        unit, end = _unit(rule.body, match.end())
        before = _BEFORE.search(rule.body[max(0, match.start() - 60) : match.start()])
        is_one = match[1] in {"a", "an", "one", "single", "a single"}
        if is_one and rule.body[end - 1] == "s":
            continue
        if not unit or (
            is_one and (unit not in {"sentences", "paragraphs"} or rule.body[end:].startswith((" f", " s", "-")))
        ):
            continue
        if unit == "characters" and number(match[1]) < _LEAST_CHARACTERS:
            unit = "things"
        if unit != "things" or before:
            yield _limit(rule, match, end, unit=unit, before=before[1] if before else "")


def _unit(body: str, at: int) -> tuple[str, int]:
    """What is counted behind a number, and where its noun ends; nothing where it is no matter of length."""
    for position in range(_MAX_ADJECTIVES + 1):
        found = _FOLLOWING.match(body, at)
        word = found[0] if found else ""
        noun = word.removesuffix("s")
        if not found or word in _BREAKS_OFF or _NOT_COUNTED.match(noun):
            return "", at
        if noun in _UNITS and (word.endswith("s") or not position):
            return _UNITS[noun], found.end()
        if word.endswith("s") and not word.endswith(("ss", "ous", "'s")) and len(word) > 3:
            return "things", found.end()
        at = found.end() + (body[found.end() : found.end() + 1] == " ")
    return "", at


def number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text]


def _limit(rule: Rule, match: re.Match[str], end: int, *, unit: str, before: str) -> Length:
    limit = number(match[1])
    after = _AFTER.match(rule.body[end : end + 24])
    tail = "".join(filter(None, after.groups())) if after else ""
    each = _is_each(rule, match.start(), end)
    negated = rule.forbids or rule.is_negated_before(match.start(), reach=40)
    if _AT_LEAST.match(before) or "more" in tail or "longer" in tail or tail.startswith("min"):
        is_least = not (negated and re.match(r"more than|over|longer|above", before))
        return Length(unit, limit, each=each) if is_least else Length(unit, most=limit, each=each)
    if (
        _AT_MOST.match(before)
        or "exceed" in before
        or tail in {"less", "fewer", "under", "max", "maximum", "tops", "limit"}
    ):
        return Length(unit, most=limit, each=each)
    if _ABOUT.match(before) or "so" in tail or (unit == "words" and not re.match("exact|precise", before)):
        return Length(unit, limit, limit, each=each, is_about=True)
    few = re.match(r"a few|few|a couple", match[1])
    return Length(unit, most=limit, each=each) if few else Length(unit, limit, limit, each=each)


def _is_each(rule: Rule, start: int, end: int) -> bool:
    return bool(_PER.match(rule.body[end : end + 30])) or bool(_EACH.search(rule.body[:start]))
