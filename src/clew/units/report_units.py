"""Units of prose: what the agent found, decided and reported, and the reports of its subagents.

An agent's own reports are the best summary there is. Announcements of what comes next are left out: what came is
known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.domain import Message, Reasoning
from clew.text.memo import remember
from clew.text.prose import Block, BlockKind, blocks, is_heading, is_item
from clew.text.sentences import sentences
from clew.units.terms import NAME, TermUse, says_little, terms_of
from clew.units.unit import Speaker, Unit, clip_lines, clip_middle, nearness

_MIN_CHARS, _MAX_CHARS = 25, 900
#: How much of a piece is read for what it is worth: a longer one is not shown whole.
_MAX_READ_CHARS = 12_000
#: What a piece is worth: a base, and what its marks add in a piece of plain length; in a longer one they stand thinner.
_BASE = 0.55
_REASONED = 0.8  # a reason or a decision
_NAMED, _MOST_NAMED = 0.1, 0.5  # each name, and all of them at most
_DONE = 0.15  # something that is reported as done
_PLAIN_CHARS = 300
#: Factors of that:
_FINAL = 1.55  # the last words before a person speaks
_PRESENT = 1.35  # what belongs to the present request
_SUBAGENT = 0.6  # the report of a subagent
_RETOLD, _RETOLD_SHARE = 0.6, 0.6  # what a later report says again, from this share of its terms on
_OFFER = 0.6  # an offer that a person has answered
_GUESS, _GUESS_CHARS = 0.55, 320  # a guess of at most so many characters
_CODE = 0.45  # code in prose
_LEADS = 0.35  # a line that only leads to an action
_THOUGHT = 0.35  # thinking
_EMPTY = 0.3  # what names nothing

_LEAD_IN = (
    r"(?:\W*(?:ok(?:ay)?|good|great|perfect|excellent|now|so|alright|right|yes|done|got it|hmm|also|next|first|then"
    r"|and|but|wait|actually)\b[\s,.!:—–-]*){0,3}"
)
_ANNOUNCES = re.compile(
    _LEAD_IN
    + r"(?:i['’]?ll|i will|i['’]?m (?:now )?\w+ing|i am (?:now )?\w+ing|let me|let['’]s|i need to|i should|now i"
    r"|i have (?:all|a clear|the full|everything)|time to|checking|looking|running|reading)\b",
    re.IGNORECASE,
)
#: Words that turn to the next look, or lead to the next step, whatever reason they give for it; and so does thinking.
_LOOKS_ON = re.compile(
    _LEAD_IN + r"(?:i['’]?ll|i will|i['’]?m|i am|let me|let['’]s|i need to|i want to|i should)"
    r"(?: (?:also|now|quickly|first|just|next|then|going to|not going to|do(?:ing)? (?:a|one|the)))*"
    r" (?:re-?)?(?:check|verif|inspect|look|read|run|see\b|review|confirm|find|search|explor|test|trac|examin"
    r"|investigat|double-check|scan|grep|view|open|understand|start|final|quick|targeted|continu|proceed)\w*",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(
    r"\W*(?:now|next|then|finally|also|first)\b[^.!?]{3,160}:\s*\Z"
    r"|\W*now,? (?!the\b|it\b|we\b|all\b|that\b|this\b|there\b|they\b|you\b|both\b|every|each\b|only\b|a\b"
    r"|an\b|with\b|in\b|what\b|when\b|if\b|no\b|not\b|my\b|our\b|\w+(?:s|ed)\b)[a-z]+ ",
    re.IGNORECASE,
)
#: Thinking that turns to the next step, whatever reason it gives for it.
_TURNS_TO = re.compile(
    _LEAD_IN
    + r"(?:i(?:'ll| will| need to| should| can| want to)|let me|let's|now|the user (?:is|wants?|asks?|asked|said))\b",
    re.IGNORECASE,
)
_GUESSES = re.compile(
    r"\A\W*unless\b|\b(?:might|maybe|perhaps|possibly|probably|(?:is|are|it's|most) likely|could (?:be|explain)"
    r"|i (?:wonder|suspect|guess|bet)|seems? (?:like|to)|not sure)\b",
    re.IGNORECASE,
)
_PRAISES = re.compile(
    r"\W*(?:great|perfect|excellent|good|awesome|done|nice|ok|got it|understood|all (?:good|clean|done|set)|sure"
    r"|you'?re (?:absolutely )?right|good (?:point|question|catch|idea)|that'?s a (?:great|good) \w+)\b[\w\s',]{0,30}"
    r"[.!:]?\Z",
    re.IGNORECASE,
)
_REASONS = re.compile(
    r"\b(?:because|since|root cause|the (?:real |actual |main |core |key )?(?:problem|issue|bug|cause|reason|fix"
    r"|difference|catch|insight|finding|question)\b|turns out|caused by|due to|instead of|rather than|so that|therefore"
    r"|decid\w+|chose\w*|why|trade-?off|means that|which means|otherwise|but wait|actually|however"
    r"|not (?:needed|necessary|possible|supported)|must|never|always|only when|unless|by design|intentional\w*"
    r"|option [a-d1-4]\b|recommend\w*|i'd (?:suggest|recommend|prefer))",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:added|removed|changed|updated|fixed|created|renamed|moved|replaced|implemented|refactored|deleted|committed"
    r"|pushed|completed|finished|wired|pass(?:es|ed|ing)?|0 issues|all tests|now uses|extracted|introduced|works)\b",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    r"\b(?:needs? to|have to|must|still|next|now (?:i|add|fix|update)|i['’]ll|i will|let me)\b", re.IGNORECASE
)
_OFFERS = re.compile(
    r"\b(?:option [a-d1-4]\b|would you (?:like|prefer)|(?:do you )?want me to|should (?:i|we)|shall (?:i|we)"
    r"|i(?:'d| would) (?:recommend|suggest)|alternatively|let me know|pros\b|cons\b|which (?:one|option|approach))",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`*\"(])")


@dataclass(frozen=True, slots=True)
class ProsePlace:
    """Where prose stands: its message, the newest message, the present request, and whether a person spoke next."""

    number: int
    newest: int
    request: int
    is_final: bool


def announces(sentence: str) -> bool:
    """Returns True for a sentence that only says what is done next, or praises."""
    is_plan = _ANNOUNCES.match(sentence) is not None and not _REASONS.search(sentence)
    return is_plan or any(leads.match(sentence) for leads in (_LOOKS_ON, _LEADS_ON, _PRAISES))


def gives_reason(text: str) -> bool:
    """Returns True for words that say why, or decide."""
    return _REASONS.search(text.replace("*", "")) is not None


def reports_change(text: str) -> bool:
    """Returns True for words that report something as changed, done or passed."""
    return _DOES.search(text) is not None


def leaves_to_do(text: str) -> bool:
    """Returns True for words that say that something is still to be done."""
    return _TO_DO.search(text) is not None


def guesses(text: str) -> bool:
    """Returns True for words that hold something possible, and do not know it."""
    return _GUESSES.search(text) is not None


def offers(text: str) -> bool:
    """Returns True for words that lay out ways, recommend one, or ask which to take."""
    return _OFFERS.search(text) is not None


def agent_units(message: Message, place: ProsePlace, uses: TermUse) -> Iterator[Unit]:
    """Yields the pieces of an agent's message that say something, and of its thinking those that give reasons."""
    for position, block in enumerate(blocks(message.text)):
        text = _without_announcements(block)
        if len(text) >= _MIN_CHARS:
            only_leads = not block.text and text.endswith(":")
            value = _value(block.kind, text) * _weight(text, place, uses) * (_LEADS if only_leads else 1.0)
            is_answered = place.is_final and place.number < place.request
            value *= _OFFER if is_answered and offers(text) else _FINAL if place.is_final else 1.0
            value *= _PRESENT if place.number > place.request else 1.0
            yield _unit(Speaker.AGENT, block, text, value, place, position)
    for part in message.parts_of(Reasoning):
        yield from _thoughts(part.text, place, uses)


def subagent_units(text: str, place: ProsePlace, uses: TermUse) -> Iterator[Unit]:
    """Yields the pieces of a subagent's report."""
    for position, block in enumerate(blocks(text)):
        words = _without_announcements(block)
        if block.kind is not BlockKind.CODE and len(words) >= _MIN_CHARS:
            value = _SUBAGENT * _value(block.kind, words) * _weight(words, place, uses)
            yield _unit(Speaker.SUBAGENT, block, words, value, place, position)


def _thoughts(text: str, place: ProsePlace, uses: TermUse) -> Iterator[Unit]:
    for position, block in enumerate(blocks(text)):
        reasons = reasons_in(block.whole) if block.kind is BlockKind.PARAGRAPH else ""
        if reasons:
            words = clip_middle(reasons, _MAX_CHARS // 2)
            value = _THOUGHT * _value(block.kind, words) * _weight(words, place, uses)
            yield _unit(Speaker.THOUGHT, block, words, value, place, position)


@remember(1 << 12)
def reasons_in(thinking: str) -> str:
    """Returns the thoughts that found something out, and neither guess nor turn to the next step."""
    return " ".join(filter(_is_reason, sentences(thinking)))


@remember(1 << 11)
def without_plans(text: str) -> str:
    """Returns prose without sentences that only announce; list items and headings stay as they are."""
    return "\n".join(line for raw in text.split("\n") if (line := _without_announcing(raw)))


def _is_reason(thought: str) -> bool:
    return bool(_REASONS.search(thought)) and not _TURNS_TO.match(thought) and not guesses(thought)


def _unit(speaker: Speaker, block: Block, text: str, value: float, place: ProsePlace, position: int) -> Unit:
    clip = clip_middle if block.kind in {BlockKind.PARAGRAPH, BlockKind.CODE} else clip_lines
    return Unit(number=place.number, speaker=speaker, text=clip(text, _MAX_CHARS), value=value, position=position)


@remember(1 << 11)
def _value(kind: BlockKind, text: str) -> float:
    """What a piece is worth by what it says: reasons, names, things done."""
    density: float = (_PLAIN_CHARS / max(_PLAIN_CHARS, len(text))) ** 0.5
    text = text[:_MAX_READ_CHARS]
    names = min(_MOST_NAMED, _NAMED * density * len(set(NAME.findall(text))))
    marks = _REASONED * gives_reason(text) + _DONE * reports_change(text)
    return (_BASE + names + density * marks) * _substance(kind, text)


def _substance(kind: BlockKind, text: str) -> float:
    """What code, guesses and words that name nothing keep of their value."""
    factor = _CODE if kind is BlockKind.CODE else 1.0
    if says_little(text):
        factor *= _EMPTY
    if kind is BlockKind.PARAGRAPH and len(text) <= _GUESS_CHARS and guesses(text):
        factor *= _GUESS
    return factor


def _weight(text: str, place: ProsePlace, uses: TermUse) -> float:
    """What later work and age leave of a value."""
    terms = terms_of(text)
    retold_factor = _RETOLD if uses.most_retold(terms, place.number) >= _RETOLD_SHARE else 1.0
    return nearness(place.number, place.newest) * (0.75 + 0.5 * uses.picked_up(terms, place.number)) * retold_factor


def _without_announcements(block: Block) -> str:
    if block.kind in {BlockKind.CODE, BlockKind.TABLE}:
        return block.whole
    return without_plans(block.whole)


def _without_announcing(line: str) -> str:
    """A line without sentences that only announce; list items and headings stay as they are."""
    if is_item(line) or is_heading(line) or line[:1] in " \t":
        return line
    return " ".join(sentence for sentence in _SENTENCE_END.split(line) if not announces(sentence))
