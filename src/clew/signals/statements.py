"""What somebody said, filed by its subjects, and held against what they said before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.domain.ids import message_number
from clew.domain.values import fields_of
from clew.ports import Rows
from clew.signals.rows import CLASH, KEY, SAY

if TYPE_CHECKING:
    from clew.signals.contradiction.clash import Statement

#: Of a statement, so much is kept and compared; longer texts are reports, not statements.
MAX_CHARS, _MAX_FILED = 1_200, 24
#: Earlier statements that a new one is held against. An assistant says much: few of its own, and only sure clashes.
_OF_USER, _OF_ASSISTANT, _SURE, _LIKELY = 12, 4, 0.6, 0.1


def compare_statement(rows: Rows, id: str, text: str, speaker: str) -> None:
    """Writes what a new statement contradicts, and files it. ``id`` is its message, ``speaker`` user or assistant."""
    from clew.signals.contradiction.clash import Statement, contradictions
    from clew.signals.contradiction.index import keys_of

    text = text.strip()
    if not text or len(text) > MAX_CHARS:
        return
    new = Statement(id=id, text=text)
    limit, threshold = (_OF_USER, _LIKELY) if speaker == "user" else (_OF_ASSISTANT, _SURE)
    earlier = [Statement(id=id, text=words) for id, words in _on_subject(rows, new, speaker, limit).items()]
    for clash in contradictions(new, earlier, threshold=threshold):
        name = f"{CLASH}{message_number(clash.later):09d}/{clash.earlier}"
        rows.put(name, fields_of(clash) | {"speaker": speaker})
    rows.put(SAY + id, text)
    for key in sorted(keys_of(text)):
        known = rows.get(f"{KEY}{speaker}/{key}") or []
        rows.put(f"{KEY}{speaker}/{key}", [*known, id][-_MAX_FILED:])


def earlier_statements(rows: Rows, id: str, text: str) -> dict[str, str]:
    """What people said before on the subjects of a statement, by message; the likeliest to matter first."""
    from clew.signals.contradiction.clash import Statement

    is_long = len(text) > MAX_CHARS
    return {} if is_long else _on_subject(rows, Statement(id=id, text=text), "user", _OF_USER)


def _on_subject(rows: Rows, new: Statement, speaker: str, limit: int) -> dict[str, str]:
    from clew.signals.contradiction.index import candidates

    ids = candidates(new, lambda key: rows.get(f"{KEY}{speaker}/{key}") or [])
    earlier = [id for id in ids if message_number(id) < message_number(new.id)]
    return {id: rows.get(SAY + id) or "" for id in earlier[:limit]}
