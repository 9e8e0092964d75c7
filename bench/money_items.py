"""Real sessions as model calls, and the items of requests: what each says and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import clew
from bench.money_needs import Names, Source, argument_values, lines_in, names_in, spoken_text
from bench.money_policies import Item
from clew.codecs import registry
from clew.domain import Json, Message, Origin, Role
from clew.tokens import model_info, tokenizer_for

MODEL, PROVIDER = "gpt-5", "openai-chat"
#: A picture, whatever it shows: what a provider makes of it is not the matter here.
_MEDIA_TOKENS = 800


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One model call: the messages told since the call before, and the reply that it had."""

    messages: tuple[Message, ...]
    reply: Message


def model_calls(messages: Sequence[Message]) -> list[ModelCall]:
    """Every reply with what came before it; the reply itself is told with the next call."""
    out: list[ModelCall] = []
    told: list[Message] = []
    for message in messages:
        if message.role is Role.ASSISTANT:
            out.append(ModelCall(tuple(told), message))
            told = []
        told.append(message)
    return out


def conversation(source: Path) -> list[Message]:
    """The longest conversation in a file as its model saw it, less what the client put in the place of older parts."""
    with clew.open(":memory:") as engine:
        reports = engine.import_file(source, project=False)
        longest = max(reports, key=lambda report: report.messages)
        view = engine.find(longest.session).reader.history().prompt_view() if longest.messages else []
    kept = [message for message in view if message.role is not Role.SYSTEM and message.origin is not Origin.SUMMARY]
    return [piece for message in kept for piece in split_outputs(message)]


def split_outputs(message: Message) -> Iterator[Message]:
    """Some clients write calls and their outputs as one message; the model saw them one after the other."""
    if message.role is not Role.ASSISTANT or all(output.server for output in message.outputs):
        yield message
        return
    outputs = tuple(output for output in message.outputs if not output.server)
    yield replace(message, parts=tuple(part for part in message.parts if part not in outputs), wire=None)
    yield Message(role=Role.TOOL, origin=Origin.TOOL, parts=outputs, at=message.at)


class Reader:
    """Counts and reads texts, each once."""

    def __init__(self) -> None:
        self._count, self._frame = tokenizer_for(MODEL).count, model_info(MODEL).frame
        self._encoder = registry.encoder(PROVIDER)
        self._tokens: dict[str, int] = {}
        self._names: dict[str, Names] = {}

    def tokens(self, text: str) -> int:
        if text not in self._tokens:
            self._tokens[text] = self._count(text)
        return self._tokens[text]

    def names(self, text: str) -> Names:
        """Its names and its lines."""
        if text not in self._names:
            self._names[text] = names_in(text) | lines_in(text)
        return self._names[text]

    def item_tokens(self, item: Json) -> int:
        calls = list(_called(item))
        called = sum(self.tokens(name) + self.tokens(given) for name, given in calls)
        content = item.get("content")
        media = sum("text" not in part for part in content) if isinstance(content, list) else 0
        words = sum(map(self.tokens, _words(item)))
        return words + called + media * _MEDIA_TOKENS + self._frame.message + len(calls) * self._frame.call

    def item_names(self, item: Json) -> Names:
        texts = [*_words(item), *("\n".join(argument_values(given)) for _, given in _called(item))]
        return frozenset().union(*map(self.names, texts))

    def items(self, message: Message) -> list[Item]:
        """What a message is in a request that leaves nothing out."""
        body = self._encoder.encode([message]).body
        return [Item(self.item_tokens(item), item["role"] == "tool") for item in body["messages"]]

    def outputs(self, message: Message, place: int) -> Iterator[Source]:
        for output in message.outputs:
            yield Source(place, self.tokens(output.text), self.names(output.text))

    def words(self, message: Message, place: int) -> Source:
        text = spoken_text(message)
        return Source(place, self.tokens(text), self.names(text))


def _words(item: Json) -> Iterator[str]:
    content = item.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part.get("text"), str):
            yield part["text"]


def _called(item: Json) -> Iterator[tuple[str, str]]:
    """Names and arguments of the tools that an item calls."""
    for call in item.get("tool_calls") or ():
        inner = call.get("function") or call.get("custom") or {}
        yield inner.get("name", ""), inner.get("arguments", inner.get("input", ""))
