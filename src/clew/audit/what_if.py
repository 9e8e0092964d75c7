"""What Clew's own pack would have been in a compaction's place: as large as the summary, from the same messages."""

from __future__ import annotations

import time
from types import TracebackType

from clew.audit.compactions import CompactedSpan
from clew.audit.needed_units import NeededUnit, is_held
from clew.audit.read_again import Reread
from clew.audit.recorded_session import RecordedSession
from clew.audit.values import WhatIf
from clew.config import Config
from clew.domain.ids import message_id
from clew.errors import BudgetExceeded
from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for

#: A pack is at least this large, and is so large where the record hides the summary.
_LEAST_TOKENS, _USUAL_TOKENS = 2_000, 4_000


class PackedInstead:
    """A session in memory, of which packs are made as they would have been at its compactions: of ``budget``
    tokens, or 0 for as many as each summary took.
    """

    def __init__(self, session: RecordedSession, budget: int = 0) -> None:
        from clew.app import open

        self._budget = budget
        self._engine = open(":memory:", config=Config())
        reports = self._engine.import_file(session.path, project=False, index=False)
        report = next(report for report in reports if report.conversation == session.conversation)
        self._session = self._engine.session(report.session)

    def __enter__(self) -> PackedInstead:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._engine.close()

    def pack(self, span: CompactedSpan, needed: list[NeededUnit], again: list[Reread], *, tokens: int) -> WhatIf | None:
        """Packs what was said before a compaction, and counts what the pack holds of the needed units and of what was
        read again. ``tokens`` is the size of the summary. None where even the least does not fit.
        """
        budget = self._budget or (max(tokens, _LEAST_TOKENS) if tokens else _USUAL_TOKENS)
        before = self._session.fork(f"before-{span.place}", at=message_id(span.mark.after))
        began = time.perf_counter()
        try:
            pack = before.pack(None, budget=budget, target="text", record=False)
        except BudgetExceeded:
            return None
        taken = round(time.perf_counter() - began, 2)
        holds = [unit.is_fact for unit in needed if is_held(pack.text, unit.use)]
        lines = {line for reread in again for line in reread.lines}
        in_pack = "\n".join(line for line in lines if line in pack.text)
        return WhatIf(
            budget=budget,
            tokens=pack.tokens,
            seconds=taken,
            held=holds.count(True),
            code_held=holds.count(False),
            read_again_tokens=tokenizer_for(STORED_MEASURE).count(in_pack),
        )
