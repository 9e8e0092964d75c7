"""Upstreams with reasoning of other kinds that take the strictest reading: items of OpenAI Responses (R1 to R7),
signatures of Gemini (G1 to G6), and DeepSeek's ``reasoning_content`` in Chat Completions (O1, O2, D1).

They remember what they gave out, to which model, and what stood beside it. They share no code with the rules.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.provider_replies import Says
from tests.strict_upstream import Json, Mode, Upstream, always, mostly

_ENCRYPTED = {"store": False, "include": ["reasoning.encrypted_content"]}
#: What Google takes for calls that its model has not signed.
_UNSIGNED = "skip_thought_signature_validator"


@dataclass
class ResponsesUpstream(Upstream):
    """Reasoning is an item of its own. It stays with the item that followed it, and that with it."""

    _issued: dict[str, tuple[Json, str, str]] = field(default_factory=dict)
    format = "openai-responses"
    path = "/v1/responses"

    def thoughts(self, body: Json, said: Says) -> Iterator[Json]:
        """An item of reasoning, sealed where the provider stores nothing."""
        if not self.mode.thinks(self.requests):
            return
        item: Json = {"type": "reasoning", "id": f"rs_{self.requests}", "summary": []}
        if body.get("store") is False:
            item["encrypted_content"] = f"sealed-{self.requests}-" + "Qx7" * 20
        self._issued[item["id"]] = (item, self.mode.model, said.id or said.text)
        yield item

    def faults(self, body: Json) -> Iterator[str]:
        """Why a request is refused."""
        items = [one | {"type": one.get("type", "message")} for one in body["input"]]
        kinds = ("function_call", "function_call_output")
        pairs = [(one["type"], one["call_id"]) for one in items if one["type"] in kinds]
        if pairs[1::2] != [(kinds[1], id) for kind, id in pairs[::2] if kind == kinds[0]]:
            yield f"R1/R2: calls and outputs {pairs}"
        partner = {said: id for id, (_, _, said) in self._issued.items()}
        for before, item, after in zip([{}, *items], items, [*items[1:], {}], strict=False):
            if item["type"] == "reasoning":
                yield from self._reasoning_faults(item, after, is_stored=body.get("store") is not False)
            elif item.get("id") and before.get("id") != (needed := partner.get(_item_says(item), before.get("id"))):
                yield f"R4: {item['id']} was provided without its reasoning {needed}"
            if item["type"] == "item_reference" and body.get("store") is False:
                yield "R5: a reference, and nothing is stored"
            if not str(item.get("id", _PREFIXES.get(item["type"], ""))).startswith(_PREFIXES.get(item["type"], "")):
                yield f"R6: the id {item['id']} of a {item['type']}"

    def _reasoning_faults(self, item: Json, after: Json, *, is_stored: bool) -> Iterator[str]:
        issued, model, said = self._issued.get(item.get("id", ""), (None, "", ""))
        if issued != item:
            yield f"R7: reasoning {item} is not as it came"
        if _item_says(after) != said:
            yield f"R3: {item.get('id')} is followed by {after}, not by {said}"
        if not is_stored and not item.get("encrypted_content"):
            yield "R5: reasoning that is not here, and nothing is stored"
        if model != self.mode.model:
            yield f"R7: encrypted content of {model} cannot be verified"


def _item_says(item: Json) -> str:
    """What tells an item of the model: some clients take ids away where nothing is stored."""
    if item.get("type") == "function_call":
        return item["call_id"]
    content = item.get("content", "") if item.get("role") == "assistant" else ""
    return content if isinstance(content, str) else "".join(piece.get("text", "") for piece in content)


_PREFIXES = {"reasoning": "rs", "function_call": "fc", "message": "msg"}


@dataclass
class GeminiUpstream(Upstream):
    """Parts of the model are signed. The first call of every step of the turn under way has to bear its signature."""

    _issued: dict[str, tuple[str, str]] = field(default_factory=dict)
    format = "gemini"
    path = "/v1beta/models/gemini:generateContent"

    def _changed(self, body: Json) -> Iterator[str]:
        return iter(())  # the model is part of the address

    def thoughts(self, body: Json, said: Says) -> Iterator[Json]:
        """The signature of what is said; words need none."""
        if self.mode.thinks(self.requests) and (said.tool or self.requests % 2):
            signature = b64encode(f"sealed {self.requests}".encode()).decode()
            self._issued[signature] = (_said(said.text, said.tool, said.arguments), self.mode.model)
            yield {"thoughtSignature": signature}

    def faults(self, body: Json) -> Iterator[str]:
        """Why a request is refused."""
        contents = body["contents"]
        roles = [one["role"] for one in contents]
        if not contents or {*roles} - {"user", "model"} or roles[0] != "user" or roles[-1] != "user":
            yield f"G6: roles {roles}"
        for before, after in zip([{"parts": []}, *contents], [*contents, {"parts": []}], strict=True):
            called = [part["functionCall"]["name"] for part in before["parts"] if "functionCall" in part]
            given = [part["functionResponse"]["name"] for part in after["parts"] if "functionResponse" in part]
            if called != given:
                yield f"G1/G2/G3: calls {called}, responses {given}"
        plain = [at for at, one in enumerate(contents) if one["role"] == "user" and not _responds(one)]
        for at, content in enumerate(contents):
            yield from self._signature_faults(content, is_under_way=bool(plain) and at > plain[-1])

    def _signature_faults(self, content: Json, *, is_under_way: bool) -> Iterator[str]:
        calls = [part for part in content["parts"] if "functionCall" in part]
        if is_under_way and calls and self.mode.thinks(0) and not calls[0].get("thoughtSignature"):
            yield f"G4: {calls[0]} is missing a thoughtSignature"
        own = {said: seal for seal, (said, model) in self._issued.items() if model == self.mode.model}
        for part in content["parts"]:
            call = part.get("functionCall", {})
            said = _said(part.get("text", ""), call.get("name", ""), call.get("args", {}))
            seal = part.get("thoughtSignature", "")
            if seal == _UNSIGNED and said in own:
                yield f"G4: the signature of {said} is lost"
            elif seal and seal != _UNSIGNED and own.get(said) != seal:
                yield f"G5: the signature of {said} is corrupted, or another model's"


def _said(text: str, tool: str, arguments: Json) -> str:
    return json.dumps([tool, arguments]) if tool else text


def _responds(content: Json) -> bool:
    return any("functionResponse" in part for part in content["parts"])


@dataclass
class DeepSeekUpstream(Upstream):
    """Reasoning is a text beside each reply. Those of exchanges with tools go back as they came, in thinking mode."""

    _issued: dict[str, str] = field(default_factory=dict)
    format = "openai-chat"
    path = "/chat/completions"

    def thoughts(self, body: Json, said: Says) -> Iterator[Json]:
        """The field beside what is said."""
        if self.mode.thinks(self.requests):
            self._issued[said.id or said.text] = f"I think about {self.requests}."
            yield {"reasoning_content": f"I think about {self.requests}."}

    def faults(self, body: Json) -> Iterator[str]:
        """Why a request is refused."""
        messages = body["messages"]
        for before, after in zip(messages, [*messages[1:], {"role": ""}], strict=True):
            called = [call["id"] for call in before.get("tool_calls", [])]
            if called != ([after["tool_call_id"]] if after["role"] == "tool" else []):
                yield f"O1/O2: calls {called}, then {after}"
        exchange: list[Json] = []
        for message in [*messages, {"role": "user"}]:
            if message["role"] == "user":
                yield from self._exchange_faults([one for one in exchange if one["role"] == "assistant"])
                exchange = []
            exchange.append(message)

    def _exchange_faults(self, replies: list[Json]) -> Iterator[str]:
        if self.mode.is_off or not any(one.get("tool_calls") for one in replies):
            return
        for one in replies:
            key = one["tool_calls"][0]["id"] if one.get("tool_calls") else one["content"]
            if not one.get("reasoning_content"):
                yield f"D1: reasoning_content of {key} must be passed back"
            elif key in self._issued and one["reasoning_content"] != self._issued[key]:
                yield f"D1: reasoning_content of {key} is not as it came"


_THINKING = {"thinking": {"type": "enabled"}}
#: Upstreams by the name of their mode.
REASONING: dict[str, tuple[type[Upstream], Mode]] = {
    "responses, sealed": (ResponsesUpstream, Mode("responses, sealed", "gpt-5", _ENCRYPTED, always)),
    "responses, sealed now and then": (
        ResponsesUpstream,
        Mode("responses, sealed now and then", "gpt-5", _ENCRYPTED, mostly),
    ),
    "responses, stored": (ResponsesUpstream, Mode("responses, stored", "gpt-5", {}, always)),
    "gemini": (GeminiUpstream, Mode("gemini", "gemini-3-pro", {}, always)),
    "deepseek": (DeepSeekUpstream, Mode("deepseek", "deepseek-v4-pro", _THINKING, always)),
    "deepseek, unstated": (DeepSeekUpstream, Mode("deepseek, unstated", "deepseek-reasoner", {}, always)),
    "deepseek, off": (
        DeepSeekUpstream,
        Mode("deepseek, off", "deepseek-v4-pro", {"thinking": {"type": "disabled"}}, is_off=True),
    ),
}


def upstream(name: str) -> Any:
    """An upstream that nobody has asked yet."""
    kind, mode = REASONING[name]
    return kind(mode)
