"""A small piece of work as messages: asked, looked at, changed, failed, mended, reported; and a model's notes on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.digests.draft import digest
from clew.domain import Call, CodeChange, Digest, Housekeeping, Message, Output, Part, Status, Text
from clew.domain.ids import message_id
from tests.builders import call, gives, output, says, user

NOTES = Housekeeping(
    response_header="parse is lazy now",
    context_summary="parse() yields rows one by one. All tests pass; nothing is committed.",
    key_decisions=("Keep the public name", "I'll keep the name instead of new ones"),
    code_changes=(CodeChange("reader.py", "parse() became a generator"), CodeChange("src/ghost.py", "deleted it")),
    query_header="Lazy parsing",
    understood_intent="Make the reader faster without touching the tests",
)


def numbered(messages: Sequence[Message], first: int = 1) -> list[Message]:
    """As they are read from a session: m1, m2, … a minute apart."""
    return [replace(one, id=message_id(at), at=60.0 * at) for at, one in enumerate(messages, first)]


def run(id: str, command: str) -> Call:
    return Call(id=id, name="Bash", arguments={"command": command})


def failed(call_id: str, text: str) -> Output:
    return Output(call_id=call_id, content=(Text(text=text),), status=Status.FAILED)


def step(asked: Part, answer: Output, words: str = "") -> list[Message]:
    return [says(words, asked) if words else says(asked), gives(answer)]


def work() -> list[Message]:
    edit = call(
        "c2", "Edit", file_path="src/reader.py", old_string="x = 1", new_string="def parse(text):\n    return 2"
    )
    return numbered(
        [
            user("Hi! Our reader is slow. Could you please make parse in src/reader.py lazy? Don't touch the tests."),
            *step(call("c1", "Read", file_path="src/reader.py"), output("c1", "     1→import os\n     2→x = 1")),
            *step(
                edit,
                output("c2", "     2→def parse(text):\n     3→    return 2"),
                "I'll keep the name instead of new ones.",
            ),
            *step(
                run("c3", "pytest -q"),
                failed("c3", "FAILED tests/test_reader.py::test_lazy - assert 1 == 2\n1 failed in 0.1s"),
            ),
            *step(run("c4", "pytest -q"), output("c4", "5 passed in 0.2s")),
            says("Done. `parse` is lazy now, 5 passed. Shall I commit it?"),
        ]
    )


def noted(notes: Housekeeping, messages: Sequence[Message] = ()) -> Digest:
    """The digest of some work whose last message holds the notes."""
    done = list(messages) or work()
    return digest(done, "x1", notes={done[-1].id: notes})


def edits(*paths: str) -> list[Message]:
    asked = [call(f"c{at}", "Edit", file_path=path, old_string="a", new_string="b") for at, path in enumerate(paths)]
    done = [message for at, one in enumerate(asked) for message in step(one, output(f"c{at}", "ok"))]
    return numbered([user("Rename the table everywhere please"), *done, says("All of them are renamed now.")])
