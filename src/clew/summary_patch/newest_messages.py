"""The newest messages of the agent, shortened: they show best where the work stood, and fill what a patch has left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.domain import Message, Role
from clew.summary_patch.work_losses import RECONSIDERS
from clew.text.sentences import sentences
from clew.units.already_said import SaidText
from clew.units.report_units import announces
from clew.units.steps import StepContext, render_step, step_history
from clew.units.terms import says_little
from clew.units.unit import Section, Unit

#: What the newest step is worth, what each one before it keeps of that, and the least there is.
_NEWEST, _EARLIER, _LEAST = 1.0, 0.75, 0.05
#: So many messages are looked at; how far they are shortened; the longest that is shown.
_MAX_MESSAGES, _SCALE, _MAX_CHARS = 60, 0.3, 600
#: The same of those that are shown at more length where a patch has room left.
_WHOLE_SCALE, _MAX_WHOLE_CHARS = 1.0, 2_000
#: Characters of a step beside its words, at least.
_MARGIN = 30
_MISSING = 0.3
#: The last messages are shown with thoughts and calls; fewer words say little.
_LAST, _LEAST_WORDS = 2, 6
#: What was still to be done, and that something is well.
_TO_DO = re.compile(r"(?i)\b(?:also )?(?:need(?:s)? to|have to|must|still|next|now (?:i|add|fix|update)|i'll|let me)\b")
_IS_WELL = re.compile(r"(?i)\W*(?:good|great|perfect|excellent|nice|sure|ok(?:ay)?|done|all (?:\w+ ){0,3}pass\w*)\b")
_BLANK_LINES = re.compile(r"\n\s*\n")
#: Where the next part of a step begins.
_PART = re.compile(r"\n\s*(?=agent(?:, thinking)?: |→ \w|← )")
#: Who speaks in a line of a step, which tools are called.
_SPEAKER = re.compile(r"^\s*(?:agent(?:, thinking)?:|→ \w+)", re.MULTILINE)


def newest_messages(messages: Sequence[Message], summary: SaidText, *, root: str) -> Iterator[Unit]:
    """Yields the newest messages in which the agent said something, if the summary does not tell them."""
    context = step_history(messages, (), root=root).context
    value = _NEWEST
    for age, message in enumerate(reversed(messages[-_MAX_MESSAGES:])):
        if message.role is not Role.ASSISTANT:
            continue
        if age > _LAST and (_is_over(message) or not _tells(_without_announcements(message.text))):
            continue
        step, whole = (_step_text(message, context, age=age, scale=scale) for scale in (_SCALE, _WHOLE_SCALE))
        if len(step) > _MAX_CHARS:
            step = _step_text(message, context, age=age, scale=_SCALE * (_MAX_CHARS - _MARGIN) / len(step))
        about = _SPEAKER.sub("", step.partition(" ")[2])
        if not _tells(about):
            continue
        missing = summary.missing(about)
        if missing >= _MISSING and len(step) <= _MAX_CHARS:
            yield Unit(
                section=Section.LAST,
                number=message.number,
                text=step.replace("\n  ", "\n"),
                value=(value + _LEAST) * missing,
                about=about,
                is_compared=True,
                longer=whole.replace("\n  ", "\n") if whole != step and len(whole) <= _MAX_WHOLE_CHARS else "",
            )
        value *= _EARLIER


def _step_text(message: Message, context: StepContext, *, age: int, scale: float) -> str:
    step = _shorten_step(render_step(message, context, age=age, scale=scale), is_last=age <= _LAST)
    return _BLANK_LINES.sub("\n", step)


def _without_announcements(text: str) -> str:
    return " ".join(sentence for sentence in sentences(text) if not announces(sentence))


def _shorten_step(step: str, *, is_last: bool) -> str:
    """Of steps before the last ones, only what was said aloud: thoughts on the way are overtaken, and what was called
    is told by what came of it."""
    id, _, told = step.partition(" ")
    parts = [part for part in _PART.split(told) if is_last or part.startswith("agent:")]
    return f"{id} {chr(10).join(part.rstrip() for part in parts)}" if parts else ""


def _tells(words: str) -> bool:
    """Returns True for words that say something and not only that a check passed, what comes next or comes to mind."""
    return not RECONSIDERS.match(words) and len(words.split()) >= _LEAST_WORDS and not says_little(words)


def _is_over(message: Message) -> bool:
    """Returns True for words about what was to be done then, or was well: what came of it is told as state."""
    said = [one for one in sentences(message.text) if not announces(one)]
    return all(_TO_DO.search(one) or _IS_WELL.match(one) or says_little(one) for one in said)
