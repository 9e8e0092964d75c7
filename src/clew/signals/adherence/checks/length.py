"""Length: so many words, sentences, lines, paragraphs, characters or things; at most, at least, exactly, about.

People count differently from programs, so a reply is given the counting that suits it best, and a little over the
limit is no breach.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median

from clew.signals.adherence.checks.reply import Reply, count_words
from clew.signals.adherence.checks.rows import Row, of_answers
from clew.signals.adherence.checks.rule import NUMBER, RuleSentence, number
from clew.signals.adherence.checks.turn import NOTHING, CheckedTurn, Judgement
from clew.text.prose import BlockKind
from clew.text.sentences import sentences

_UNITS = {
    "word": "words", "sentence": "sentences", "line": "lines", "paragraph": "paragraphs", "para": "paragraphs",
    "stanza": "paragraphs", "verse": "paragraphs", "character": "characters", "char": "characters",
    "letter": "characters", **dict.fromkeys(("bullet", "point", "item", "step", "section"), "things"),
}  # fmt: skip
#: A limit before its number, the number or two, its noun some adjectives later, and a limit behind it.
_COUNT = (
    r"(?:(?P<limit>\b(?:(?P<most>(?:no|not) more than|at most|up to|under|within|below|(?:less|fewer|shorter) than"
    r"|no longer than|max(?:imum)?(?: length)?(?: of)?:?|exceed(?:ing|s)?|(?:limit|restrict|keep|kept)\w*"
    r"(?: [a-z]+){0,5}? to|in only|only|just)|(?P<least>at least|no (?:fewer|less) than|minimum(?: of)?)"
    r"|(?P<over>more than|over|longer than|above)|(?P<exact>exactly|precisely)"
    r"|(?P<about>about|around|approx(?:imately|\.)?|roughly)))\s+(?:a |the |be |to )?)?"
    rf"(?<![\w.-])~?(?P<number>{NUMBER})(?:\s?(?:-|–|to|and)\s?(?P<high>\d{{1,6}}))?[ -]"
    r"(?:(?!(?:of|for|per|to|that|with|and|or|in|on|from|about|as|by|the|minute|hour|day)\b|[a-z]*[^su']s\b)[a-z'-]+ )"
    rf"{{0,4}}?(?P<noun>(?:{'|'.join(_UNITS)})s?|[a-z]{{2,}}[^su'\W]s)\b"
    r"(?P<after>(?: long)?,? (?:or (?:less|fewer|under|more|so|longer)|max(?:imum)?|tops|at most|minimum|limit)\b)?"
)
_EACH = r"(?:each|every)\b(?! (?:time\b|response|answer|reply|message|output))"
#: Measures of something else.
_NOT_COUNTED = re.compile(r"(?:minute|hour|day|week|month|year|second|dollar|time|token|pixel|column|space|tab)s\Z")
_BRIEF = (
    r"\b(?:be|keep|kept|is|are|prefer|give|provided?|respond|answers?|repl(?:y|ies)|responses?|explanations?)\b[^.;]"
    r"{0,40}\b(?:concise(?:ly)?|brief(?:ly)?|short(?:er)?|terse|succinct|to the point)\b(?! (?:stor|poem|film|term))"
)
#: A greeting, a title or a name on a line of its own is no paragraph to everybody.
_LEAST_PARAGRAPH = 8
#: Three characters are people in a story.
_LEAST_CHARACTERS = 20
_BRIEF_WORDS = 120

#: The countings that a reader may take.
_COUNTED: dict[str, Callable[[Reply], set[int]]] = {
    "words": lambda reply: {count_words(reply.core_text), reply.words},
    "characters": lambda reply: {len(reply.core_text), len(reply.text)},
    "sentences": lambda reply: {len(sentences(reply.core_text)), len(sentences(reply.prose))},
    "lines": lambda reply: {len(reply.lines), sum(1 for line in reply.core_text.split("\n") if line.strip())},
    "paragraphs": lambda reply: {
        sum(count_words(block.text) >= least for block in reply.core if block.kind in kinds) or 1
        for kinds, least in ((set(BlockKind), 1), ({BlockKind.PARAGRAPH}, 1), ({BlockKind.PARAGRAPH}, _LEAST_PARAGRAPH))
    },
    "things": lambda reply: {len(pieces) for pieces in (reply.headings, reply.bullets, reply.numbers, reply.core)},
}
_OF_EACH: dict[str, Callable[[str], int]] = {"words": count_words, "sentences": lambda text: len(sentences(text))}


def judge_length(turn: CheckedTurn, unit: str, low: int, high: int, each: bool, about: bool) -> Judgement:
    """From ``low`` to ``high`` of a unit (0 for no limit); ``each`` item has to be so long, not the whole."""
    counts = _COUNTED[unit](turn.parsed_reply)
    if each:
        items = (
            turn.parsed_reply.numbers
            or turn.parsed_reply.bullets
            or tuple(block.text for block in turn.parsed_reply.core)
        )
        counts = {round(median(map(_OF_EACH[unit], items)))} if items and unit in _OF_EACH else set()
    judged = [_judge_count(count, unit, (low, high), slack=0.1 * about) for count in counts]
    best = max(judged, key=lambda judgement: judgement.score, default=NOTHING)
    return replace(best, sure=best.sure and (not each or best.score > 0.6))


def _judge_count(count: int, unit: str, limits: tuple[int, int], *, slack: float) -> Judgement:
    """1 within the limits, .5 at a third more, near 0 at twice as much; of things nobody knows what is counted."""
    low, high = limits
    over, under = count / high if high else 0.0, low / max(count, 1)
    excess = max(0.0, max(over, under) - slack)
    if unit == "things":
        return Judgement(0.9 if excess <= 1.0 else 0.55, sure=excess <= 1.0)
    steep, flat = 0.9 - 1.2 * (excess - 1.0), 0.18 - 0.1 * (excess - 1.6)
    score = 1.0 - 0.05 * excess if excess <= 1.0 else max(0.02, steep if excess < 1.6 else flat)
    far = abs(count - (high if over >= under else low)) >= (12 if unit == "words" else 2)
    return Judgement(score, sure=score > 0.6 or far, evidence=f"{count} {unit}")


def judge_brief(turn: CheckedTurn) -> Judgement:
    """Short without a number: a short reply keeps it, and nobody knows of others."""
    count = count_words(turn.parsed_reply.core_text)
    score = 0.95 if count <= _BRIEF_WORDS else max(0.5, 0.95 - (count - _BRIEF_WORDS) / 900)
    return Judgement(score, sure=count <= _BRIEF_WORDS, evidence=f"{count} words")


def _counts(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, int, int, bool, bool]]:
    noun, count, after = match["noun"], number(match["number"]), match["after"] or ""
    unit = _UNITS.get(noun.removesuffix("s"), "things")
    rest, is_one = rule.body[match.end("noun") :], count == 1
    if _NOT_COUNTED.match(noun) or (is_one and (noun.endswith("s") or rest.startswith((" f", " s", "-")))):
        return
    if unit == "characters" and count < _LEAST_CHARACTERS:
        unit = "things"
    if unit == "things" and (is_one or not match["limit"]):
        return
    each = bool(re.match(rf"[\w ]{{0,12}}\b(?:per\b|{_EACH})", rest) or re.search(_EACH, rule.body[: match.start()]))
    low, high = count, int(match["high"] or count)
    is_negated = rule.forbids_at(match.start()) or rule.forbids_at(match.start("number"))
    if match["least"] or re.search("more|longer|min", after) or (match["over"] and not is_negated):
        yield unit, low, 0, each, False
    elif match["most"] or match["over"] or re.search("less|fewer|under|max|tops|most|limit", after):
        yield unit, 0, high, each, False
    else:
        # So many words are about so many, where nobody says exactly.
        about = match["about"] or "so" in after or (unit == "words" and not match["exact"])
        yield unit, low, high, each, low == high and bool(about)


def _fits(rule: RuleSentence) -> bool:
    return of_answers(rule) and not re.search(r"\blines?\b[^.;]{0,40}\b(?:char|column)", rule.body)


def _brief(rule: RuleSentence, _: re.Match[str]) -> Iterator[tuple[()]]:
    if not re.search(_COUNT, rule.body):
        yield ()


ROWS = (
    Row(_COUNT, judge_length, _counts, _fits, "+-", of_reply=True),
    Row(_BRIEF, judge_brief, _brief, _fits, of_reply=True),
)
