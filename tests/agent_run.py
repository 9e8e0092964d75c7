"""A scripted agent that works for two hundred steps: it is told a fact early, and asked for it late.

The model looks at one file after the other. In step 3 the user tells a code word. In step 190 the model asks the
archive for it through a tool, and says in step 191 what the archive answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import clew
from clew.engine.engine import Engine
from clew.rules import check
from tests.provider_replies import Says

STEPS = 200
ASKED_AT = 190
BUDGET = 6_000
REQUEST = "Look at every file and tell me what each is for."
FACT = "The code word of the release is tangerine-42, it is written nowhere else."
FACT_QUESTION = "code word of the release"
SYSTEM = "You look after a small program."


def next_words(step: int, last_output: str) -> Says:
    """What the model says in a step, from 1."""
    if step == 2:
        return Says("Is there anything that I should know?")
    if step == ASKED_AT:
        return Says(tool="search_archive", arguments={"query": FACT_QUESTION}, id=f"call_{step}")
    if step in (ASKED_AT + 1, STEPS):
        return Says(f"The archive says: {last_output}" if step < STEPS else "All done.")
    return Says(tool="look", arguments={"path": f"src/part_{step}.py"}, id=f"call_{step}")


def tool_output(session: clew.Session, name: str, arguments: dict[str, Any]) -> str:
    """Runs the two tools of the agent."""
    if name == "search_archive":
        found = session.search_messages(arguments["query"], limit=3)
        return "\n".join(session.recall(one.id)[0].text for one in found) or "nothing found"
    lines = [f"def step_{at}(value: int) -> int: return value + {at}  # {arguments['path']}" for at in range(4)]
    return "\n".join(lines)


def users_words(step: int) -> str:
    """What the user says after the model's words of a step."""
    return FACT if step == 2 else "Go on with the next files."


TOOLS = {
    name: {
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
        "additionalProperties": False,
    }
    for name, argument in (("look", "path"), ("search_archive", "query"))
}


@dataclass
class RequestChecks:
    """Sees every request that a model gets: each is valid, and begins like the one before while an epoch lasts."""

    engine: Engine
    provider: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    epochs: int = 1
    _has_started: bool = True

    def __post_init__(self) -> None:
        self.engine.on("compaction.complete", self._start)

    def _start(self, event: object) -> None:
        self.epochs, self._has_started = self.epochs + 1, True

    def see(self, body: dict[str, Any]) -> None:
        """Checks one request."""
        assert check(body, self.provider, final=True) == []
        name = "input" if self.provider == "openai-responses" else "messages"
        if not self._has_started:
            before, now = _unmarked(self.requests[-1][name]), _unmarked(body[name])
            assert now[: len(before)] == before, "the prefix has moved within an epoch"
        self._has_started = False
        self.requests.append(json.loads(json.dumps(body)))


def assert_the_fact_came_back(answers: list[str], checks: RequestChecks) -> None:
    """The model said the code word, packs stayed small, and epochs lasted."""
    assert any("tangerine-42" in answer for answer in answers)
    assert len(checks.requests) == STEPS
    assert 2 <= checks.epochs <= STEPS / 5
    sizes = [len(json.dumps(body)) for body in checks.requests]
    assert max(sizes) < 8 * BUDGET, "a request is as large as no budget of its would allow"


def _unmarked(value: Any) -> Any:
    """Marks of the provider's cache move on with the end of the request, by their nature; content stands still."""
    if isinstance(value, dict):
        return {name: _unmarked(item) for name, item in value.items() if name != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value


Model = Callable[[dict[str, Any]], Says]
