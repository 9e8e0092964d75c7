"""A session mends the summary that its client wrote."""

from __future__ import annotations

import pytest

import clew
from clew.config import Config
from clew.domain import Message, Origin, Role, Text
from clew.engine.read.summary_patch import mend_summary
from clew.engine.session import Session
from clew.errors import NotFound, UsageError
from tests.builders import call, gives, output, says, user

SUMMARY = "Summary: rounded every tax to two decimals. " + "The office asked for it and reads every receipt. " * 60


def summary(text: str) -> Message:
    return Message(role=Role.USER, origin=Origin.SUMMARY, parts=(Text(text=text),))


def record(session: Session, *after: Message) -> Session:
    commit = says(call("c1", "Bash", command="git commit -am x"))
    done = gives(output("c1", "[ana/tax 1a2b3c4] Round the total"))
    session.record([user("Round every tax to two decimals."), commit, done, says("Done."), *after])
    return session


@pytest.fixture
def session() -> Session:
    engine = clew.open(":memory:", config=Config())
    return engine.session("s")


def test_the_newest_summary_is_mended_by_default(session: Session) -> None:
    found = record(session, summary(SUMMARY)).mend()
    assert "branch ana/tax (m3)" in found.text
    assert found.tokens == session.reader.count(found.text) <= 400
    assert found.items == ("m3",)


def test_a_summary_may_be_given(session: Session) -> None:
    assert record(session).mend(SUMMARY) == record(session, summary(SUMMARY)).mend()


def test_a_brief_summary_is_mended_as_well(session: Session) -> None:
    assert "branch ana/tax (m3)" in record(session).mend("All done.").text


def test_a_summary_that_nobody_knows_is_said_to_be_so(session: Session) -> None:
    said = [user("Every test passes, I think."), says("Noted.")]
    found = record(session, *said).mend("")
    assert found.text.startswith("From the session's records, as the summary is not known (`clew show s m12`")
    assert "branch ana/tax (m3)" in found.text
    assert "Corrections" not in found.text


def test_what_came_after_the_summary_is_not_told(session: Session) -> None:
    push = [
        says(call("c2", "Bash", command="git push")),
        gives(output("c2", "   0a2b3c4..1a2b3c4  ana/tax -> ana/tax")),
    ]
    assert "pushed" not in record(session, summary(SUMMARY), *push).mend(budget=500).text
    assert "1a2b3c4" in session.mend(budget=500).text


def test_the_state_of_the_work_is_that_of_the_summarys_place(session: Session) -> None:
    failed = [says(call("c2", "Bash", command="pytest")), gives(output("c2", "1 failed, 2 passed in 0.1s"))]
    passed = [says(call("c3", "Bash", command="pytest")), gives(output("c3", "3 passed in 0.1s"))]
    found = record(session, *failed, summary(SUMMARY), *passed).mend(budget=500).text
    assert "failed, not seen to pass since (m6): `pytest`" in found
    told = mend_summary(session.reader, None, budget=500, stands_last=True, count=session.reader.count).text
    assert "failed, not seen to pass" not in told  # behind what came since, it would read as now
    assert "3 passed" not in found


def test_without_a_summary_it_says_what_to_do(session: Session) -> None:
    with pytest.raises(NotFound, match=r"has no summary of its client's; give one: session\.mend\(summary\)"):
        record(session).mend()


@pytest.mark.parametrize("budget", [0, -5, 2.5, True])
def test_a_budget_is_a_number_of_tokens(session: Session, budget: int) -> None:
    with pytest.raises(UsageError, match=r"a budget is a number of tokens from 1 on, not|give a whole number"):
        record(session).mend(SUMMARY, budget)


def test_a_summary_is_a_text(session: Session) -> None:
    with pytest.raises(UsageError, match="give a string"):
        record(session).mend(b"Summary")  # type: ignore[arg-type]


def test_what_stands_beside_a_summary_is_not_said_again_nor_corrected(session: Session) -> None:
    found = record(session, summary(SUMMARY)).mend(beside="The work is on branch ana/tax. Everything was pushed.")
    assert "branch ana/tax" in session.mend().text
    assert "branch ana/tax" not in found.text
    assert "Everything was pushed" not in found.text
