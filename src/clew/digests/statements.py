"""Statements that outlive the moment: what people and assistants ask, decide and ask back.

They are found by wording alone, and rather too few than too many:
a digest that calls everything a decision says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.digests.wordings import ASKS, HOLDS_BACK, LEAD, STAMP
from clew.text.decisions import ASSISTANT_DECIDES, DECIDES_NOTHING, PERSON_DECIDES
from clew.text.sentences import spans
from clew.text.stems import topic_stems
from clew.text.trim import cut_at_word, one_line

#: A decision or a question longer than this is an essay; its beginning is quoted.
MAX_STATEMENT_CHARS = 300
#: Of a longer text only this many sentences are searched for what it asks.
_MAX_SENTENCES = 60
#: Longer texts are searched for sentences this far; a paste that long says little after its beginning.
MAX_CHARS = 20_000


def quote(text: str, max_chars: int, *, start: int = 0) -> str:
    """Returns whole sentences from ``start`` on, line ends included, up to a code block; at least part of one."""
    text = text[:MAX_CHARS]
    first = last = -1
    for begin, end in spans(text):
        if begin < start:
            continue
        first = begin if first < 0 else first
        if last >= 0 and (end - first > max_chars or "```" in text[last:begin]):
            break
        last = end
    if first < 0:
        return ""
    return cut_at_word(text[first:last], max_chars)


def ask_in(words: str) -> tuple[str, int]:
    """Returns the sentence that says what is wanted, without its polite beginning, and where it starts in the words.

    It is the first of those that ask most plainly; where none asks, the first that says something.
    """
    pieces = [(start, one_line(words[start:end])) for start, end in spans(words[:MAX_CHARS])]
    worded = [(start, text) for start, text in pieces if _word_count(text) > 2] or pieces
    telling = [(start, text) for start, text in worded if _names_something(text)] or worded
    if not telling:
        return "", 0
    start, text = min(telling[:_MAX_SENTENCES], key=lambda piece: _plainness(piece[1]))
    index = pieces.index((start, text))
    if text.endswith(":") and index + 1 < len(pieces):
        # "Implement the following plan:" says less than the plan's first line.
        start, text = pieces[index + 1]
    return without_lead(text), start


def _names_something(text: str) -> bool:
    """False for "can you help me with that?", which asks for what stands elsewhere."""
    return next(topic_stems(without_lead(text)), None) is not None


def _word_count(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


def _plainness(sentence: str) -> int:
    """0 for the plainest way to ask; what only holds back asks for nothing."""
    sentence = sentence[: 2 * MAX_STATEMENT_CHARS]
    if HOLDS_BACK.search(without_lead(sentence)):
        return len(ASKS)
    return next((index for index, pattern in enumerate(ASKS) if pattern.search(sentence)), len(ASKS))


def without_lead(text: str) -> str:
    """Returns the text without time and speaker at its head, greetings, thanks and "could you please"; all of it if
    nothing else were left.
    """
    rest = text[stamp.end() :] if (stamp := STAMP.search(text[:120])) else text
    for _ in range(4):
        match = LEAD.search(rest[:80])
        if not match or rest[match.end() :].startswith("not "):
            break
        rest = rest[match.end() :]
    return rest if len(rest.split()) > 1 else text


def statements_in(text: str) -> list[str]:
    """Returns the sentences of more than two words, each on one line, long ones cut."""
    text = text[:MAX_CHARS]
    lines = (one_line(text[start : min(end, start + 2 * MAX_STATEMENT_CHARS)]) for start, end in spans(text))
    return [cut_at_word(line, MAX_STATEMENT_CHARS) for line in lines if line.count(" ") > 1]


def decisions_in(statements: Sequence[str], *, person: bool) -> Iterator[str]:
    """Yields sentences in which something is decided; questions never are."""
    pattern = PERSON_DECIDES if person else ASSISTANT_DECIDES
    for sentence in statements:
        is_open = _is_question(sentence) or (not person and DECIDES_NOTHING.search(sentence))
        if not is_open and pattern.search(sentence):
            yield sentence


def questions_in(statements: Sequence[str]) -> Iterator[str]:
    """Yields sentences that end with a question mark."""
    return (sentence for sentence in statements if _is_question(sentence))


def _is_question(sentence: str) -> bool:
    return sentence.rstrip("*_`)\"'”’ ").endswith(("?", "？"))
