"""The encoder hears in the background what recording did not, as an entry of its own, and ends what recording kept of
words that are surely not meant to last.

How far it has read belongs to the session: another handle, or the next process, has what was heard and reads on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.cancellation import Cancel
from clew.config import Config, CriticalConfig
from clew.domain import EntryKind, Message
from clew.engine.engine import Engine
from clew.engine.health.encoder_verdicts import EncoderVerdicts
from clew.engine.health.reading_mark import ReadingMark, Unread
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user

pytest.importorskip("clew_encoder")
pytestmark = [pytest.mark.encoder, pytest.mark.stores("memory")]

#: Said without any word by which rules are known.
QUIET = "leave go.sum alone unless go mod tidy wrote it"
EARLIER = "We have no staging environment, everything goes straight to production."
LATER = "I deployed the new build to our staging environment on Friday and it looked fine there."
TALK = [user(QUIET), says("Noted."), user("Now the tests, please."), says("Done.")]

DEAF = replace(Config(), critical=replace(CriticalConfig(), encoder=False))
HEARING = replace(Config(), models=replace(Config().models, embedder="none"))


@contextmanager
def opened(store: Path | str, config: Config = HEARING) -> Iterator[Engine]:
    with clew.open(store, config=config) as engine:
        yield engine


@pytest.fixture
def unread(tmp_path: Path) -> Path:
    """A store with a session that was recorded while the encoder was switched off."""
    with opened(tmp_path / "clew.db", DEAF) as engine:
        engine.session("s", model="gpt-5").record(TALK)
    return tmp_path / "clew.db"


def recorded(engine: Engine, *messages: Message) -> Session:
    """Each message by itself, with all verdicts in before the next."""
    session = engine.session("s", model="gpt-5")
    for message in messages:
        session.record([message])
        engine.wait()
    return session


def texts(session: Session) -> list[str]:
    return [item.text for item in session.pins()]


def verdicts(session: Session) -> list[bytes]:
    return [
        entry.body for entry in session.reader.entries() if entry.kind is EntryKind.PIN and b'"verdict"' in entry.body
    ]


def reader(session: Session) -> EncoderVerdicts:
    """What reads the session on, for a test that says when."""
    return session._components.verdicts


def test_what_recording_did_not_hear_is_there_once_it_is_read(engine: Engine) -> None:
    assert texts(recorded(engine, user(QUIET))) == [QUIET]


def test_what_recording_kept_of_a_tale_is_kept_no_longer(engine: Engine) -> None:
    tale = "I read somewhere one should never use recursion, and then everybody in our lab uses it."
    session = recorded(engine, user(tale), user("Never use recursion in the parser."))
    assert {item.text: item.ended_reason for item in session.pins(all=True)} == {
        tale: "read again: not meant to last",
        "Never use recursion in the parser.": "",
    }


@pytest.mark.parametrize(
    "order", ["Hello, always answer briefly.", "Never say lol.", "Ana: from now on no jokes please."]
)
def test_an_order_in_plain_words_stays_whatever_is_made_of_it(engine: Engine, order: str) -> None:
    [item] = recorded(engine, user(order)).pins(all=True)
    assert item.is_live


def test_another_handle_has_what_was_heard(engine: Engine) -> None:
    recorded(engine, user(QUIET))
    assert texts(engine.session("s")) == [QUIET]


def test_the_next_process_reads_on_from_where_the_last_one_was(unread: Path) -> None:
    with opened(unread) as engine:
        session = engine.session("s")
        engine.wait()
        assert (texts(session), reader(session).reach()) == ([QUIET], 4)


def test_whoever_only_looks_in_the_next_process_has_what_was_heard(tmp_path: Path) -> None:
    with opened(tmp_path / "clew.db") as engine:
        recorded(engine, *TALK)
    with opened(tmp_path / "clew.db", DEAF) as engine:
        assert texts(engine.find("s")) == [QUIET]


def test_a_verdict_is_an_entry_and_outlives_the_encoder(tmp_path: Path) -> None:
    with opened(tmp_path / "clew.db") as engine:
        before = recorded(engine, *TALK).pins()
    with opened(tmp_path / "clew.db", DEAF) as engine:
        engine.rebuild(engine.find("s").info)
        assert engine.find("s").pins() == before


def test_of_two_who_read_the_same_words_one_writes(unread: Path) -> None:
    with opened(unread, DEAF) as engine, opened(unread, HEARING) as other:
        one, two = reader(other.find("s")), reader(opened_again := other.find("s"))
        begin = two._mark()
        one.read_next(Cancel())
        assert not two._write(begin, replace(begin, seq=4, message=4), two._read(_unread(two), Cancel()))
        two.read_next(Cancel())
        assert (len(verdicts(opened_again)), texts(engine.find("s"))) == (1, [QUIET])


def _unread(verdicts: EncoderVerdicts) -> list[Unread]:
    return [one for _, several in verdicts._passed_entries(ReadingMark()) for one in several]


def test_nothing_is_read_twice(engine: Engine) -> None:
    session = recorded(engine, *TALK)
    for _ in range(3):
        engine.session("s")
        engine.wait()
    assert len(verdicts(session)) == 1


def test_another_version_of_the_encoder_reads_again_and_makes_nothing_twice(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = recorded(engine, *TALK)
    before = session.pins(all=True)
    monkeypatch.setattr("clew.signals.learned.encoder.versioned_name", lambda: "encoder@next")
    while reader(session).read_next(Cancel()):
        pass
    assert (reader(session).reach(), len(verdicts(session)), session.pins(all=True)) == (4, 2, before)


def test_what_is_rolled_back_while_it_is_read_makes_no_item(unread: Path) -> None:
    with opened(unread) as engine:
        session = engine.find("s")
        reading = reader(session)
        begin, verdict = reading._mark(), reading._read(_unread(reading), Cancel())
        session.rollback(2)
        reading._write(begin, replace(begin, seq=4, message=4), verdict)
        assert (session.pins(all=True), verdicts(session)) == ([], [])


def test_what_is_edited_while_it_is_read_makes_no_item(unread: Path) -> None:
    with opened(unread) as engine:
        session = engine.find("s")
        reading = reader(session)
        begin, verdict = reading._mark(), reading._read(_unread(reading), Cancel())
        session.edit("m1", "Good morning.")
        reading._write(begin, replace(begin, seq=4, message=4), verdict)
        assert session.pins(all=True) == []


def test_a_session_that_is_purged_while_it_is_read_stays_gone(unread: Path) -> None:
    with opened(unread) as engine:
        session = engine.find("s")
        reading = reader(session)
        begin, verdict = reading._mark(), reading._read(_unread(reading), Cancel())
        engine.purge(session.key)
        assert not reading._write(begin, replace(begin, seq=4, message=4), verdict)
        assert (reading.read_next(Cancel()), engine.infos()) == (False, [])


def test_an_item_of_an_edited_message_goes_with_the_next_edit(engine: Engine) -> None:
    session = recorded(engine, user("Good morning."), says("Hello."))
    session.edit("m1", QUIET)
    while reader(session).read_next(Cancel()):
        pass
    heard = texts(session)
    session.edit("m1", "Good evening.")
    assert (heard, texts(session)) == ([QUIET], [])


def test_what_is_called_off_keeps_what_was_read(unread: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cancel = Cancel()
    with opened(unread) as engine:
        session = engine.find("s")
        reading = reader(session)
        read = reading._read

        def read_once(unread: Sequence[Unread], until: Cancel) -> object:
            found = read(unread, until)
            if unread:
                cancel.cancel()
            return found

        monkeypatch.setattr(reading, "_read", read_once)
        assert not reading.read_next(cancel)
        assert (texts(session), reading.reach()) == ([QUIET], 2)


def test_an_encoder_that_has_nothing_to_read_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> object:
        raise AssertionError("loaded")

    with opened(tmp_path / "clew.db") as engine:
        session = recorded(engine, *TALK)
        monkeypatch.setattr("clew.signals.learned.encoder.encoder", load)
        session.record([says("And the docs.")])
        engine.wait()
        assert reader(session).reach() == 5


def test_what_tools_say_is_never_read(engine: Engine) -> None:
    reads = call("c1", "Read", file_path="notes.md")
    session = recorded(
        engine, user("Look at the notes."), says(reads), gives(output("c1", QUIET)), says("Done."), user("Good.")
    )
    assert texts(session) == []


def test_a_contradiction_is_told_once_it_is_read(engine: Engine) -> None:
    session = recorded(engine, user(EARLIER), says("I see."), user(LATER))
    assert [(one.earlier, one.later) for one in session.drift().contradictions] == [("m1", "m3")]


def test_what_was_said_later_is_no_earlier_statement(tmp_path: Path) -> None:
    with opened(tmp_path / "clew.db", DEAF) as engine:
        engine.session("s").record([user(EARLIER), says("I see."), user(LATER), says("Fine.")])
    with opened(tmp_path / "clew.db") as engine:
        session = engine.session("s")
        engine.wait()
        assert [(one.earlier, one.later) for one in session.drift().contradictions] == [("m1", "m3")]


def test_it_can_be_switched_off() -> None:
    with opened(":memory:", DEAF) as engine:
        assert texts(recorded(engine, *TALK)) == []
