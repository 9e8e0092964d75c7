"""The encoder's verdicts: what people said, read a second time, in the background, by a better model.

Recording decides with the core tier, at once and always alike. What the encoder finds beyond that becomes an entry of
its own with the next input, so that packs see it from then on and everything can be rebuilt without the encoder. It
adds and confirms; it never removes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from clew.cancellation import Cancel
from clew.domain import EntryKind, Json, Role
from clew.domain.critical import Candidate
from clew.domain.ids import message_number
from clew.domain.values import fields_of
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.history.person_words import PersonStatement, StatementKind, next_statements
from clew.signals.projection import SignalsProjection, earlier_statements

#: Newest messages that are looked through for what was not read yet.
_RECENT = 60


@dataclass(frozen=True, slots=True)
class _Unread:
    """What a person said, what the assistant had said before it, earlier statements on its subject, by id, and whether
    roles were played.
    """

    said: PersonStatement
    before: str
    earlier: dict[str, str]
    is_played: bool


class EncoderVerdicts:
    """Asks the encoder about one session, and takes its verdicts in."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader, services: Services) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services
        self._lock = Lock()
        self._ready: list[Json] = []
        self._asked = 0

    def take_in(self) -> set[str]:
        """Writes the verdicts that are ready into the session's ledger. Returns the messages that they are about."""
        with self._lock:
            ready, self._ready = self._ready, []
        for verdict in ready:
            self._ledger.append(EntryKind.PIN, {"verdict": verdict})
        return {one["source"] for verdict in ready for one in verdict["heard"]}

    def ask(self) -> None:
        """Has what people said since the last verdict read in the background, if the encoder is there."""
        from clew.signals.learned.encoder import is_installed

        if not self._services.config.critical.encoder or not is_installed():
            return
        if unread := list(self._unread()):
            self._asked = max(message_number(one.said.source) for one in unread)
            self._services.background.submit((self._ledger.key, self._asked), lambda cancel: self._read(unread, cancel))

    def _unread(self) -> Iterable[_Unread]:
        """What people said in the newest messages, plans aside, that no verdict was asked for."""
        calls: Json = {}
        before = ""
        rows = self._ledger.rows(SignalsProjection.name)
        is_played = bool((self._ledger.state(SignalsProjection.name) or {}).get("is_played"))
        for message in self._reader.recent_messages(_RECENT, shared=True):
            if message.thread:
                continue
            for one in next_statements(message, calls):
                is_own = one.kind is not StatementKind.PLAN and one.text.strip()
                if is_own and message_number(one.source) > self._asked:
                    yield _Unread(one, before, earlier_statements(rows, one.source, one.text), is_played)
            if message.role is Role.ASSISTANT and message.text.strip():
                before = message.text

    def _read(self, unread: Sequence[_Unread], cancel: Cancel) -> None:
        """In the background thread: what the encoder makes of statements."""
        from clew.signals.contradiction.by_encoder import contradictions_by
        from clew.signals.critical.candidates import found_in
        from clew.signals.learned.encoder import encoder

        model = encoder()
        heard: list[Json] = []
        clashes: list[Json] = []
        for one in unread:
            if cancel.is_set:
                return
            heard += map(_as_json, found_in(one.said, tier=model, before=one.before, is_played=one.is_played))
            clashes += contradictions_by(model, one.said, one.earlier)
        if heard or clashes:
            with self._lock:
                self._ready.append({"tier": model.name, "heard": heard, "clashes": clashes})


def _as_json(candidate: Candidate) -> Json:
    return fields_of(candidate) | {"span": list(candidate.span)}
