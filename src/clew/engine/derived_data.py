"""What is derived from sessions by reading them in the background: how far it has come, and reading on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.cancellation import Cancel
from clew.domain import SessionInfo
from clew.domain.derived import DerivedReach, Reach
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.session_factory import SessionComponents, SessionFactory

#: So many entries are taken in while somebody waits for a list: a fraction of a second.
_ENTRIES_AT_ONCE = 200


class DerivedData:
    """Reads sessions of one engine on, and says how far they are read."""

    def __init__(self, factory: SessionFactory) -> None:
        self._factory = factory

    def reach(self, info: SessionInfo) -> DerivedReach:
        """Returns how far everything derived from a session has come. Nothing is brought up to date by it."""
        ledger = self._factory.ledgers.ledger(info, is_fixed=True)
        components = SessionComponents(self._factory, ledger)
        embedded, verdicts = components.vectors.reach(), components.verdicts
        heard = verdicts.reach() if verdicts.is_available else None
        return DerivedReach(
            projections=Reach(done=ledger.projected_entries(), of=info.entries),
            vectors=None if embedded is None else Reach(done=embedded, of=info.messages),
            encoder=None if heard is None else Reach(done=heard, of=info.messages),
        )

    def read_on(self, ledger: SessionLedger) -> None:
        """Has a session read on in the background by the encoder and the embedder, where they have not read all."""
        reach, components = self.reach(ledger.info), SessionComponents(self._factory, ledger)
        if reach.encoder and not reach.encoder.is_whole:
            components.verdicts.schedule()
        if reach.vectors and not reach.vectors.is_whole:
            components.vectors.schedule()

    def read_all(self, infos: Sequence[SessionInfo]) -> None:
        """Has the encoder read all these sessions on in the background, one after the other. Whatever else is to be
        done there comes between.
        """

        def read_next(ledger: SessionLedger, cancel: Cancel) -> bool:
            return SessionComponents(self._factory, ledger).verdicts.read_next(cancel)

        self._take_turns("all", infos, read_next)

    def far_behind(self, infos: Sequence[SessionInfo]) -> list[SessionInfo]:
        """Returns sessions for whose projections nobody wants to wait. The others lack few entries, all together."""
        behind, room = list[SessionInfo](), _ENTRIES_AT_ONCE
        for info in infos:
            left = info.entries - self._factory.ledgers.ledger(info, is_fixed=True).projected_entries()
            if left > room:
                behind.append(info)
            else:
                room -= left
        return behind

    def make_projections(self, infos: Sequence[SessionInfo]) -> None:
        """Brings projections of these sessions up to date in the background."""

        def make(ledger: SessionLedger, _cancel: Cancel) -> bool:
            ledger.bring_up_to_date()
            return False

        self._take_turns("projections", infos, make)

    def _take_turns(
        self, work: str, infos: Sequence[SessionInfo], step: Callable[[SessionLedger, Cancel], bool]
    ) -> None:
        """Does some work in the background on one session after the other, each until ``step`` says that it is done."""
        left = list(infos)

        def do_next(cancel: Cancel) -> None:
            if not step(self._factory.ledgers.ledger(left[0]), cancel):
                left.pop(0)
            submit()

        def submit() -> None:
            if left:
                self._factory.services.background.submit((self, work), do_next)

        submit()

    def unread(self, ledger: SessionLedger) -> int:
        """Returns how many messages of a session the encoder has not read; 0 where there is no encoder."""
        reach = self.reach(ledger.info).encoder
        return max(reach.of - reach.done, 0) if reach else 0

    def read_now(self, ledgers: Sequence[SessionLedger], progress: Callable[[int], object]) -> None:
        """Has the encoder read sessions to their end, in this thread. ``progress`` hears how many messages it read."""
        done, cancel = 0, Cancel()
        for ledger in ledgers:
            verdicts, left = SessionComponents(self._factory, ledger).verdicts, self.unread(ledger)
            while verdicts.read_next(cancel):
                progress(done + left - self.unread(ledger))
            done += left
            progress(done)

    def finish(self, ledger: SessionLedger, progress: Callable[[int], object]) -> None:
        """Has the encoder and the embedder read a session to its end, in this thread. ``progress`` hears what is left.
        Raises ModelError where the embedder fails.
        """
        components, cancel = SessionComponents(self._factory, ledger), Cancel()
        for reads_next in (components.verdicts.read_next, components.vectors.make_missing):
            while reads_next(cancel):
                progress(self.reach(ledger.info).entries_left)
