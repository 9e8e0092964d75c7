"""The streams of several responses as one: events pass as they come, but for those of calls of a hidden tool and of the
end of each response but the last. Places are counted on, and texts may be shown shorter than they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.joined_reply import BETWEEN, REASONING_FIELDS, is_call_of, shown_item
from clew.codecs.streams.pieces import index_of
from clew.domain import Json

#: The last event of a stream of Chat Completions, which is no object.
DONE = "[DONE]"
_ENDED = {"response.completed", "response.incomplete"}
_BEGUN = {"response.created", "response.in_progress", "response.queued"}


class ShownText(Protocol):
    """What is shown of a text that comes in pieces."""

    def feed(self, delta: str) -> str:
        """Returns what may be shown now."""
        ...

    def close(self) -> str:
        """Returns the rest."""
        ...


class WholeText:
    """A text of which all is shown."""

    def feed(self, delta: str) -> str:
        """Returns what has come."""
        return delta

    def close(self) -> str:
        """Returns nothing more."""
        return ""


class JoinedEvents:
    """The events of one turn, for its reader. ``hidden`` is the tool that the reader never hears of, ``show`` makes
    what shows a text, and ``count`` says what to tell of usage.
    """

    def __init__(self, hidden: str, show: Callable[[], ShownText], count: Callable[[Json], Json]) -> None:
        self._hidden, self._show, self._count = hidden, show, count
        self.is_first = True

    def begin_next(self) -> None:
        """The next response begins."""
        self.is_first = False

    def feed(self, event: Json) -> list[Json]:
        """Returns the events that one becomes."""
        raise NotImplementedError

    def finish(self, joined: Json) -> list[Json | str]:
        """Returns the events with which the turn ends; ``joined`` is its whole response."""
        raise NotImplementedError


class JoinedMessageEvents(JoinedEvents):
    """Events of the Messages API."""

    def __init__(self, hidden: str, show: Callable[[], ShownText], count: Callable[[Json], Json]) -> None:
        super().__init__(hidden, show, count)
        self._next, self._places = 0, dict[int, int]()
        self._texts, self._held = dict[int, ShownText](), dict[int, list[Json]]()
        self._end: Json = {}

    def begin_next(self) -> None:
        super().begin_next()
        for known in (self._places, self._texts, self._held):
            known.clear()

    def feed(self, event: Json) -> list[Json]:
        at = index_of(event)
        match event.get("type"):
            case "message_start":
                message = object_of(event, "message")
                told = event | {"message": message | {"usage": self._count(object_of(message, "usage"))}}
                return [told] if self.is_first else []
            case "message_delta":
                self._end = event
                return []
            case "message_stop":
                return []
            case "content_block_start":
                return self._start(at, event)
            case "content_block_delta" if at in self._texts and "text" in object_of(event, "delta"):
                return self._text(at, self._texts[at].feed(text_of(object_of(event, "delta"), "text")))
            case "content_block_delta" | "content_block_stop":
                return self._go_on(at, event)
        return [event]

    def _start(self, at: int, event: Json) -> list[Json]:
        block = object_of(event, "content_block")
        if is_call_of(block, self._hidden):
            return []
        if block.get("type") != "text":
            return [self._placed(at, event)]
        self._texts[at] = self._show()
        self._held[at] = [event | {"content_block": block | {"text": ""}}]
        begun = self._begun(at) if isinstance(self._texts[at], WholeText) else []
        return [*begun, *self._text(at, self._texts[at].feed(text_of(block, "text")))]

    def _text(self, at: int, shown: str) -> list[Json]:
        """A block of which nothing is shown never begins."""
        if not shown:
            return []
        begun, delta = self._begun(at), {"type": "text_delta", "text": shown}
        return [*begun, {"type": "content_block_delta", "index": self._places[at], "delta": delta}]

    def _begun(self, at: int) -> list[Json]:
        held = self._held.pop(at, [])
        return [self._placed(at, one) if one is held[0] else one | {"index": self._places[at]} for one in held]

    def _go_on(self, at: int, event: Json) -> list[Json]:
        is_end = event["type"] == "content_block_stop"
        rest = self._text(at, self._texts.pop(at).close()) if is_end and at in self._texts else []
        if at in self._held:
            self._held[at].append(event)
        return [*rest, event | {"index": self._places[at]}] if at in self._places else []

    def _placed(self, at: int, event: Json) -> Json:
        self._places[at] = self._next
        self._next += 1
        return event | {"index": self._places[at]}

    def finish(self, joined: Json) -> list[Json | str]:
        delta = object_of(self._end, "delta") | {"stop_reason": joined.get("stop_reason")}
        told = {name: value for name, value in object_of(joined, "usage").items() if value is not None}
        return [self._end | {"type": "message_delta", "delta": delta, "usage": told}, {"type": "message_stop"}]


class JoinedChunks(JoinedEvents):
    """Chunks of Chat Completions."""

    def __init__(self, hidden: str, show: Callable[[], ShownText], count: Callable[[Json], Json]) -> None:
        super().__init__(hidden, show, count)
        self._same: Json = {}
        self._text = show()
        #: Fields that have said something, and those that have before this response.
        self._said, self._said_before = set[str](), set[str]()
        self._next, self._places = 0, dict[int, int | None]()
        self._end: Json = {}
        self._counted: Json = {}

    def begin_next(self) -> None:
        super().begin_next()
        self._places.clear()
        self._text, self._said_before = self._show(), set(self._said)

    def feed(self, event: Json) -> list[Json]:
        self._same = self._same or {name: event[name] for name in ("id", "created") if name in event}
        event = event | self._same
        choices = list_of(event, "choices")
        if not choices or not isinstance(choices[0], dict):
            self._counted = event if object_of(event, "usage") else self._counted
            return [] if object_of(event, "usage") else [event]
        choice, delta = choices[0], dict(object_of(choices[0], "delta"))
        if not self.is_first:
            delta.pop("role", None)
        is_over = choice.get("finish_reason") is not None
        calls = list_of(delta, "tool_calls")
        shown = self._shown(text_of(delta, "content"), ends=bool(calls) or is_over)
        if "content" in delta or shown:
            delta["content"] = self._apart("content", shown) or (None if delta.get("content") is None else "")
        for name in REASONING_FIELDS:
            if thought := text_of(delta, name):
                delta[name] = self._apart(name, thought)
        if calls:
            delta["tool_calls"] = [piece for call in calls if (piece := self._piece(call)) is not None]
        if is_over:
            self._end = event | {"choices": [choice | {"delta": {}}]}
        says = {name: value for name, value in delta.items() if value not in (None, "", [])}
        if not says:
            return []
        told = choice | {"delta": {name: value for name, value in delta.items() if value != []}, "finish_reason": None}
        return [event | {"choices": [told, *choices[1:]]}]

    def _shown(self, text: str, *, ends: bool) -> str:
        shown = self._text.feed(text) if text else ""
        return shown + self._text.close() if ends else shown

    def _apart(self, name: str, text: str) -> str:
        """A text, apart from what another response has said in the same field."""
        if not text:
            return ""
        between = BETWEEN if name in self._said_before else ""
        self._said.add(name)
        self._said_before.discard(name)
        return between + text

    def _piece(self, call: Any) -> Any:
        """A piece of a call in its place among those that are told; None for one of the hidden tool."""
        at = index_of(call) if isinstance(call, dict) else -1
        if at not in self._places or object_of(call, "function").get("name"):
            is_hidden = is_call_of({"type": "function"} | call, self._hidden)
            self._places[at] = None if is_hidden else self._next
            self._next += not is_hidden
        place = self._places[at]
        return None if place is None else call | {"index": place}

    def finish(self, joined: Json) -> list[Json | str]:
        first: Json = next(iter(list_of(joined, "choices")), {})
        choice = list_of(self._end, "choices")[0] | {"finish_reason": first.get("finish_reason")}
        used = {"usage": joined["usage"]} if object_of(self._end, "usage") else {}
        counted = [self._counted | {"usage": joined["usage"]}] if self._counted else []
        return [self._end | {"choices": [choice]} | used, *counted, DONE]


class JoinedResponseEvents(JoinedEvents):
    """Events of the Responses API."""

    def __init__(self, hidden: str, show: Callable[[], ShownText], count: Callable[[Json], Json]) -> None:
        super().__init__(hidden, show, count)
        self._number, self._next, self._places = 0, 0, dict[int, int]()
        self._held: dict[int, list[Json]] = {}
        self._texts: dict[tuple[int, int], ShownText] = {}
        self._said: dict[tuple[int, int], str] = {}
        self._end: Json = {}

    def begin_next(self) -> None:
        super().begin_next()
        for known in (self._places, self._held, self._texts, self._said):
            known.clear()

    def feed(self, event: Json) -> list[Json]:
        return [self._numbered(one) for one in self._feed(event)]

    def _feed(self, event: Json) -> list[Json]:
        kind, at = str(event.get("type", "")), index_of(event, "output_index")
        if kind in _BEGUN:
            return [event] if self.is_first else []
        if kind in _ENDED:
            self._end = event
            return []
        if at < 0:
            return [event]
        if kind == "response.output_item.added":
            return self._add(at, event)
        part = at, index_of(event, "content_index")
        if part in self._texts and kind == "response.output_text.delta":
            return self._say(part, event, self._texts[part].feed(text_of(event, "delta")))
        if at in self._held and kind.endswith(".added"):
            return self._hold(part, event)
        if at in self._places or at in self._held:
            return self._go_on(at, part, event)
        return self._add_whole(at, event) if kind == "response.output_item.done" else []

    def _add_whole(self, at: int, event: Json) -> list[Json]:
        """An item that comes at once: some servers send no more."""
        item = shown_item(event.get("item"), self._shown_whole)
        return [] if item is None or is_call_of(item, self._hidden) else [self._placed(at, event | {"item": item})]

    def _add(self, at: int, event: Json) -> list[Json]:
        item = object_of(event, "item")
        if is_call_of(item, self._hidden):
            return []
        if item.get("type") == "message" and not isinstance(self._show(), WholeText):
            self._held[at] = [event]
            return []
        return [self._placed(at, event)]

    def _hold(self, part: tuple[int, int], event: Json) -> list[Json]:
        """A message of which nothing is shown never begins."""
        if object_of(event, "part").get("type") == "output_text":
            self._texts[part], self._said[part] = self._show(), ""
        self._held[part[0]].append(event)
        return []

    def _say(self, part: tuple[int, int], event: Json, shown: str) -> list[Json]:
        if not shown:
            return []
        self._said[part] += shown
        begun = self._begun(part[0])
        told = {name: value for name, value in event.items() if name not in ("text", "part", "item", "logprobs")}
        told |= {"type": "response.output_text.delta", "delta": shown, "output_index": self._places[part[0]]}
        return [*begun, told]

    def _begun(self, at: int) -> list[Json]:
        held = self._held.pop(at, [])
        return [self._placed(at, one) if one is held[0] else one | {"output_index": self._places[at]} for one in held]

    def _go_on(self, at: int, part: tuple[int, int], event: Json) -> list[Json]:
        kind, rest = event["type"], list[Json]()
        if part in self._texts and kind == "response.output_text.done":
            rest = self._say(part, event, self._texts[part].close())
            event = event | {"text": self._said[part]}
        elif part in self._texts and kind == "response.content_part.done":
            event = event | {"part": object_of(event, "part") | {"text": self._said[part]}}
        elif kind == "response.output_item.done":
            shown = shown_item(event.get("item"), self._shown_whole)
            rest = self._begun(at) if shown is not None and at in self._held else []
            event = event | {"item": shown}
        elif at in self._held and part not in self._texts:
            rest = self._begun(at)
        return [*rest, event | {"output_index": self._places[at]}] if at in self._places else rest

    def _shown_whole(self, text: str) -> str:
        show = self._show()
        return show.feed(text) + show.close()

    def _placed(self, at: int, event: Json) -> Json:
        self._places[at] = self._next
        self._next += 1
        return event | {"output_index": self._places[at]}

    def _numbered(self, event: Json) -> Json:
        if "sequence_number" not in event:
            return event
        self._number += 1
        return event | {"sequence_number": self._number - 1}

    def finish(self, joined: Json) -> list[Json | str]:
        return [self._numbered(self._end | {"response": joined})]


JOINED_EVENTS: dict[str, type[JoinedEvents]] = {
    "anthropic": JoinedMessageEvents,
    "openai-chat": JoinedChunks,
    "openai-responses": JoinedResponseEvents,
}
