"""An invented piece of work, the summary a good model would write of it, and a memory for answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.digests.draft import digest
from clew.domain import Digest, Fact, Message
from clew.ports import ModelRequest
from clew.summaries.values import SummaryMaterial
from clew.tokens import tokenizer_for
from tests.builders import call, gives, output, says, user
from tests.unit.digests.examples import failed, numbered, run, step

count = tokenizer_for("text").count

RULE = "Never write to the live ledger; use the copy in fixtures/ledger.db."
NOISE = "\n".join(f"row {at}: posting {at * 37} booked on account {at % 9}" for at in range(120))


def work() -> list[Message]:
    """A request with a rule, a look, an edit, a failure, a repair; then a second request."""
    edit = call("c2", "Edit", file_path="src/importer.py", old_string="x", new_string="def parse_rows(text):\n    pass")
    create = call("c5", "Write", file_path="src/retry.py", content="LIMIT_SECONDS = 7\n")
    return numbered(
        [
            user(f"The importer drops rows with a comma in the memo. Please fix parse_rows. {RULE}"),
            *step(run("c1", "sqlite3 fixtures/ledger.db 'select * from postings'"), output("c1", NOISE), "I'll look."),
            *step(edit, output("c2", "edited"), "I'll use the csv module instead of splitting by hand."),
            *step(run("c3", "pytest -q"), failed("c3", "FAILED tests/test_importer.py::test_memo - KeyError: 'memo'")),
            *step(run("c4", "pytest -q"), output("c4", "14 passed in 0.41s")),
            says("Done: parse_rows reads quoted memos now, 14 passed."),
            user("Good. Now add a retry with a limit of 7 seconds in src/retry.py."),
            *step(create, output("c5", "written")),
            says("src/retry.py is there. Next I would wire it into sync_ledger. Shall I?"),
        ]
    )


def digests(messages: Sequence[Message] | None = None) -> tuple[Digest, ...]:
    found = list(messages or work())
    at = next(at for at, message in enumerate(found) if message.text.startswith("Good. Now"))
    return digest(found[:at], "x1"), digest(found[at:], "x2")


def noted(found: Sequence[Digest]) -> tuple[Digest, ...]:
    """The digests with what the model says each of them came to."""
    told = ["parse_rows reads quoted memos through csv", "src/retry.py holds LIMIT_SECONDS = 7"]
    return tuple(
        replace(one, gist=Fact(text=text, source=one.sources[-1])) for one, text in zip(found, told, strict=True)
    )


def material(**changes: object) -> SummaryMaterial:
    messages = tuple(work())
    made = SummaryMaterial(
        messages=messages, digests=digests(messages), files=("src/importer.py", "src/retry.py"), keep=(RULE,)
    )
    return replace(made, **changes)  # type: ignore[arg-type]


SUMMARY = f"""## Overview
- The person asked to fix the importer: "The importer drops rows with a comma in the memo." Rule: "{RULE}"
- Then: "Now add a retry with a limit of 7 seconds in src/retry.py."
## Technical foundation
- Python, pytest; the csv module instead of splitting by hand.
## Codebase status
- src/importer.py: parse_rows was changed and reads quoted memos.
- src/retry.py: created, LIMIT_SECONDS = 7.
## Problem resolution
- KeyError: 'memo' in test_memo: solved.
## Progress
- 14 passed after the change to parse_rows.
## Active work
- The retry stands in src/retry.py and is not used yet.
## Recent operations
- pytest -q: 14 passed.
## Continuation plan
- Wire the retry into sync_ledger, if the person wants it."""
ANSWER = f"<analysis>\nThe importer and the retry.\n</analysis>\n\n<summary>\n{SUMMARY}\n</summary>"
ROOM = 600
WINDOW = 100_000


class Memory:
    """A cache that can be looked into."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self.held.get(key)

    def put(self, key: str, text: str) -> None:
        self.held[key] = text


class Ticking:
    """A clock that moves by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def is_merge(asked: ModelRequest) -> bool:
    return "Those were the summaries." in asked.user


__all__ = [
    "ANSWER",
    "NOISE",
    "ROOM",
    "RULE",
    "SUMMARY",
    "WINDOW",
    "Memory",
    "Ticking",
    "count",
    "digests",
    "gives",
    "is_merge",
    "material",
    "noted",
    "work",
]
