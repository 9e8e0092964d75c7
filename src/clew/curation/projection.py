"""Curated forms of a session's outputs, decided once when they are recorded.

Rows: a message's number leads to its forms, by the id of the whole text each stands for: the shorter ``text``;
``same``, numbers of messages that held the same output before; or ``like`` for one that is nearly the same as
another: the number of its message, what may be shown while that is in the reader's sight, and the id of its whole.
``same/`` finds equal outputs, ``near/`` holds fingerprints of the newest, ``wait/`` name and arguments of calls
whose outputs have not come.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from clew.config import CurationConfig
from clew.domain import Call, Output
from clew.domain.ids import message_id
from clew.domain.values import fields_of
from clew.history.waiting_calls import WaitingCalls
from clew.ports import LedgerEvent, MessageChange, Rows

SAME, NEAR = "same/", "near/"
#: Outputs that a new one is compared with: what an agent looks at again, it mostly looks at soon.
_NEWEST = 24
#: Shorter outputs are not worth a row to find them again.
_MIN_REFERRED_CHARS = 1_000
#: Places where the same output stood that are remembered.
_MAX_SAME = 8
#: Fingerprints are taken of outputs from this size on: below, hashing costs more than a reference saves.
_MIN_COMPARED_CHARS = 4_096
#: How much of an argument tells what kind of output to expect.
_MAX_ARGUMENT_CHARS = 2_000
_CHARS_PER_TOKEN = 3


def form_row(number: int) -> str:
    """The row of the forms of a message."""
    return f"{number:09d}"


@dataclass(slots=True)
class _CurationState:
    """Calls that wait for their outputs; how many fingerprints were kept, and about how many tokens are saved by
    forms."""

    calls: dict[str, Any] = field(default_factory=dict)
    compared: int = 0
    saved: int = 0


class CuratedFormsProjection:
    """The projection that curates each output when it is recorded and finds earlier ones that it repeats."""

    name = "forms"
    version = 2
    keeps_ids = False

    def __init__(self, config: CurationConfig) -> None:
        self._config = config

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        progress = _CurationState(**state) if state else _CurationState()
        calls = WaitingCalls(rows, progress.calls)
        for change in changes:
            if isinstance(change, MessageChange):
                self._apply_change(change, progress, rows, calls)
        progress.calls = calls.save()
        return fields_of(progress)

    def _apply_change(self, change: MessageChange, progress: _CurationState, rows: Rows, calls: WaitingCalls) -> None:
        from clew.curation.markers import blob_id  # here, as all that only new messages need

        forms: dict[str, Any] = {}
        for part, tokens in zip(change.message.parts, change.tokens, strict=True):
            if isinstance(part, Call):
                calls.add(part.id, [part.name, _trim(part.arguments)])
            elif isinstance(part, Output) and (text := part.text):
                name, arguments = calls.take(part.call_id) or (part.name or "", {})
                call = Call(id=part.call_id, name=name, arguments=arguments) if name else None
                if form := self._make_form(text, call, change, progress, rows):
                    forms[blob_id(text)] = form | {"tokens": tokens}
                    progress.saved += max(tokens - len(form.get("text", text)) // _CHARS_PER_TOKEN, 0)
        if forms:
            known = rows.get(form_row(change.number)) or {}
            rows.put(form_row(change.number), known | forms)

    def _make_form(
        self, text: str, call: Call | None, change: MessageChange, progress: _CurationState, rows: Rows
    ) -> dict[str, Any]:
        from clew.curation.curator import curate

        form: dict[str, Any] = {}
        curated = curate(text, call, self._config, known=_SessionBlobs(rows))
        if curated is not None:
            form["text"] = _storable(curated.text)
        if self._config.enabled and call is not None and not change.message.thread:
            form |= self._find_earlier(text, change.number, progress, rows)
        if (curated is not None and curated.blob) or "like" in form or "same" in form:
            rows.put_blob(text)
        return form

    def _find_earlier(self, text: str, number: int, progress: _CurationState, rows: Rows) -> dict[str, Any]:
        """Earlier outputs that this one repeats, word for word or nearly."""
        from clew.curation.markers import blob_id

        if len(text) < _MIN_REFERRED_CHARS:
            return {}
        name = SAME + blob_id(text)
        before = [other for other in rows.get(name) or () if other != number]
        rows.put(name, [*before, number][-_MAX_SAME:])
        if before:
            return {"same": before}
        like = self._find_similar(text, number, progress, rows) if len(text) >= _MIN_COMPARED_CHARS else None
        return {"like": [like[0], _storable(like[1]), like[2]]} if like else {}

    def _find_similar(self, text: str, number: int, progress: _CurationState, rows: Rows) -> list[Any] | None:
        from clew.curation.similarity import Fingerprint, fingerprint, may_be_similar, reference

        mine = fingerprint(text)
        for _, row in reversed(rows.scan(NEAR, NEAR + "~", last=_NEWEST)):
            other = Fingerprint(row["blob"], row["lines"], tuple(row["sketch"]))
            if (
                row["number"] != number
                and may_be_similar(mine, other)
                and (before := rows.blob(other.blob)) is not None
            ):
                shown = reference(text, before, first_message_id=message_id(row["number"]))
                if shown:
                    return [row["number"], shown, other.blob]
        rows.put_blob(text)  # the next one that is like it is compared with all of it
        progress.compared += 1
        rows.put(f"{NEAR}{progress.compared:09d}", asdict(mine) | {"number": number})
        rows.remove(f"{NEAR}{progress.compared - _NEWEST:09d}")
        return None


def _storable(text: str) -> str:
    """The text as rows can hold it: half a character becomes a question mark, in the whole it stays."""
    return text.encode("utf-8", "replace").decode()


class _SessionBlobs:
    """The blobs of the session, as far as somebody asks."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._rows.blob(id) is not None


def _trim(arguments: Any) -> Any:
    """Arguments without their long texts: what a tool was told to write says nothing of what it gave back."""
    if isinstance(arguments, dict):
        return {name: _trim(value) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [_trim(value) for value in arguments[:50]]
    return arguments[:_MAX_ARGUMENT_CHARS] if isinstance(arguments, str) else arguments
