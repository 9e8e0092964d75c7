"""The last steps before a summary, which it was written too early or too broadly to tell: finds, words and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.domain import Message, Role
from clew.summary_patch.focus import Focus
from clew.summary_patch.work_losses import RECONSIDERS
from clew.text.sentences import sentences
from clew.units.already_said import SaidText
from clew.units.report_units import announces, leaves_to_do
from clew.units.search_units import SEVERAL
from clew.units.steps import AGENT, StepContext, step_history, step_parts
from clew.units.terms import says_little
from clew.units.unit import Section, Speaker, Unit, clip_middle

#: So many of the newest messages are looked at for searches.
_MAX_MESSAGES = 120
#: What the last search is worth, and what each one before it keeps of that.
_NEWEST, _EARLIER = 1.1, 0.965
#: From this share missing in the summary on, a search is told.
_MISSING = 0.35
#: A search that tells which files something is in spares the next one; one that found one place is soon done again.
_FILES, _FEW_FILES = 1.3, 0.6
#: What a search before the newest request keeps of its value where it is so close to the present work; what is less
#: close keeps less, by the square of its closeness.
_CLOSE, _BEFORE = 0.9, 0.6
#: What the agent's last words are worth, from which share missing on they are told, and how much of them is shown.
_LAST_WORDS, _WORDS_MISSING, _WORDS_CHARS = 1.9, 0.2, 260
#: A search for one definition is done again as quickly as its result is read.
_SEEKS_DEFINITION = re.compile(r"[\W]*(?:func|def|class|type|interface|struct|fn|function|const|var|import)\b")
#: What the newest step is worth, what each one before it keeps of that, and the least there is.
_NEWEST_MESSAGE, _EARLIER_MESSAGE, _LEAST = 1.0, 0.75, 0.05
#: So many messages are looked at; how far they are shortened; the longest that is shown.
_MESSAGES, _SCALE, _MAX_CHARS = 60, 0.3, 600
#: The same of those that are shown at more length where a patch has room left.
_WHOLE_SCALE, _MAX_WHOLE_CHARS = 1.0, 2_000
#: Characters of a step beside its words, at least.
_MARGIN = 30
#: From this share missing in the summary on, a message is told.
_MESSAGE_MISSING = 0.3
#: The last messages are shown with thoughts and calls; fewer words say little.
_LAST, _LEAST_WORDS = 2, 6
#: That something is well.
_IS_WELL = re.compile(r"(?i)\W*(?:good|great|perfect|excellent|nice|sure|ok(?:ay)?|done|all (?:\w+ ){0,3}pass\w*)\b")
_BLANK_LINES = re.compile(r"\n\s*\n")


def last_steps(
    messages: Sequence[Message],
    units: Sequence[Unit],
    summary: SaidText,
    focus: Focus,
    *,
    request: int,
    root: str,
) -> Iterator[Unit]:
    """Yields what was found last, left to do and said, if not told; the newest request is the message ``request``."""
    yield from _last_words(messages, summary)
    yield from _searches(messages, units, summary, focus, request)
    yield from _newest_messages(messages, summary, root)


def _searches(
    messages: Sequence[Message], units: Sequence[Unit], summary: SaidText, focus: Focus, request: int
) -> Iterator[Unit]:
    since = messages[-_MAX_MESSAGES].number if len(messages) >= _MAX_MESSAGES else 0
    searches = [unit for unit in reversed(units) if unit.pattern and unit.number >= since]
    searches = [unit for unit in searches if not _SEEKS_DEFINITION.match(unit.pattern)]
    for age, unit in enumerate(_widest_searches(searches)):
        missing, closeness = summary.missing(unit.text), focus.closeness(unit.pattern)
        is_present, is_wide = unit.number > request, len(unit.paths) >= SEVERAL
        if missing >= _MISSING and (is_present or is_wide):
            value = _NEWEST * _EARLIER**age * missing * closeness * (_FILES if is_wide else _FEW_FILES)
            value *= 1.0 if is_present else _BEFORE * min(1.0, closeness / _CLOSE) ** 2
            yield replace(unit, section=Section.LAST, value=value, is_compared=True)


def _widest_searches(units: Sequence[Unit]) -> list[Unit]:
    """The searches without those for what another one searched for in more files."""
    most: dict[str, int] = {}
    for unit in units:
        most[unit.pattern] = max(len(unit.paths), most.get(unit.pattern, 0))
    return [unit for unit in units if len(unit.paths) == most[unit.pattern]]


def _last_words(messages: Sequence[Message], summary: SaidText) -> Iterator[Unit]:
    """What the agent said last and what it called after that: where the work was left."""
    last = next(
        (message for message in reversed(messages) if message.role is Role.ASSISTANT and message.text.strip()), None
    )
    if last is None:
        return
    words = sentences(last.text)[-1:] or (last.text.strip(),)
    after = [call for message in messages if message.number >= last.number for call in message.calls]
    then = f"then {len(after)} calls" if len(after) > 1 else "then one call" if after else "no call after that"
    ending = clip_middle(words[0], _WORDS_CHARS)
    is_open = ending.endswith("?") or (not after and (announces(ending) or leaves_to_do(ending)))
    if is_open and not says_little(ending) and summary.missing(ending) >= _WORDS_MISSING:
        unit = Unit(number=last.number, speaker=Speaker.LAST_WORDS, text=f'"{ending}" ({then})', value=_LAST_WORDS)
        yield replace(unit, section=Section.LAST, about=ending)


def _newest_messages(messages: Sequence[Message], summary: SaidText, root: str) -> Iterator[Unit]:
    """The newest messages in which the agent said something, shortened: they show best where the work stood, and fill
    what a patch has left."""
    context = step_history(messages, (), root=root).context
    value = _NEWEST_MESSAGE
    for age, message in enumerate(reversed(messages[-_MESSAGES:])):
        if message.role is not Role.ASSISTANT:
            continue
        if age > _LAST and (_is_over(message) or not _tells(_without_announcements(message.text))):
            continue
        unit = _step_unit(message, context, age=age, scale=_SCALE)
        if len(unit.text) > _MAX_CHARS:
            narrower = _SCALE * (_MAX_CHARS - _MARGIN) / len(unit.text)
            unit = _step_unit(message, context, age=age, scale=narrower)
        if not _tells(unit.about):
            continue
        missing = summary.missing(unit.about)
        if missing >= _MESSAGE_MISSING and len(unit.text) <= _MAX_CHARS:
            whole = _step_unit(message, context, age=age, scale=_WHOLE_SCALE).text
            longer = whole if whole != unit.text and len(whole) <= _MAX_WHOLE_CHARS else ""
            yield replace(unit, value=(value + _LEAST) * missing, longer=longer)
        value *= _EARLIER_MESSAGE


def _step_unit(message: Message, context: StepContext, *, age: int, scale: float) -> Unit:
    """A message as a step. Of those before the last ones, only what was said aloud: thoughts on the way are overtaken,
    and what was called is told by what came of it."""
    parts = [part for part in step_parts(message, context, age=age, scale=scale) if age <= _LAST or part.mark == AGENT]
    step_text = "\n".join(part.mark + part.text.rstrip() for part in parts)
    about = "\n".join(part.text for part in parts)
    text = _BLANK_LINES.sub("\n", f"{message.id} {step_text}") if parts else ""
    return Unit(section=Section.LAST, number=message.number, text=text, value=0.0, about=about, is_compared=True)


def _without_announcements(text: str) -> str:
    return " ".join(sentence for sentence in sentences(text) if not announces(sentence))


def _tells(words: str) -> bool:
    """Returns True for words that say something and not only that a check passed, what comes next or comes to mind."""
    return not RECONSIDERS.match(words) and len(words.split()) >= _LEAST_WORDS and not says_little(words)


def _is_over(message: Message) -> bool:
    """Returns True for words about what was to be done then, or was well: what came of it is told as state."""
    telling = [sentence for sentence in sentences(message.text) if not announces(sentence)]
    return all(leaves_to_do(rest) or _IS_WELL.match(rest) or says_little(rest) for rest in telling)
