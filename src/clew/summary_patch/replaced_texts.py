"""Corrections about files that a command replaced after they were edited: what a summary names there may be gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.domain import Message
from clew.domain.ids import message_id
from clew.history.work_map.view import WorkMap
from clew.summary_patch.corrections import correction
from clew.summary_patch.edit_places import EditHistory, Replacement
from clew.units.already_said import SaidText
from clew.units.command_lines import command_line
from clew.units.unit import Unit, clip_middle

_COMMAND_CHARS, _MAX_NAMES = 110, 6


def replaced_texts(
    messages: Sequence[Message], history: EditHistory, summary: SaidText, work: WorkMap
) -> Iterator[Unit]:
    """Yields what the summary names though a command took its file's text away, and no output has shown it since."""
    for replacement in history.replacements:
        held = history.files.get(replacement.path)
        names = [name for name in replacement.names if summary.has(name) and (held is None or name not in held.added)]
        seen = [
            output.text for message in messages if message.number > replacement.number for output in message.outputs
        ]
        lost = [name for name in names if not any(name in text for text in seen)]
        if held is not None and lost:
            claim = next((sentence for sentence in reversed(summary.sentences) if lost[0] in sentence), lost[0])
            yield correction(claim, _replacement_text(replacement, lost, work), replacement.number)


def _replacement_text(replacement: Replacement, lost: Sequence[str], work: WorkMap) -> str:
    command = clip_middle(command_line(replacement.command, work.root), _COMMAND_CHARS)
    path, names = work.relative_path(replacement.path), ", ".join(lost[:_MAX_NAMES])
    numbers = ", ".join(dict.fromkeys(message_id(replacement.names[name]) for name in lost[:_MAX_NAMES]))
    replaced_in = message_id(replacement.number)
    return f"`{command}` ({replaced_in}) replaced {path}, and nothing has shown {names} ({numbers}) since"
