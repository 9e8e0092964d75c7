"""Digests follow the session: borders are those of its segments, whatever is recorded, rewritten or rebuilt."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.config import Config, DigestConfig, SegmentConfig
from clew.digests.projection import DigestsProjection
from clew.domain import Fact, Origin, Outcome
from clew.domain.ids import message_number
from clew.engine.engine import Engine
from clew.samples import sample
from tests.builders import call, output, says, user
from tests.unit.digests.examples import failed, run, step, work
from tests.unit.digests.sessions import plain, reader, record


def test_every_segment_has_a_digest_under_its_own_id(engine: Engine) -> None:
    (report,) = engine.import_file(sample())
    session = engine.find(report.session)
    assert [one.header.id for one in reader(session).trios()] == [name for _, name in session.reader.outline()]


def test_facts_stand_in_the_segment_of_their_message(engine: Engine) -> None:
    (report,) = engine.import_file(sample())
    session = engine.find(report.session)
    for segment, name in session.reader.outline():
        found = reader(session).digest(name)
        assert found is not None
        assert all(segment.first <= message_number(source) <= segment.last for source in found.sources)


def test_one_by_one_or_all_at_once_gives_the_same_rows(engine: Engine) -> None:
    messages = [*plain(work()), user("Now commit it please"), says("Committed.")]
    record(engine.session("slow"), messages)
    engine.session("fast").record(messages)
    slow, fast = (engine.store.rows(engine.key(id), DigestsProjection.name, start="\x01") for id in ("slow", "fast"))
    assert slow == fast


def test_a_rebuild_gives_the_same_rows(engine: Engine) -> None:
    session = engine.session("s")
    record(session, [*plain(work()), user("Now commit it please"), says("Committed.")])
    session.rollback()
    record(session, [user("No, amend it please"), says("Amended.")])
    before = engine.store.rows(session.info.key, DigestsProjection.name, start="\x01")
    engine.rebuild(session.info)
    assert engine.store.rows(session.info.key, DigestsProjection.name, start="\x01") == before


def test_digests_made_anew_keep_the_borders_that_were_drawn(tmp_path: Path) -> None:
    with clew.open(tmp_path / "s.db", config=Config(segments=SegmentConfig(max_tokens=40))) as engine:
        record(engine.session("s"), plain(work()))
        before = [one.header.id for one in reader(engine.session("s")).trios()]
    with clew.open(tmp_path / "s.db", config=Config(segments=SegmentConfig(max_tokens=9_000))) as engine:
        session = engine.session("s")
        engine.rebuild(session.info)
        assert [one.header.id for one in reader(session).trios()] == before == ["x1.1", "x1.2", "x1.3", "x1.4"]


def test_a_rolled_back_exchange_leaves_headers(engine: Engine) -> None:
    session = engine.session("s")
    record(session, [user("Please add a waiting list to the booking service"), says("Added.")])
    record(session, [user("Please delete the customer database right now"), says("Deleted.")])
    session.rollback()
    assert [one.header.id for one in reader(session).trios()] == ["x1"]


def test_an_edited_message_changes_the_digest_of_its_segment(engine: Engine) -> None:
    session = engine.session("s")
    record(session, [user("Please paint the harbour wall blue"), says("Painted."), user("thanks a lot"), says("Sure.")])
    session.edit("m1", "Please paint the harbour wall green")
    digest = reader(session).digest("x1")
    fact = Fact(text="Please paint the harbour wall green", source="m5", by=Origin.PERSON)
    assert digest is not None
    assert digest.requests == (fact,)


def test_a_failure_mended_in_a_later_segment_is_resolved_there(engine: Engine) -> None:
    session = engine.session("s")
    record(
        session, [user("Run them"), *step(run("c1", "pytest -q"), failed("c1", "FAILED a.py::test_a")), says("Red.")]
    )
    record(session, [user("Fix it"), *step(run("c2", "pytest -q"), output("c2", "3 passed")), says("Green.")])
    found = reader(session)
    digest, sizes = found.digest("x1"), found.trio("x1")
    assert [one.resolved for one in digest.failures] == ["m7"] if digest else False
    assert sizes is not None
    assert sizes.header.outcome == "completed"
    assert "failed (m3), passed since (m7): FAILED a.py::test_a" in sizes.summary.text


def test_rows_of_an_earlier_version_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clew.open(tmp_path / "s.db") as engine:
        record(engine.session("s"), [*plain(work()), user("Now commit it please"), says("Committed.")])
        key = engine.session("s").info.key
        made = engine.store.rows(key, DigestsProjection.name, start="\x01")
        engine.store.put_rows(key, DigestsProjection.name, {"told/000001.0001": b"{}", "trio/000001.0001": b"{}"})
    monkeypatch.setattr(DigestsProjection, "version", DigestsProjection.version + 1)
    with clew.open(tmp_path / "s.db") as engine:
        assert [one.header.id for one in reader(engine.session("s")).trios()] == ["x1", "x2"]
        assert engine.store.rows(key, DigestsProjection.name, start="\x01") == made


def test_caps_come_from_the_settings() -> None:
    with clew.open(":memory:", config=Config(digests=DigestConfig(header_tokens=3))) as engine:
        session = engine.session("s")
        record(session, [user("Please rework the importer so that it reads lazily"), says("Done."), user("thanks")])
        assert reader(session).trios()[0].header.line == "rework…"


def test_a_question_is_open_until_somebody_speaks_and_a_short_reply_names_it(engine: Engine) -> None:
    session = engine.session("s")
    record(session, [user("Why is the harbor page slow?"), says("An index is missing. Shall I add the index?")])
    first = reader(session).trio("x1")
    assert first is not None
    assert (first.header.outcome, first.summary.questions) == (Outcome.ONGOING, ("Shall I add the index?",))
    record(session, [user("yes please"), says("Fine.")])
    trios = reader(session).trios()
    assert [(one.header.outcome, one.summary.questions) for one in trios] == [(Outcome.COMPLETED, ())] * 2
    assert trios[1].header.line == "yes please, to: Shall I add the index?"


def test_work_that_a_person_broke_off_stays_ongoing(engine: Engine) -> None:
    session = engine.session("s")
    asked = call("c1", "Bash", command="make all")
    record(session, [user("Build all of it, please."), says(asked), user("Forget the build, what is the time?")])
    assert [one.header.outcome for one in reader(session).trios()] == [Outcome.ONGOING, Outcome.ONGOING]
    record(session, [says("Noon.")])
    assert [one.header.outcome for one in reader(session).trios()] == [Outcome.ONGOING, Outcome.COMPLETED]
