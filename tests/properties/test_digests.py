"""Digests of any history: caps hold, facts are quotes with their source, same input gives same output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.digests.draft import DigestDraft, digest, finish_digest
from clew.digests.token_fit import clip, count_tokens
from clew.digests.trio import trio
from clew.domain import Call, Digest, Header, Message, Origin, Role, Text
from clew.domain.values import from_json, to_json
from clew.text.terminal import safe
from tests.builders import call, gives, output
from tests.properties.strategies import histories
from tests.unit.digests.examples import numbered, run

prose = st.text(st.sampled_from(list("aZ.?!:,;`-#*_/\n 1é你。…'\"()<>|\t")), max_size=300)
phrases = st.sampled_from(
    [
        "Please fix src/a.py. ",
        "Don't touch it! ",
        "We'll use SQLite instead of Go. ",
        "- [ ] still to do\n",
        "```\ncode\n```\n",
        "Shall I? ",
        "https://a.example/b?c ",
        "Done. ",
        "FAILED tests/a.py::test_b - assert 1\n",
        "2 failed, 3 passed\n",
        "x" * 400,
    ]
)
talk = st.lists(st.one_of(prose, phrases), max_size=8).map("".join)
commands = st.sampled_from(
    ["pytest -q", "cd /a && go test ./... | tail", "rm a.py", "cat <<'EOF' > b.py\nx\nEOF", "git commit -m x", ""]
)


def _acts(text: str, command: str) -> list[Message]:
    parts = (run("c1", command), call("c2", "Edit", file_path="src/a.py", old_string="a", new_string=text))
    reply = Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(Text(text=text), *parts))
    return [reply, gives(output("c1", text), output("c2", text))]


def _spoken(text: str) -> list[Message]:
    asked = Message(role=Role.USER, origin=Origin.PERSON, parts=(Text(text=text),))
    return [asked, Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(Text(text=text),))]


steps = st.one_of(st.builds(_acts, talk, commands), talk.map(_spoken))
working = st.lists(steps, max_size=4).map(lambda runs: [message for one in runs for message in one])
segments = st.one_of(histories, working).map(numbered)


@settings(deadline=None)
@given(st.lists(segments, max_size=3))
def test_caps_hold_for_any_input(found: list[list[Message]]) -> None:
    for at, messages in enumerate(found):
        sizes = trio(digest(messages, f"x{at}"))
        assert count_tokens(sizes.header.line) <= 12
        assert count_tokens(sizes.summary.text) <= 120


@given(talk, st.integers(0, 40))
def test_a_clipped_text_fits(text: str, max_tokens: int) -> None:
    assert count_tokens(clip(text, max_tokens)) <= max_tokens


@given(segments)
def test_every_fact_comes_from_a_message_of_the_segment(messages: list[Message]) -> None:
    found = digest(messages, "x1")
    assert set(found.sources) <= {message.id for message in messages}
    assert {one.resolved for one in found.failures} <= {"", *(message.id for message in messages)}


@given(segments)
def test_every_fact_is_a_quote(messages: list[Message]) -> None:
    said = _plain("\n".join(text for message in messages for text in _texts(message)))
    found = digest(messages, "x1")
    kinds = (found.requests, found.decisions, found.files, found.commands, found.failures, found.names)
    facts = [fact for kind in (*kinds, found.questions) for fact in kind]
    for fact in [*facts, *([found.final] if found.final else [])]:
        assert _plain(fact.text) in said


@given(segments)
def test_the_same_messages_give_the_same_digest_however_they_are_put_aside(messages: list[Message]) -> None:
    draft = DigestDraft()
    for message in messages:
        draft.add(message, message.id)
        draft = from_json(DigestDraft, to_json(draft))
    assert finish_digest(draft, "x1") == digest(messages, "x1") == digest(messages, "x1")


@given(segments)
def test_what_is_stored_comes_back(messages: list[Message]) -> None:
    one = digest(messages, "x1")
    assert from_json(Digest, to_json(one)) == one
    assert from_json(type(trio(one)), to_json(trio(one))) == trio(one)


lines = st.builds(Header, id=st.integers(1, 99).map(lambda n: f"x{n}"), line=talk.map(lambda text: clip(text, 12)))


def _texts(message: Message) -> Iterator[str]:
    yield message.text
    for part in message.parts:
        if isinstance(part, Call):
            yield from _strings(part.arguments)
    yield from (found.text for found in message.outputs)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(inner)


def _plain(text: str) -> str:
    """Without blanks and without what stands for control characters: trimming may change no more than these."""
    return "".join(one for one in safe(text) if one.isprintable() and not one.isspace() and not "␀" <= one <= "␿")
