"""What a summary lost of people's words: refusals and what was said with them, answers to questions, requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.domain import Call, Message
from clew.domain.ids import message_number
from clew.history.person_words import StatementKind
from clew.history.work_map.commands import command_key, only_looks
from clew.text.sentences import sentences
from clew.text.stop_words import STOP_WORDS
from clew.text.telling_tokens import telling_tokens
from clew.text.tools.actions import LOOKS
from clew.text.tools.calls import call_actions
from clew.units.already_said import SaidText
from clew.units.pasted_text import PASTED_LINE, own_words
from clew.units.person_lines import StatementInContext, call_label, person_line
from clew.units.terms import says_little
from clew.units.unit import GAP, Section, Unit, clip_middle, nearness

#: What words are worth by the form they came in.
_VALUES = {
    StatementKind.REFUSAL: 2.2,
    StatementKind.ANSWER: 2.0,
    StatementKind.MESSAGE: 1.5,
}
#: What they keep of that, however old they are: what was refused once is not to be tried again.
_LEAST_NEAR = {StatementKind.REFUSAL: 0.6, StatementKind.ANSWER: 0.5, StatementKind.MESSAGE: 0.0}
#: From this share missing in the summary on, words count in full.
_MISSING = {StatementKind.REFUSAL: 0.3, StatementKind.ANSWER: 0.35, StatementKind.MESSAGE: 0.45}
#: From the first share missing on, words count a little, and what share of their value that is.
_PARTLY_MISSING, _PARTLY = 0.3, 0.12
#: Characters of a statement that are shown whole, and of one piece of a longer one.
_WHOLE_CHARS, _PIECE_CHARS = 280, 240
_MOST_PIECES, _LEAST_WORDS = 6, 6
#: From this share missing on, a piece counts in full, and what it is worth then; below it, a little.
_PIECE_MISSING, _PIECE = 0.55, 0.8
#: Where a person's own words end and a paste begins, at the latest after so many characters.
_PASTE = re.compile(r"[⏺⎿❯]|```|\n(?:\$|>|diff --git) |\n(?:={3,}|\S[^\n]{0,60}: /|Traceback|\[?\d{1,4}[-:]\d\d)")
_OWN_CHARS = 1_500
#: People quote replies that are at most so many messages old.
_QUOTED_WITHIN = 100
#: A command of the client, a choice by its number.
_SAYS_NOTHING_ALONE = re.compile(r"\s*(?:/[\w:-]+|\W*\w{1,2}\W*)\s*")
#: Lines that are set off from a person's own: what a terminal or a program showed.
_SET_OFF = re.compile(r"^(?: {3,}|\t)\S.*$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n\s*\n")
_PROPOSAL_CHARS = 160
#: What a refusal without words of a call too long to show is worth.
_SCRIPT = 0.6
#: Calls by which work leaves the agent's hands: whether they may be made is no matter of the moment.
_HANDS_OVER = re.compile(r"\bgit (?:-C \S+ )?(?:commit|push)\b|\b(?:gh|glab) (?:pr|mr|release) (?:create|merge)\b")
#: What a question is worth, which was answered since.
_QUESTION = 0.5
_OBJECTS = re.compile(
    r"(?i)\W*(?:no|nope|nah|don'?t|do not|not (?:yet|now|quite)|rather|instead|skip|leave|wait|hold on|actually)\b"
)
#: Words by which a proposal is taken as it is, and what they are worth with it: the agent went on to do it.
_ASSENTS = re.compile(
    r"(?i)\W*(?:yes|yep|yeah|ok(?:ay)?|sure|go (?:ahead|for|with)|do (?:it|that|so)|please do|sounds good|agreed|let'?s"
    r"|option|perfect|great|i (?:like|prefer)|[1-9a-d]\b\W*$)"
)
_ASSENT, _ASSENT_WORDS, _CONTENT_WORDS = 0.55, 8, 4
_PROPOSES = re.compile(
    r"(?i)\b(?:want me to|should (?:i|we)|shall (?:i|we)|would you like|i(?:'d| would) (?:recommend|suggest)|recommend"
    r"|option|(?:best|proposed) (?:solution|fix|approach)|let me|i'll|i can|we could|you (?:can|could|should)"
    r"|for now)\b"
)
_SAYS_REFUSED = re.compile(
    r"(?i)\b(?:refus|reject|declin|den(?:y|ied)|interrupt|cancel|stopped|turned down|objected|push(?:ed|ing)? back"
    r"|didn't want|did not want|don't|do not)"
)


def said_losses(
    contexts: Sequence[StatementInContext],
    summary: SaidText,
    *,
    newest: int,
    root: str,
    replies: Sequence[Message] = (),
) -> Iterator[Unit]:
    """Yields what people said that the summary does not tell, in their own words: not in those of earlier ``replies``
    of the agent that they quote."""
    for context in contexts:
        if context.withdrawn or context.statement.kind is StatementKind.PLAN:  # the agent's words, told in outline
            continue
        if len(context.statement.text) <= _WHOLE_CHARS:
            yield from _whole(context, summary, newest, root)
        else:
            yield from _pieces(context, summary, newest, root, _read_before(context, replies))


def _whole(context: StatementInContext, summary: SaidText, newest: int, root: str) -> Iterator[Unit]:
    statement = context.statement
    if statement.kind is StatementKind.REFUSAL:
        yield from _refusal(context, summary, newest, root)
        return
    share = 1.0
    if statement.kind is StatementKind.MESSAGE and (proposal := _proposal(context)):
        line = f'{person_line(replace(context, before=""), _WHOLE_CHARS, root)} [to the agent\'s "{proposal}"]'
        about, share = f"{statement.text} {proposal}", _ASSENT if _is_assent(statement.text) else 1.0
    elif statement.kind is StatementKind.MESSAGE and (
        says_little(statement.text) or _SAYS_NOTHING_ALONE.fullmatch(statement.text)
    ):
        return
    else:
        line = person_line(replace(context, before=""), _WHOLE_CHARS, root)
        about = f"{statement.about} {statement.text}" if statement.kind is StatementKind.ANSWER else statement.text
    missing = summary.missing(about)
    share *= 1.0 if missing >= _MISSING[statement.kind] else _PARTLY
    if missing >= _PARTLY_MISSING:
        yield _line(context, line, about, missing * share, newest)


def _is_assent(text: str) -> bool:
    return _ASSENTS.match(text) is not None and len(text.split()) <= _ASSENT_WORDS


def _proposal(context: StatementInContext) -> str:
    """What the agent had proposed or asked, where a person says no, otherwise than it was proposed, or briefly yes."""
    if not context.before or not (_OBJECTS.match(context.statement.text) or _is_assent(context.statement.text)):
        return ""
    asked = [sentence for sentence in sentences(context.before) if _PROPOSES.search(sentence) or sentence.endswith("?")]
    if _is_assent(context.statement.text):
        asked = [words for words in asked if len(telling_tokens(words)) >= _CONTENT_WORDS and not words.endswith(":")]
    return clip_middle(asked[-1].strip("#* "), _PROPOSAL_CHARS) if asked else ""


def _refusal(context: StatementInContext, summary: SaidText, newest: int, root: str) -> Iterator[Unit]:
    """A call that was refused, unless the summary tells of the call and the refusal together."""
    line = person_line(replace(context, before=""), _WHOLE_CHARS, root)
    label = call_label(context.statement, root)
    refusals = SaidText("\n".join(sentence for sentence in summary.sentences if _SAYS_REFUSED.search(sentence)))
    missing = max(refusals.missing(label), summary.missing(context.statement.text))
    is_look = context.statement.call is not None and _only_looks(context.statement.call)
    if missing >= _MISSING[StatementKind.REFUSAL] and (context.statement.text or not is_look):
        lasts = _HANDS_OVER.search(label) is not None
        share = 1.0 if context.statement.text or lasts or GAP not in label else _SCRIPT
        unit = _line(context, line, f"{label} {context.statement.text}", max(missing, 0.6) * share, newest)
        near = max(nearness(unit.number, newest), _LEAST_NEAR[StatementKind.REFUSAL])
        yield replace(unit, value=unit.value / near) if lasts else unit


def _only_looks(call: Call) -> bool:
    action = call_actions(call)[0]
    return only_looks(command_key(action.command)) if action.command else action.kind in LOOKS


def _read_before(context: StatementInContext, replies: Sequence[Message]) -> str:
    """What the agent said not long before a statement."""
    number = message_number(context.statement.source)
    return "\n".join(reply.text for reply in replies if number - _QUOTED_WITHIN <= reply.number < number)


def _pieces(context: StatementInContext, summary: SaidText, newest: int, root: str, read: str) -> Iterator[Unit]:
    """The sentences of long words that the summary lacks."""
    lost = []
    own = _SET_OFF.sub("", _PASTE.split(own_words(context.statement.text, read))[0])[:_OWN_CHARS]
    for position, sentence in enumerate(sentences(own)):
        if len(sentence) > 2 * _PIECE_CHARS or not _is_prose(sentence):
            continue
        missing = summary.missing(sentence)
        if missing >= _PARTLY_MISSING:
            lost.append((missing, position, sentence))
    for missing, position, sentence in sorted(lost, key=lambda item: (-item[0], item[1]))[:_MOST_PIECES]:
        short = replace(context, before="", statement=replace(context.statement, text=f"{GAP} {sentence}"))
        line = person_line(short, 2 * _PIECE_CHARS, root)
        share = _PIECE if missing >= _PIECE_MISSING else _PARTLY
        yield replace(_line(context, line, sentence, missing * share, newest), position=position, is_compared=True)


def _is_prose(sentence: str) -> bool:
    """Returns True for words that a person writes, not for a line of code, a log or a heading."""
    words = sentence.lower().split()
    return (
        len(words) >= _LEAST_WORDS
        and sum(word in STOP_WORDS for word in words) >= 2
        and not PASTED_LINE.match(sentence)
    )


def _line(context: StatementInContext, line: str, about: str, missing: float, newest: int) -> Unit:
    number = message_number(context.statement.source)
    near = max(nearness(number, newest), _LEAST_NEAR[context.statement.kind])
    value = _VALUES[context.statement.kind] * (1.3 if context.interrupts else 1.0) * missing * near
    if context.statement.kind is StatementKind.MESSAGE and about.rstrip().endswith("?") and not context.interrupts:
        value *= _QUESTION
    text = _BLANK_LINES.sub("\n", line)
    return Unit(section=Section.SAID, number=number, text=text, value=value, about=about)
