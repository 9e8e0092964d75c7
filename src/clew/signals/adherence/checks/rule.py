"""A rule's sentence, read: what it quotes and counts, whether it forbids, when it applies, and what it is about.

A sentence whose condition is not understood gives no rule: a check that runs at the wrong time is a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from clew.signals.adherence.checks import wordings
from clew.text.memo import remember
from clew.text.stems import topic_stems
from clew.text.vocabulary import in_order

#: A rule is a sentence or two; what is longer is a document.
_MAX_CHARS = 600

_QUOTED = re.compile(r'`([^`\n]{1,200})`|"([^"\n]{1,300})"|(?<![\w])\'(.{1,300}?)\'(?!\w)')
_CURLY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\u00a0": " "})
NUMBERS = {
    **dict(zip(in_order("one two three four five six seven eight nine ten eleven twelve"), range(1, 13), strict=True)),
    **dict.fromkeys(("a", "an", "single", "a single"), 1),
    **{"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50},
    **dict.fromkeys(("hundred", "a hundred", "one hundred"), 100) | {"two hundred": 200},
}
NUMBER = r"\d{1,6}|" + "|".join(sorted(NUMBERS, key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a rule puts in quotation marks, or in backticks."""

    text: str
    is_code: bool


@dataclass(frozen=True)
class RuleSentence:
    """A rule's sentence. ``body`` is in lower case, with «0», «1» in place of what it quotes; ``head`` is the body
    without politeness, and without the word that forbids (``forbids`` says there was one)."""

    text: str
    body: str
    head: str
    forbids: bool
    quoted: tuple[Quoted, ...] = ()
    topic: frozenset[str] = frozenset()
    needs_leave: bool = False

    @cached_property
    def is_question(self) -> bool:
        """A judge's question: does the response …"""
        return bool(wordings.QUESTION.match(self.body))

    @cached_property
    def is_order(self) -> bool:
        """It asks for something. A statement of what is so is no rule, whatever words it holds, nor is a permission."""
        if wordings.PERMITS.search(self.body):
            return False
        verb = self.head.partition(" ")[0].strip(",:")
        if self.is_question or self.forbids or verb in wordings.ANSWER_VERBS | wordings.WORK_VERBS:
            return not wordings.STATES.match(self.body) or self.is_question
        is_bare = wordings.BARE.match(self.head) and not wordings.STATES.search(self.body)
        return bool(is_bare or wordings.DEMANDS.search(wordings.HABIT.sub(" ", self.body)))

    @cached_property
    def is_hedged(self) -> bool:
        """It leaves room: what it asks for is usual, not a must."""
        return bool(wordings.HEDGES.search(self.text.lower()))

    @cached_property
    def is_about_code(self) -> bool:
        if self.is_question or wordings.ANSWERS_BY_NAME.search(self.body):
            return False
        if wordings.CODE.search(self.body) or any(quote.is_code for quote in self.quoted):
            return True
        return bool(wordings.MAYBE_CODE.search(self.body)) and not wordings.ANSWER.search(self.body)

    @cached_property
    def is_about_reply(self) -> bool:
        """It asks something of answers: it names one, begins with a verb of answering, or with nothing of work."""
        verb = self.head.partition(" ")[0].strip(",:")
        if self.is_question or verb in wordings.ANSWER_VERBS or wordings.ANSWERS_BY_NAME.search(self.body):
            return True
        return verb not in wordings.WORK_VERBS and not self.is_about_code

    def forbids_at(self, index: int) -> bool:
        """What stands at that place of the body is what the rule forbids, not what it wants."""
        # A list that goes on with "or" is forbidden as a whole; else a comma begins something new.
        commas = "" if re.search(r",[^;.]*\bn?or\b", self.body) else ","
        clause = re.split(rf"[;:.{commas}]|\b(?:but|and then|and use|instead(?! of))\b", self.body[:index])[-1]
        if wordings.NEGATION.search(clause) or re.search(r"\b(?:instead of|rather than|over)\b", clause):
            return True
        begins = len(self.body) - len(self.head)
        return self.forbids and not re.search(rf"[;.{commas}]|\bbut\b", self.body[begins:index])

    def quote(self, mark: str) -> str:
        """The text that «0» stands for; what is no such mark stands for itself."""
        match = re.fullmatch(r"«(\d+)»", mark)
        return self.quoted[int(match[1])].text if match else mark

    def quotes(self, text: str) -> Iterator[Quoted]:
        """What is quoted in a piece of the body."""
        return (self.quoted[int(mark)] for mark in re.findall(r"«(\d+)»", text))


def clauses_of(text: str) -> tuple[str, ...]:
    """The orders of a rule that gives several, each by itself; the whole where one condition or one subject holds for
    all of it."""
    text = " ".join(text.translate(_CURLY)[:_MAX_CHARS].split())
    body = text.lower()
    if wordings.CONDITION.search(body) or wordings.LEAVE.search(body) or wordings.ONE_SUBJECT.match(body):
        return (text,)
    cuts = [(match.start(), match.end()) for match in wordings.NEXT_ORDER.finditer(body) if len(body) == len(text)]
    ends, starts = [start for start, _ in cuts] + [len(text)], [0] + [end for _, end in cuts]
    return tuple(text[start:end] for start, end in zip(starts, ends, strict=True))


@remember(4096)
def read(text: str) -> RuleSentence | None:
    """The rule, or None where its condition is not understood."""
    text = " ".join(text.translate(_CURLY)[:_MAX_CHARS].split())
    body, quoted = _without_quotes(text)
    topic, body = _topic(wordings.FILLERS.sub(" ", body))
    leave = wordings.LEAVE.search(body)
    bare = body[: leave.start()] + body[leave.end() :] if leave else body
    if wordings.CONDITION.search(bare) and not wordings.QUESTION.match(body):
        return None
    head, forbids = _head(body)
    return RuleSentence(text, body, head, forbids, quoted, topic, needs_leave=leave is not None)


def number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS[text]


def _without_quotes(text: str) -> tuple[str, tuple[Quoted, ...]]:
    quoted: list[Quoted] = []

    def keep(match: re.Match[str]) -> str:
        quoted.append(Quoted((match[1] or match[2] or match[3]).strip(), match[1] is not None))
        return f"«{len(quoted) - 1}»"

    return _QUOTED.sub(keep, text).lower(), tuple(quoted)


def _topic(body: str) -> tuple[frozenset[str], str]:
    match = wordings.TOPIC.search(body)
    topic = frozenset(topic_stems(match[1] or match[2] or "")) if match else frozenset[str]()
    return topic, (body[: match.start()] + " " + body[match.end() :]).strip(" ,") if match and topic else body


def _head(body: str) -> tuple[str, bool]:
    head, forbids = body, False
    while True:
        if (match := wordings.LEAD.match(head)) and match.end():
            head = head[match.end() :]
        elif match := wordings.FORBIDS.match(head):
            head, forbids = head[match.end() :], True
        else:
            return head, forbids
