"""Files that were changed, as lines of a pack: path, what was done there, and why in the agent's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from clew.domain.ids import message_id
from clew.history.work_map.view import FileFacts, WorkMap
from clew.text.definitions import defined_names
from clew.text.sentences import sentences
from clew.text.tools.actions import Action
from clew.text.trim import cut_at_word
from clew.units.report_units import announces
from clew.units.terms import NAME, says_little
from clew.units.unit import nearness

_MAX_LINE_CHARS, _MAX_REASON_CHARS = 260, 150
#: Names that changes defined: how many are shown, and how much of a text is searched for them.
_MAX_ADDS, _MAX_READ_CHARS = 4, 20_000
TEMPORARY = re.compile(r"/(?:private/)?tmp/|/(?:private/)?var/folders/")
_TELLING_WORDS = 7
_LOOKS = re.compile(r"\b(?:read|check|look|see|verify|run|view|find|understand|continue)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileChange:
    """How a file was changed: the agent's words right before the last change, and the names that changes defined."""

    words: str = ""
    adds: tuple[str, ...] = ()


def changed_again(before: FileChange | None, action: Action, words: str) -> FileChange:
    """Returns the change of a file after one more action, the newest names first."""
    added_before = before.adds if before is not None else ()
    put = "\n".join(change.new for change in action.changes) or action.content or ""
    old = {name for change in action.changes for name in defined_names(change.old)}
    new = [name for name in defined_names(put[:_MAX_READ_CHARS]) if name not in old]
    gone = old - set(defined_names(put))
    words = words if _is_about(words, action, put) else ""
    return FileChange(
        words, tuple(name for name in dict.fromkeys((*new, *added_before)) if name not in gone)[:_MAX_ADDS]
    )


def _is_about(words: str, action: Action, put: str) -> bool:
    """Returns True unless the words name things of which the change touches none."""
    names = [name.strip("`") for name in NAME.findall(words)]
    touched = "\n".join((action.path, put, *(change.old for change in action.changes)))
    return not names or any(name.rpartition("/")[2].rstrip("()") in touched for name in names)


def file_lines(work: WorkMap, changes: Mapping[str, FileChange], *, chars: int) -> list[str]:
    """Returns a line for each changed file, the file changed last at the end, within about so many characters.

    Files changed long ago lose their details first, then their line. A reason is told once.
    """
    changed = [facts for facts in work.files if facts.edited or facts.noted[0] or facts.deleted]
    changed = [facts for facts in changed if not TEMPORARY.match(facts.path) or TEMPORARY.match(work.root)]
    kept: list[tuple[int, str]] = []
    reasons: set[str] = set()
    for facts in sorted(changed, key=lambda facts: -nearness(_changed_at(facts), work.now)):
        short, details = (
            _change_line(work, facts),
            _details(facts, changes.get(facts.path, FileChange()), reasons),
        )
        for line in (cut_at_word(f"{short} {details}".rstrip(), _MAX_LINE_CHARS), short):
            if len(line) + 3 <= chars:
                kept.append((_changed_at(facts), line))
                chars -= len(line) + 3
                break
    return [line for _, line in sorted(kept)]


def _changed_at(facts: FileFacts) -> int:
    """The message of the last change; of one that is only noted, that of the note."""
    return max(facts.edited, facts.deleted, facts.created) or facts.noted[0]


def _change_line(work: WorkMap, facts: FileFacts) -> str:
    done = {"deleted": facts.deleted, "created": facts.created, "changed": facts.copied, "edited": facts.edited}
    change = next((name for name, number in done.items() if number), "noted by the agent")
    return f"{work.relative_path(facts.path)} ({change}, {message_id(_changed_at(facts))})"


def _details(facts: FileFacts, changed: FileChange, known_reasons: set[str]) -> str:
    """What changes defined and why they were made, or what the agent noted of them since; those among
    ``known_reasons`` are not told again."""
    adds = f"defines {', '.join(changed.adds)}" if changed.adds and not facts.deleted else ""
    is_noted = facts.noted[0] >= _changed_at(facts)
    why = f"{'agent noted: ' if facts.edited else ''}{facts.noted[1]}" if is_noted else _why(changed.words)
    why = "" if why in known_reasons else why
    known_reasons.add(why)
    return "; ".join(part for part in (adds, why) if part)


def _why(reason: str) -> str:
    """The sentence that tells most of why: the last one if it leads to the change, else the first; none that only says
    that something comes next."""
    telling = [sentence for sentence in sentences(reason) if not announces(sentence) or _tells(sentence)]
    sentence_shown = telling[-1] if telling and telling[-1].endswith(":") else (telling or [""])[0]
    return "" if says_little(sentence_shown) else cut_at_word(sentence_shown.rstrip(":"), _MAX_REASON_CHARS)


def _tells(plan: str) -> bool:
    """Returns True for a plan that says what is changed: it names something, or has words enough, and does not look."""
    return not _LOOKS.search(plan) and (NAME.search(plan) is not None or len(plan.split()) >= _TELLING_WORDS)
