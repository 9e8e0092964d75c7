"""A scripted agent that works for many steps: it is told a fact early, and asked for it late.

The model looks at one file after the other, and reports now and then. In step 3 the user tells a code word. Ten steps
before the end the model asks the archive for it through a tool, and says in the next what the archive answered.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import clew
from clew.engine.engine import Engine
from clew.rules import check
from tests.provider_replies import Says


@dataclass(frozen=True, slots=True)
class Work:
    """How long an agent works, and with how many tokens."""

    steps: int
    budget: int

    @property
    def pauses(self) -> tuple[int, int]:
        """Steps in which the model reports, and the user has it go on: frameworks get slow in a request of many."""
        return self.steps * 3 // 10, self.steps * 6 // 10

    @property
    def asks_at(self) -> int:
        """The step in which the model asks for what it was told."""
        return self.steps - 10


LONG = Work(steps=200, budget=6_000)
#: The fact is asked for two epochs and more after it was told.
SHORT = Work(steps=80, budget=6_000)
REQUEST = "Look at every file and tell me what each is for."
FACT = "The code word of the release is tangerine-42, it is written nowhere else."
FACT_QUESTION = "code word of the release"
SYSTEM = "You look after a small program."


def next_words(step: int, last_output: str, work: Work) -> Says:
    """What the model says in a step, from 1."""
    if step == 2:
        return Says("Is there anything that I should know?")
    if step in work.pauses:
        return Says(f"I have looked at {step} files.")
    if step == work.asks_at:
        return Says(tool="search_archive", arguments={"query": FACT_QUESTION}, id=f"call_{step}")
    if step in (work.asks_at + 1, work.steps):
        return Says(f"The archive says: {last_output}" if step < work.steps else "All done.")
    return Says(tool="look", arguments={"path": f"src/part_{step}.py"}, id=f"call_{step}")


def tool_output(session: clew.Session, name: str, arguments: dict[str, Any]) -> str:
    """Runs the two tools of the agent."""
    if name == "search_archive":
        found = session.search(arguments["query"], limit=3, kind="message")
        return "\n".join(session.recall(one.id)[0].text for one in found) or "nothing found"
    lines = [f"def step_{at}(value: int) -> int: return value + {at}  # {arguments['path']}" for at in range(4)]
    return "\n".join(lines)


def last_output(body: dict[str, Any]) -> str:
    """The newest tool output that the model sees."""
    found = json.dumps(body.get("messages") or body.get("contents") or body["input"])
    return "tangerine-42" if "tangerine-42" in found[-1000:] else "unknown"


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
class AgentRun:
    """One run in a session: what the model was sent and said, what the session was given, and what went wrong.

    ``seen_at`` are the times of requests, by ``time.perf_counter``. ``starts`` are the places of requests that began an
    epoch, ``breaks`` of those that begin otherwise than the one before them within an epoch, ``invalid`` of those that
    the provider would refuse.
    """

    engine: Engine
    session: clew.Session
    provider: str
    work: Work = LONG
    requests: list[dict[str, Any]] = field(default_factory=list)
    seen_at: list[float] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    breaks: list[int] = field(default_factory=list)
    invalid: list[int] = field(default_factory=list)
    _given: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.engine.on("compaction.complete", lambda event: self.starts.append(len(self.requests)))

    @property
    def is_done(self) -> bool:
        """True after the last step."""
        return len(self.requests) == self.work.steps

    def says(self, body: dict[str, Any], last_output: str) -> Says:
        """What the model says to a request, which is judged first."""
        self.seen_at.append(time.perf_counter())
        self._judge(body)
        self.requests.append(json.loads(json.dumps(body)))
        said = next_words(len(self.requests), last_output, self.work)
        self.answers.append(said.text)
        self._given[said.text or json.dumps(said.arguments)] += 1
        return said

    def answer(self, body: dict[str, Any]) -> Says:
        """The same for who knows only the request."""
        return self.says(body, last_output(body))

    def runs(self, tool: str, arguments: dict[str, Any]) -> str:
        """What a tool gives back."""
        made = tool_output(self.session, tool, arguments)
        self._given[made] += 1
        return made

    def user_says(self) -> str:
        """What the user says next."""
        words = users_words(len(self.requests)) if self.requests else REQUEST
        if not self.is_done:  # nobody sends the words after the last
            self._given[words] += 1
        return words

    def lost(self) -> list[str]:
        """What was given and is not in the ledger."""
        kept: Counter[str] = Counter()
        for message in self.session.messages():
            calls = (json.dumps(call.arguments) for call in message.calls)
            kept.update([message.text, *calls, *(one.text for one in message.outputs)])
        return sorted((self._given - kept).elements())

    @property
    def has_answered(self) -> bool:
        """True when the model said the fact that it was told in step 3."""
        return any("tangerine-42" in answer for answer in self.answers)

    @property
    def breaks_in_turns(self) -> list[int]:
        """Breaks in the middle of a turn: in a small budget, what a turn retrieved goes when the user speaks next."""
        return [at for at in self.breaks if next_words(at, "", self.work).tool]

    def _judge(self, body: dict[str, Any]) -> None:
        here = len(self.requests)
        if check(body, self.provider, final=True):
            self.invalid.append(here)
        name = {"openai-responses": "input", "gemini": "contents"}.get(self.provider, "messages")
        if here not in self.starts:
            before, now = _unmarked(self.requests[-1][name]), _unmarked(body[name])
            if now[: len(before)] != before:
                self.breaks.append(here)


def assert_all_went_well(run: AgentRun) -> None:
    """Every request was valid, began like the one before it while an epoch lasted, and was small; nothing is lost, and
    the model said the code word."""
    assert (run.invalid, run.breaks, run.lost()) == ([], [], [])
    assert (len(run.requests), run.has_answered) == (run.work.steps, True)
    assert 2 <= len(run.starts) <= run.work.steps / 5
    sizes = [len(json.dumps(body)) for body in run.requests]
    assert max(sizes) < 8 * run.work.budget, "a request is as large as no budget of its would allow"


def _unmarked(value: Any) -> Any:
    """Marks of the provider's cache move on with the end of the request, by their nature; content stands still."""
    if isinstance(value, dict):
        return {name: _unmarked(item) for name, item in value.items() if name != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value
