"""Upstreams that take the strictest reading of a provider's rules; here Anthropic's (A1 to A14).

It thinks as its mode has it, signs each block for its model, remembers every byte that stood before it, and refuses a
request that sends a block back behind other bytes. It shares no code with the rules that it judges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, ClassVar

from tests.effort import THOROUGH
from tests.provider_replies import Says, reply
from tests.provider_server import Answer

Json = dict[str, Any]
_ID = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(frozen=True)
class Mode:
    """What requests say of thinking, to which model, and which replies of a turn begin with thinking.

    ``settings`` is what a request has beside model and conversation. ``demands`` says that a turn under way has to
    begin with thinking, ``is_off`` that it may have none.
    """

    name: str
    model: str
    settings: Json = field(default_factory=dict)
    thinks: Callable[[int], bool] = lambda step: False
    demands: bool = False
    is_off: bool = False

    def __str__(self) -> str:
        return self.name

    def whole(self, body: Json) -> Json:
        """A request to Anthropic as it is sent."""
        return body | self.settings | {"model": self.model, "max_tokens": 2_000}


_MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 1_024}}
_ADAPTIVE = {"thinking": {"type": "adaptive"}}


def always(step: int) -> bool:
    return True


def mostly(step: int) -> bool:
    return step % 3 != 1


#: Interleaved thinking comes before every call, else only the first reply of a turn thinks.
MODES = (
    Mode("enabled", "claude-opus-4-5", _MANUAL, always, demands=True),
    Mode("enabled-once", "claude-opus-4-5", _MANUAL, lambda step: step == 0, demands=True),
    Mode("enabled-unknown-model", "house-model", _MANUAL, always, demands=True),
    Mode("adaptive", "claude-opus-5-5", _ADAPTIVE, mostly),
    Mode("adaptive-4.6", "claude-opus-4-6", _ADAPTIVE, mostly),
    Mode("unstated-thinks", "claude-opus-5", {}, mostly),
    Mode("unstated-unknown-model", "house-model", {}, mostly),
    Mode("unstated-off", "claude-opus-4-5", is_off=True),
    Mode("off", "claude-opus-4-5", {"thinking": {"type": "disabled"}}, is_off=True),
)
#: Quick runs try what has broken before.
SAMPLED = MODES if THOROUGH else (MODES[0], MODES[3])


class Refused(Exception):
    """A request that the provider refuses."""


@dataclass
class Upstream:
    """Judges requests, and answers those that are sound. ``refused`` says which were not, and why."""

    mode: Mode
    requests: int = 0
    refused: list[tuple[int, list[str]]] = field(default_factory=list)
    format: ClassVar[str]
    path: ClassVar[str]

    def faults(self, body: Json) -> Iterator[str]:
        """Why a request is refused."""
        raise NotImplementedError

    def thoughts(self, body: Json, said: Says) -> Iterator[Json]:
        """What the model thinks before it says this."""
        raise NotImplementedError

    def answer(self, body: Json, said: Callable[[Json], Says]) -> Says:
        """What the model says to a request, with its thinking. Raises Refused."""
        self.requests += 1
        faults = [*self._changed(body), *self.faults(body)]
        if faults:
            self.refused.append((self.requests, faults))
            raise Refused("; ".join(faults))
        words = replace(said(body), model=self.mode.model)
        return replace(words, thoughts=tuple(self.thoughts(body, words)))

    def reply(self, said: Says, *, stream: bool = False) -> Answer:
        """The last answer as the provider writes it."""
        return reply(self.path, said, stream=stream, number=self.requests)

    def script(self, said: Callable[[Json], Says]) -> Callable[[str, Json], Answer]:
        """The same as the script of a server."""

        def script(path: str, body: Json) -> Answer:
            try:
                return self.reply(self.answer(body, said), stream=bool(body.get("stream")))
            except Refused as refused:
                return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": str(refused)}}

        return script

    def _changed(self, body: Json) -> Iterator[str]:
        """What the caller has set stays as it is, and nothing is added."""
        wanted = {"model": self.mode.model, "thinking": None, "store": None, **self.mode.settings}
        for name, value in wanted.items():
            if body.get(name) != value:
                yield f"{name} was changed to {body.get(name)}"


@dataclass
class StrictUpstream(Upstream):
    """With ``preserved`` every block of thinking is bound to all bytes before it."""

    preserved: bool = True
    _issued: dict[str, tuple[Json, str, str]] = field(default_factory=dict)
    format = "anthropic"
    path = "/v1/messages"

    # ── what it says ─────────────────────────────────────────────────────────────────────────────────

    def thoughts(self, body: Json, said: Says) -> Iterator[Json]:
        """Blocks of thinking, most of them plain."""
        messages = _merged(body["messages"])
        if not self.mode.thinks(len(_turn(messages)) // 2):
            return
        before: list[Json] = []
        for at in range(2 if self.requests % 7 == 0 else 1):
            seal = f"sealed-{self.requests}-{at}-" + "Qx7" * 20
            block: Json = {"type": "thinking", "thinking": f"I think about {self.requests}.", "signature": seal}
            if self.requests % 5 == 0:
                block = {"type": "redacted_thinking", "data": seal}
            self._issued[seal] = (block, body["model"], _bytes(body, len(body["messages"]), before))
            before.append(block)
            yield block

    # ── what it refuses ──────────────────────────────────────────────────────────────────────────────

    def faults(self, body: Json) -> Iterator[str]:
        """Why a request is refused."""
        messages = body["messages"]
        if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
            yield "A13: begins and ends with the user"
        if any(one["role"] not in ("user", "assistant") for one in messages):
            yield "A14: no such role"
        yield from self._pairs(_merged(messages))
        yield from self._blocks(body)
        yield from self._turn_faults(_merged(messages))
        yield from self._bound(body)

    def _pairs(self, messages: list[Json]) -> Iterator[str]:
        seen: list[str] = []
        for before, after in zip([{"role": "user", "content": []}, *messages], [*messages, None], strict=True):
            called = [one["id"] for one in before["content"] if one["type"] == "tool_use"]
            given = [one for one in (after or {"content": []})["content"] if one["type"] == "tool_result"]
            seen += called
            if sorted(called) != sorted(one["tool_use_id"] for one in given):
                yield f"A1/A2: calls {called}, results {[one['tool_use_id'] for one in given]}"
            if after and after["content"][: len(given)] != given:
                yield "A5: results stand first"
        if len(seen) != len(set(seen)) or any(not _ID.fullmatch(id) for id in seen):
            yield "A3/A4: ids"

    def _blocks(self, body: Json) -> Iterator[str]:
        outside = [block for name in ("tools", "system") for block in _listed(body.get(name))]
        inside = [block for message in body["messages"] for block in _content(message)]
        if any(block["type"] == "text" and not block["text"].strip() for block in inside):
            yield "A6: a blank text"
        if any(_is_thinking(block) and "cache_control" in block for block in inside):
            yield "A8: a cache mark on thinking"
        ttls = [block["cache_control"].get("ttl", "5m") for block in (*outside, *inside) if "cache_control" in block]
        if len(ttls) > 4 or ttls != sorted(ttls):
            yield f"A12: cache marks {ttls}"

    def _turn_faults(self, messages: list[Json]) -> Iterator[str]:
        replies = [one for one in _turn(messages) if one["role"] == "assistant"]
        if self.mode.demands and replies and not _is_thinking(replies[0]["content"][0]):
            yield "A7: the turn under way does not begin with thinking"
        if self.mode.is_off and any(_is_thinking(block) for one in replies for block in one["content"]):
            yield "A9: thinking is off"

    def _bound(self, body: Json) -> Iterator[str]:
        for at, message in enumerate(body["messages"]):
            blocks = _content(message)
            for place, block in enumerate(blocks):
                if not _is_thinking(block):
                    continue
                issued, model, before = self._issued.get(block.get("signature") or block.get("data"), (None, "", ""))
                if issued != block:
                    yield f"A8: thinking in message {at} is not as it came"
                if model != body["model"]:
                    yield f"A10: thinking in message {at} is another model's"
                if self.preserved and before != _bytes(body, at, blocks[:place]):
                    yield f"A11: something before the thinking in message {at} has changed"


def _turn(messages: list[Json]) -> list[Json]:
    """The turn under way: all behind the last message of the user without results; nothing, if that is the last."""
    plain = [at for at, one in enumerate(messages) if one["role"] == "user" and not _has_results(one)]
    return messages[plain[-1] + 1 :] if plain else messages


def _has_results(message: Json) -> bool:
    return any(block["type"] == "tool_result" for block in message["content"])


def _merged(messages: list[Json]) -> list[Json]:
    """Messages of one side that follow each other are one."""
    return [
        {"role": role, "content": [block for one in group for block in _content(one)]}
        for role, group in groupby(messages, key=lambda one: one["role"])
    ]


def _content(message: Json) -> list[Json]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _listed(value: Any) -> list[Json]:
    return value if isinstance(value, list) else []


def _is_thinking(block: Json) -> bool:
    return block["type"] in ("thinking", "redacted_thinking")


def _bytes(body: Json, at: int, before: list[Json]) -> str:
    """Every byte that stands before a block, without cache marks."""
    messages = [(one["role"], _content(one)) for one in body["messages"][:at]]
    return json.dumps(_unmarked([body.get("tools"), body.get("system"), messages, before]), sort_keys=True)


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(item) for name, item in value.items() if name != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list | tuple) else value
