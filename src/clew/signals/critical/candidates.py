"""Critical items, drawn from what people said: one statement at a time, by wording, by form, and by a learned model.

Wordings are sure where something is said in plain words, and deaf to all other words; those the model hears.

Only a person's own words and the caller's system prompt can give any, and limits of a plan that a person approved.
What tools, files, pages, clients and assistants say never does, whatever it says and whoever it claims to be: it is not
even looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from clew.domain import Message, Origin, Role
from clew.domain.critical import Candidate, ItemKind, Scope
from clew.history.person_words import PersonStatement, StatementKind
from clew.history.user_requests import request_words
from clew.signals.critical.judgement import MAX_CHARS, judge_sentence, lower_in_place
from clew.signals.critical.own_words import is_of_a_talk, is_others_text
from clew.signals.critical.reading.sentences import Prose, Sentence, read
from clew.signals.critical.subjects import choice_of, subject_of
from clew.signals.critical.wordings.changes import Change, change_in
from clew.signals.critical.wordings.forms import kind_by_form, kind_by_label, occasion_of
from clew.signals.critical.wordings.revocation import revoked_subject
from clew.signals.critical.wordings.scope import is_asked_once, is_standing, scope_of
from clew.signals.critical.wordings.table import LEADS, Strength
from clew.signals.learned.core import CORE
from clew.signals.learned.tier import Certainty, Reading, SentenceInContext, Tier
from clew.text.injected_text import person_words
from clew.text.phrases import has_match

#: A longer system prompt is a client's manual. It is sent as it is with every request, and nothing in it can fade.
_MANUAL_CHARS = 8_000
#: A message that gives more than this is a rule book: it is kept whole, as a message, not as a hundred items.
_MAX_ITEMS = 40
#: Limits that are taken from one plan.
_MAX_OF_PLAN = 8
#: Fewer words say nothing by themselves: "1", "the second".
_FEWEST_WORDS = 3
#: What begins so is an order that lasts, whatever a model makes of the words behind it.
_ORDERS = re.compile(r"\W*(?:[\w' ]{1,20}[,!:]\s*)?(?:please\s+)?(?:always|never|from now on)\b")
#: What joins a sentence to something that is not shown with it.
_JOINS = re.compile(r"\A(?:and|but|so|also|plus)\b,?\s+(?=\w)")
#: Where somebody goes on to tell of themselves.
_VERB = re.compile(r"(?:live|work|speak|teach|study|come from|go by|have|own|prefer|love|like|enjoy|hate)\b")
_AND_I = re.compile(rf",?\s+and\s+(?=(?:I|I['’]m|my)\s|{_VERB.pattern})")
#: A line of a patch or a comment in code.
_OF_CODE = re.compile(r"\W*(?:\+|//|/\*|#|--\s)")


def find_candidates(message: Message, *, is_leading: bool = True) -> tuple[Candidate, ...]:
    """What the message says that should last, in its order; nothing for any message that no person wrote.

    ``is_leading``: no message of a person or an assistant stands before it. Only such a system prompt is the caller's;
    later ones hand over pages and notices.
    """
    words = binding_words(message, is_leading=is_leading)
    statement = PersonStatement(StatementKind.MESSAGE, words, message.id)
    drawn = candidates_in(statement, at=message.at, tier=CORE if message.role is Role.USER else None)
    return tuple(replace(candidate, span=_span(candidate.span, words, message.text)) for candidate in drawn)


def candidates_in(
    statement: PersonStatement,
    *,
    at: float | None = None,
    tier: Tier | None = CORE,
    before: str = "",
    is_played: bool = False,
) -> tuple[Candidate, ...]:
    """What a statement says that should last, in its order; spans count in the statement's own words.

    Without a ``tier`` no model is asked. ``before`` is what the assistant said last: it tells what "1" means. Lines of
    a talk between people bind nobody.
    Of a plan, which the agent wrote, only what it limits: for the task, and as surely as a document can say it.
    Where roles are played (``is_played``), nothing that is said reaches beyond the session.
    """
    if not statement.text.strip() or is_of_a_talk(statement.text, reply=before):
        return ()
    prose = read(statement.text)
    own = [part for sentence in prose.sentences for part in _facts_apart(sentence)]
    sentences = [SentenceInContext(sentence.text, statement.text, before) for sentence in own]
    readings = tier.read(sentences) if tier else [None] * len(sentences)
    is_played = is_played or is_others_text(lower_in_place(statement.text))
    pairs = zip(own, readings, strict=True)
    drawn = (_candidate(*pair, prose, statement, is_played=is_played) for pair in pairs)
    occasion = occasion_of(statement)
    kept = (replace(candidate, occasion=occasion, at=at) for candidate in drawn if candidate is not None)
    if statement.kind is StatementKind.PLAN:
        limits = (
            candidate
            for candidate in kept
            if candidate.kind is ItemKind.CONSTRAINT and not candidate.doubtful and not candidate.lifts
        )
        return tuple(replace(limit, scope=Scope.TASK) for limit in islice(limits, _MAX_OF_PLAN))
    return tuple(islice(kept, _MAX_ITEMS))


def _facts_apart(sentence: Sentence) -> list[Sentence]:
    """Each fact that somebody tells of themselves for itself: "my name is Bob and I live in Oslo" is two, and a new
    home leaves the name.
    """
    first, *others = _AND_I.split(sentence.text)
    facts = [first, *(f"I {part}" if _VERB.match(part) else part for part in others)]
    is_told = bool(others) and all((verdict := judge_sentence(fact)) and verdict.is_fact for fact in facts)
    return [replace(sentence, text=fact) for fact in facts] if is_told else [sentence]


def binding_words(message: Message, *, is_leading: bool = True) -> str:
    """The words of a message that may bind: a person's, or a leading system prompt's; empty for all others."""
    if message.role is Role.USER:
        return "" if message.origin is Origin.REPORTED else request_words(message)
    is_prompt = message.role is Role.SYSTEM and message.origin in (Origin.SYSTEM, Origin.PERSON) and not message.thread
    text = message.text if is_prompt and is_leading else ""
    return person_words(text) if len(text) <= _MANUAL_CHARS else ""


def _candidate(
    sentence: Sentence, reading: Reading | None, prose: Prose, statement: PersonStatement, *, is_played: bool
) -> Candidate | None:
    change = change_in(sentence.text)
    if (about := revoked_subject(sentence.text)) and not (change and change.old):
        taken_back = _LastingWords(sentence.text, ItemKind.CUSTOM, Scope.PROJECT)
        return _make_candidate(taken_back, sentence, statement, subject=about, lifts=True)
    worded, announced = _by_wording(sentence, prose), _by_announcement(sentence, prose)
    ways = (worded, announced, _by_form(sentence, prose, statement.kind), _by_model(sentence, reading, prose))
    word = _surest([way for way in ways if way])
    word = _at_hand(word, statement.kind) if word else None
    if word and is_played and word.scope is Scope.USER:
        word = None if word.is_fact else replace(word, scope=Scope.PROJECT)
    if word is None and change:
        return _changed(sentence, change, statement)
    if word is None:
        return None
    is_denied = word is worded and announced is None and _is_denied(sentence, reading)
    return replace(_make_candidate(word, sentence, statement, subject=subject_of(word.text)), denied=is_denied)


def _changed(sentence: Sentence, change: Change, statement: PersonStatement) -> Candidate:
    """An open change of mind that is worded as nothing else: a decision where it names two of one table; any other says
    something only where it takes the place of an item."""
    word, choice = _LastingWords(sentence.text, ItemKind.DECISION, Scope.PROJECT), choice_of(change.old)
    is_decision = bool(choice) and choice == choice_of(sentence.text)
    subject = subject_of(sentence.text) if is_decision else ""
    return _make_candidate(word, sentence, statement, subject=subject, lifts=not is_decision)


def _surest(ways: Sequence[_LastingWords]) -> _LastingWords | None:
    """The first of the surest. A fact that somebody gives as a reason is of the kind of what it is the reason for."""
    word = min(ways, key=lambda way: way.doubtful, default=None)
    if word is None or not word.is_fact:
        return word
    order = next((way for way in ways if not way.is_fact and not way.doubtful), word)
    return replace(word, kind=order.kind)


@dataclass(frozen=True, slots=True)
class _LastingWords:
    """What a sentence comes to."""

    text: str
    kind: ItemKind
    scope: Scope
    doubtful: bool = False
    is_fact: bool = False


def _by_wording(sentence: Sentence, prose: Prose) -> _LastingWords | None:
    """What a sentence is by its own wording.

    A document says much that is no order to anybody; a word that points back at nothing cannot be carried.
    """
    verdict = judge_sentence(sentence.text)
    if verdict is None:
        return None
    least = Strength.STRONG if prose.is_document else Strength.PLAIN
    is_doubtful = verdict.strength < least or (sentence.needs_more and not sentence.before)
    text = _understandable(sentence, sentence.text[verdict.start : verdict.end].rstrip())
    return _LastingWords(text, verdict.kind, verdict.scope, is_doubtful, verdict.is_fact)


def _by_model(sentence: Sentence, reading: Reading | None, prose: Prose) -> _LastingWords | None:
    """What the model takes a sentence for, unless it asks for a piece of work. It is never sure within a document, nor
    of an item of a list: what the list is of (cases, steps, complaints) stands above it."""
    if reading is None or reading.certainty is Certainty.NONE or not _is_readable(sentence):
        return None
    if is_asked_once(lower_in_place(sentence.text).replace("’", "'")):
        return None
    is_doubtful = reading.certainty is not Certainty.SURE or prose.is_document
    is_doubtful = is_doubtful or bool(sentence.is_item and sentence.lead)
    is_doubtful = is_doubtful or (sentence.needs_more and not sentence.before)
    scope = scope_of(lower_in_place(sentence.text), reading.kind)
    return _LastingWords(_understandable(sentence, sentence.text), reading.kind, scope, is_doubtful)


def _is_denied(sentence: Sentence, reading: Reading | None) -> bool:
    """Whether the model is sure that a sentence is not meant to last: whatever its wording says, it is a tale, a report
    or a word on the step at hand."""
    is_read = reading is not None and reading.is_denied and _is_readable(sentence)
    return is_read and not _ORDERS.match(lower_in_place(sentence.text))


def _is_readable(sentence: Sentence) -> bool:
    """Whether a model can judge a sentence by itself."""
    is_whole = len(sentence.text) <= MAX_CHARS and len(sentence.text.split()) >= _FEWEST_WORDS
    return is_whole and not _OF_CODE.match(sentence.text)


def _by_announcement(sentence: Sentence, prose: Prose) -> _LastingWords | None:
    """What a sentence is by its own label, and an item of a list by the line above the list: where that says that rules
    follow, each item is one.
    """
    plain = lower_in_place(sentence.text)
    if kind := kind_by_label(plain):
        scope = scope_of(plain.partition(": ")[2] or plain, kind)  # "a rule here" is for all that is done here
        return _LastingWords(_understandable(sentence, sentence.text), kind, scope, doubtful=prose.is_document)
    if not sentence.is_item or not (announced := _rules_in(sentence.lead)) or sentence.text.endswith(("?", ":")):
        return None
    kind, scope = announced
    text = _understandable(sentence, sentence.text)
    is_doubtful = prose.is_document or sentence.lead.endswith("?")
    outlives = scope is Scope.TASK and is_standing(lower_in_place(text))
    return _LastingWords(text, kind, Scope.PROJECT if outlives else scope, is_doubtful)


def _rules_in(lead: str) -> tuple[ItemKind, Scope] | None:
    """What rules a line announces."""
    plain = lower_in_place(lead)
    return next(((kind, scope) for kind, scope, pattern in LEADS if lead and has_match(pattern, plain)), None)


def _at_hand(word: _LastingWords, form: StatementKind) -> _LastingWords:
    """Of a refusal or an answer, a wish is about the choice at hand unless it says that it is to last."""
    is_wish = word.kind is ItemKind.PREFERENCE and form in {StatementKind.REFUSAL, StatementKind.ANSWER}
    return replace(word, scope=Scope.TASK) if is_wish and not is_standing(lower_in_place(word.text)) else word


def _by_form(sentence: Sentence, prose: Prose, form: StatementKind) -> _LastingWords | None:
    """What a sentence is by the form in which it was said; it holds for the task."""
    kind = None if prose.is_document else kind_by_form(lower_in_place(sentence.text), form)
    return _LastingWords(sentence.text, kind, Scope.TASK) if kind else None


def _understandable(sentence: Sentence, text: str) -> str:
    """The statement with the words it needs: the line that announces its list, or the sentence it points back to."""
    text = _JOINS.sub("", text)
    if sentence.is_item and sentence.lead:
        return sentence.with_lead(text, marks_gap=_rules_in(sentence.lead) is None)
    return f"{sentence.before} {text}" if sentence.needs_more and sentence.before else text


def _make_candidate(
    word: _LastingWords, sentence: Sentence, statement: PersonStatement, *, subject: str, lifts: bool = False
) -> Candidate:
    return Candidate(
        kind=word.kind,
        text=word.text,
        source=statement.source,
        span=(sentence.start, sentence.start + len(sentence.raw)),
        scope=word.scope,
        subject=subject,
        doubtful=word.doubtful,
        lifts=lifts,
    )


def _span(span: tuple[int, int], words: str, text: str) -> tuple[int, int]:
    """Where a sentence of a person's words stands in the message's text; wrappers of the client may stand before it."""
    raw = words[span[0] : span[1]]
    start = max(text.find(raw, span[0]), 0)
    return start, start + len(raw)
