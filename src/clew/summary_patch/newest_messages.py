"""The newest messages of the agent, shortened: they show best where the work stood, and fill what a patch has left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.domain import Message, Role
from clew.summary_patch.patch_lines import PatchLine, PatchSection
from clew.summary_patch.summary_text import SummaryText
from clew.text.tools.calls import call_actions
from clew.units.steps import render_step, step_history
from clew.units.terms import says_little

#: What the newest step is worth, what each one before it keeps of that, and the least there is.
_NEWEST, _EARLIER, _LEAST = 1.0, 0.75, 0.05
#: So many messages are looked at; how far they are shortened; the longest that is shown.
_MAX_MESSAGES, _SCALE, _MAX_CHARS = 60, 0.3, 600
_MISSING = 0.3
#: Who speaks in a line of a step, which tools are called.
_SPEAKER = re.compile(r"^\s*(?:agent(?:, thinking)?:|→ \w+)", re.MULTILINE)


def newest_messages(messages: Sequence[Message], summary: SummaryText, *, root: str) -> Iterator[PatchLine]:
    """Yields the newest messages in which the agent said or changed something, if the summary does not tell them."""
    context = step_history(messages, (), root=root).context
    value = _NEWEST
    for age, message in enumerate(reversed(messages[-_MAX_MESSAGES:])):
        step = render_step(message, context, age=age, scale=_SCALE) if message.role is Role.ASSISTANT else ""
        about = _SPEAKER.sub("", step.partition(" ")[2])
        if not _tells(message, step.partition(" ")[2]):
            continue
        missing = summary.missing(about)
        if missing >= _MISSING and len(step) <= _MAX_CHARS:
            yield PatchLine(
                section=PatchSection.LAST,
                number=message.number,
                text=step.replace("\n  ", "\n"),
                value=(value + _LEAST) * missing,
                about=about,
                is_compared=True,
            )
        value *= _EARLIER


def _tells(message: Message, step: str) -> bool:
    """Returns True for a step with words of the agent that say something, or with a change of a file."""
    changes = any(action.kind.changes_files for call in message.calls for action in call_actions(call))
    return bool(step) and (changes or (step.startswith("agent") and not says_little(step)))
