"""Whatever a model notes of its turn: caps hold, facts stay, and nobody else's words change."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.digests.draft import digest
from clew.digests.token_fit import count_tokens
from clew.digests.trio import summary, trio
from clew.domain import CodeChange, Digest, Housekeeping, Message, Origin, Trio
from clew.domain.values import from_json, to_json
from tests.builders import call, gives, output, says, user
from tests.effort import examples
from tests.properties.test_digests import segments, talk
from tests.unit.digests.examples import numbered

notes = st.builds(
    Housekeeping,
    response_header=talk,
    context_summary=talk,
    key_decisions=st.lists(talk, max_size=20).map(tuple),
    code_changes=st.lists(
        st.builds(CodeChange, st.one_of(st.sampled_from(["src/a.py", "a.py", "b.py"]), talk), talk), max_size=5
    ).map(tuple),
    query_header=talk,
    understood_intent=talk,
)
noted_segments = st.tuples(segments, notes)


def _noted(messages: list[Message], found: Housekeeping) -> Digest:
    return digest(messages, "x1", notes=dict.fromkeys((one.id for one in messages), found))


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(noted_segments, max_size=3))
def test_no_notes_break_a_cap(found: list[tuple[list[Message], Housekeeping]]) -> None:
    for messages, said in found:
        sizes = trio(_noted(messages, said))
        assert count_tokens(sizes.header.line) <= 12
        assert count_tokens(sizes.header.topic) <= 36
        assert count_tokens(sizes.summary.text) <= 120


@settings(deadline=None)
@given(noted_segments)
def test_notes_change_no_fact(found: tuple[list[Message], Housekeeping]) -> None:
    assert_facts_stay(*found)


NOTED = {
    "a person decides in the words that the model has noted before": (
        [says(call("c1", "Bash", command="pytest -q")), user("Don't touch it!"), says("Yes.")],
        Housekeeping(key_decisions=("Don't touch it!",)),
    ),
    "a reply of notes alone comes after a question amid work": (
        [
            says("All is green. Shall I push it?", call("c1", "Bash", command="pytest -q")),
            gives(output("c1", "ok")),
            says(""),
        ],
        Housekeeping(),
    ),
}


@pytest.mark.parametrize("name", NOTED)
def test_notes_change_no_fact_in_rare_order(name: str) -> None:
    messages, found = NOTED[name]
    assert_facts_stay(numbered(messages), found)


def assert_facts_stay(messages: list[Message], found: Housekeeping) -> None:
    plain, told = digest(messages, "x1"), _noted(messages, found)
    assert tuple(replace(file, what=None) for file in told.files) == plain.files
    kinds = ("requests", "commands", "failures", "names", "questions", "final")
    assert [getattr(told, kind) for kind in kinds] == [getattr(plain, kind) for kind in kinds]
    people = [fact for fact in plain.decisions if fact.by is Origin.PERSON]
    assert [fact for fact in told.decisions if fact.by is Origin.PERSON] == people
    assert set(told.sources) <= {message.id for message in messages}


@settings(deadline=None)
@given(noted_segments)
def test_every_note_is_one_line(found: tuple[list[Message], Housekeeping]) -> None:
    told = _noted(*found)
    lines = [told.query, told.intent, told.response, told.gist, *(file.what for file in told.files)]
    assert all(fact is None or (fact.text.split() and "\n" not in fact.text) for fact in lines)
    assert "\n" not in trio(told).header.line


@settings(deadline=None)
@given(noted_segments)
def test_a_summary_tells_what_must_be_told_with_any_notes(found: tuple[list[Message], Housekeeping]) -> None:
    plain, told = summary(digest(found[0], "x1")), summary(_noted(*found))
    people_and_state = re.compile(r"(?:m\d+ user|changed|failed \(m\d+\).{0,40}): ")
    must = [line for line in plain.text.split("\n") if people_and_state.match(line)]
    assert [line for line in told.text.split("\n") if people_and_state.match(line)] == must


@settings(deadline=None)
@given(noted_segments)
def test_what_is_noted_can_be_stored(found: tuple[list[Message], Housekeeping]) -> None:
    one = _noted(*found)
    assert from_json(Digest, to_json(one)) == one
    assert from_json(Trio, to_json(trio(one))) == trio(one)
