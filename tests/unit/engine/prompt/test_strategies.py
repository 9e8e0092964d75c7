"""Strategies decide about older segments, and read no more of a long session than that takes."""

from __future__ import annotations

import pytest

import clew
from clew.compaction.candidates import choose_kept
from clew.digests.reader import DigestReader
from clew.domain import CompactionRequest, Digest, Strategy, Trigger
from clew.engine.prompt.strategies import Strategies
from clew.engine.session import Session
from tests.work import work


@pytest.fixture
def session() -> Session:
    session = clew.open(":memory:").session("s", model="claude-sonnet-4-5")
    session.record(work(60))
    return session


def strategies(session: Session) -> Strategies:
    return Strategies(session._components._core, session._components.monitor)


def auto(session: Session, room: int) -> tuple[Strategy, tuple[tuple[int, int], ...]]:
    request = CompactionRequest(trigger=Trigger.HAND, strategy=Strategy.AUTO, tokens=room)
    found = strategies(session).choose(request, tail_start=session.info.messages, room=room, count=len)
    return found.strategy, found.kept


def test_segments_stay_word_for_word_where_all_that_are_needed_fit(session: Session) -> None:
    candidates = strategies(session).candidates(session.info.messages)
    assert [one.first for one in candidates] == sorted(one.first for one in candidates)
    needed = sum(one.tokens for one in candidates if not one.is_expendable)
    for room in (0, needed // 2, needed - 1, needed, needed + 1, 3 * needed):
        kept, is_all = choose_kept(candidates, room=room)
        assert strategies(session)._needed_segments(session.info.messages, room) == (list(kept) if is_all else [])
    assert auto(session, 3 * needed)[0] is Strategy.SELECTIVE
    assert auto(session, needed)[0] is Strategy.SUMMARIZE


def test_a_session_that_does_not_fit_is_not_read_as_a_whole(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    digest = DigestReader.digest

    def spied(reader: DigestReader, id: str) -> Digest | None:
        read.append(id)
        return digest(reader, id)

    monkeypatch.setattr(DigestReader, "digest", spied)
    assert auto(session, 100)[0] is Strategy.SUMMARIZE
    assert len(read) < len(session.reader.segments()) / 4
