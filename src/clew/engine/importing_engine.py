"""An engine as far as it takes in files: transcripts are imported, and followed while they grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from clew.domain.argument_kinds import checks_arguments
from clew.engine.ingest.file_cursors import FileCursors
from clew.engine.ingest.incoming_replies import as_operation
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.services import Services
from clew.engine.session_factory import SessionFactory

if TYPE_CHECKING:
    from clew.engine.ingest.follower import Follower
    from clew.engine.ingest.importer import ImportDependencies, ImportReport
    from clew.engine.ingest.read_ahead import ReadAhead


@checks_arguments
class ImportingEngine:
    """Records what transcripts of coding assistants and exports of chats hold."""

    def __init__(self, ledgers: Ledgers, services: Services) -> None:
        self._ledgers, self._services = ledgers, services
        self._factory = SessionFactory(ledgers, services)
        self._incoming = self._factory.incoming_replies

    @as_operation
    def import_file(
        self,
        path: Path | str,
        *,
        format: str = "auto",
        session: str = "",
        user: str | None = None,
        progress: Callable[[int], object] | None = None,
        project: bool = True,
        index: bool = True,
        repairs: bool = True,
        ahead: ReadAhead | None = None,
    ) -> list[ImportReport]:
        """Records what is new in a transcript. Returns a report for each conversation in it.

        ``session`` puts everything under one id, and ``user`` is whose words it holds. Without ``project``, it can be
        searched by words, and all else that is derived is left to the first reader; without ``index``, the words too.
        Without ``repairs``, the report does not count what a valid request would have to repair. ``ahead`` is what
        ``reading_ahead`` yields.
        """
        from clew.engine.ingest.importer import Importer

        needs = self._import_needs(user)
        importer = Importer(needs, path, format=format, session=session, progress=progress, ahead=ahead)
        return importer.run(project=project, index=index, repairs=repairs)

    @as_operation
    def reading_ahead(
        self, paths: Sequence[str], *, format: str = "auto", user: str | None = None
    ) -> AbstractContextManager[ReadAhead | None]:
        """Has another process read files while those before them are stored, where that saves time. They are imported
        in this order then; what is yielded is for ``import_file``.
        """
        from clew.engine.ingest.read_ahead import reading_ahead

        cursors = self._cursors(user)
        return reading_ahead(paths, format, is_known=lambda path: cursors.get(str(Path(path).absolute())) is not None)

    @as_operation
    def complete_import(self, report: ImportReport, *, user: str | None = None, repairs: bool = True) -> None:
        """Makes what ``import_file`` leaves to the first reader without ``project``: all that is derived.
        With ``repairs``, they are counted in the report.
        """
        from clew.engine.ingest.importer import complete

        complete(report, self._ledgers.open(report.session, user=user), self._import_needs(user), repairs=repairs)

    def _import_needs(self, user: str | None) -> ImportDependencies:
        from clew.engine.ingest.importer import ImportDependencies

        factory, ledgers = self._factory, self._ledgers.for_user(user) if user else self._ledgers
        return ImportDependencies(
            ledgers, self._cursors(user), self._services, lambda ledger: factory.recorder(factory.core(ledger))
        )

    @as_operation
    def follow_file(
        self, path: Path | str, *, format: str = "auto", session: str = "", user: str | None = None
    ) -> Follower:
        """Returns a follower that imports what is new whenever it is polled and the file has changed."""
        from clew.engine.ingest.follower import Follower

        return Follower(path, lambda: self.import_file(path, format=format, session=session, user=user, repairs=False))

    def _cursors(self, user: str | None) -> FileCursors:
        return FileCursors(self._ledgers.store, tenant=self._services.config.tenant, user=self._ledgers.place(user))
