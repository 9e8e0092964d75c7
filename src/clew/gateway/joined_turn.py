"""A turn of as many replies as it takes: calls that the client never sees are answered here, and the client has all
replies as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.joined_reply import Show, join_responses, usage_of_history, without_lone_reasoning
from clew.codecs.streams.joined_events import ShownText, WholeText
from clew.codecs.streams.pieces import INTERRUPTED
from clew.domain import ContextReport, Json, Message, Text, Usage
from clew.engine.ingest.decode import decode_reply
from clew.gateway.hidden_turns import HiddenTurn
from clew.gateway.offers import MOST_ROUNDS, RetrievalAnswers, without_tools
from clew.gateway.own_list import is_thinking
from clew.gateway.prepared_request import PreparedRequest, items_of
from clew.gateway.reply import end_call
from clew.gateway.sessions import Managed
from clew.replies.parsing import Stripper

#: How replies end that were cut: their calls may be too.
_CUT = {"max_tokens", "length", "incomplete", "refusal", "content_filter", "model_context_window_exceeded"}


class JoinedTurn:
    """One turn, from the request that was sent for it. ``tells_history`` says that the client hears of usage as if its
    own history had been sent.
    """

    def __init__(self, managed: Managed, sent: PreparedRequest, *, tells_history: bool) -> None:
        self._managed, self.sent, self._tells_history = managed, sent, tells_history
        self.format = managed.request.endpoint.format
        self._answers = RetrievalAnswers(sent.call.conversation.session, quota=sent.quota)
        self._responses: list[Json] = []
        self._usages: list[Usage] = []
        self._items: list[Any] = []
        self._results: list[Any] = []
        self._is_whole = False
        #: Calls that were answered.
        self.answered = 0

    @property
    def is_changed(self) -> bool:
        """True where the client is not to have the provider's own bytes. Of several replies it always has."""
        tells_more = self._tells_history and self.sent.history > 0
        return not self._managed.request.wants_several and (self._managed.offer.is_any or tells_more)

    # ── replies as they come ─────────────────────────────────────────────────────────────────────────

    def take(self, response: Json) -> bool:
        """Takes in a whole response. Returns True where the turn goes on, as all that it calls was answered.
        Raises UsageError for what is no response.
        """
        said = [one.record.message for one in decode_reply(response, self.format)]
        reply = [_without_blanks(one) for one in said if one is not None]
        self._responses.append(response)
        self._usages += [one.usage for one in reply[-1:] if one.usage]
        calls = [call for one in reply for call in one.calls if not call.server]
        hidden = [call for call in calls if self.sent.hidden and call.name == self.sent.hidden]
        self._items += self._encoded(reply)
        if hidden:
            conversation = self.sent.call.conversation
            self._results = self._encoded([conversation.take_turn(lambda: self._answers.answer(hidden))])
            self.answered += len(hidden)
            if len(hidden) == len(calls) and len(self._responses) <= MOST_ROUNDS and not _is_cut(response):
                self._items, self._results = [*self._items, *self._results], []
                return True
        self._is_whole = True
        return False

    def next_content(self) -> bytes:
        """Returns the request with which the turn goes on. The last that it may take calls nothing."""
        name = self._managed.request.endpoint.messages
        body = self.sent.with_items([*items_of(self.sent.body, name), *self._items], name)
        is_last = len(self._responses) >= MOST_ROUNDS
        return jsonio.dumps(without_tools(body, self.format) if is_last else body)

    def _encoded(self, messages: Sequence[Message]) -> list[Any]:
        body = registry.encoder(self.format).encode(messages).body
        return items_of(body, self._managed.request.endpoint.messages)

    # ── what the client has ──────────────────────────────────────────────────────────────────────────

    def new_text_filter(self) -> ShownText:
        """Returns what shows a text to the client, as it comes."""
        return Stripper() if self._managed.offer.notes else WholeText()

    def client_usage(self, usages: Sequence[Json]) -> Json | None:
        """Returns what the client hears of usage, where that is not the sum of what was counted."""
        return usage_of_history(self.format, usages, history=self.sent.history) if self._tells_history else None

    def client_reply(self) -> Json:
        """Returns the turn as the client has it."""
        joined = self._joined_reply()
        counted = [object_of(one, "usage") for one in self._responses]
        usage = self.client_usage(counted) if any(counted) else None
        return joined if usage is None else joined | {"usage": usage}

    def _joined_reply(self) -> Json:
        return self._joined([self._show] * len(self._responses))

    def _joined(self, show: Sequence[Show]) -> Json:
        return join_responses(self.format, self._responses, hidden=self.sent.hidden, show=show)

    def _show(self, text: str) -> str:
        shown = self.new_text_filter()
        return shown.feed(text) + shown.close()

    # ── the record ───────────────────────────────────────────────────────────────────────────────────

    def record(self, begun: Json | None = None) -> Usage | None:
        """Records the turn as the client has it, with the notes that it has not, and what else was hidden from it.
        ``begun`` is what has come of a response that broke off. Returns what the provider counted.
        """
        call, managed = self.sent.call, self._managed
        if begun is not None:
            self._responses.append(begun)
        if not self._responses:
            self.sent.model_call.fail()
            call.end()
            return None
        if not self._is_whole:
            self._lose_thoughts()
        recorded = self._recorded()
        if not self._is_whole and not self._says_anything(recorded):
            self.sent.model_call.fail()
            call.end()
            return None
        call.conversation.reply(recorded, call=self.sent.model_call)
        if self.answered and self._usages:
            self._report_answered(self._usages[0], self._usages[-1])
        response, newest = (text_of(self._responses[at], "id") for at in (0, -1))
        response = response if self.format == "openai-responses" else ""
        if self._is_whole and (
            self._results or len(self._responses) > 1 or self._joined_reply() != self._joined(self._whole)
        ):
            turn = HiddenTurn(
                items=self._items,
                results=self._results,
                epoch=self.sent.epoch,
                tokens=self._answers.tokens,
                response=response,
            )
            managed.hidden.put(call.conversation.outlines(), turn, newest=newest)
        return end_call(call, managed.lists, managed.name, response=response)

    def _lose_thoughts(self) -> None:
        """Takes thinking out of a turn that broke off, where it stands behind calls that no client knows of, or before
        them alone.
        """
        if self.format == "anthropic":
            blocks = [block for one in self._responses[1:] for block in list_of(one, "content")]
            lost = [block for block in blocks if is_thinking(block)]
            self._responses[1:] = [
                one | {"content": [block for block in list_of(one, "content") if not is_thinking(block)]}
                for one in self._responses[1:]
            ]
        else:
            items = [item for one in self._responses for item in list_of(one, "output")]
            kept = without_lone_reasoning(items, self.sent.hidden)
            lost = [item for item in items if item not in kept]
        self._managed.hidden.lose(lost)

    def _report_answered(self, asked: Usage, last: Usage) -> None:
        """Records how large the prompt is: the counts of a turn are those of several requests."""
        conversation = self.sent.call.conversation
        report = ContextReport(
            used=last.input_tokens + last.output_tokens,
            asked=asked,
            fetches=self.answered,
            fetched=self._answers.tokens,
        )
        conversation.take_turn(lambda: conversation.session.channels.report(report))

    @property
    def _whole(self) -> list[Show]:
        return [_as_it_is] * len(self._responses)

    def _recorded(self) -> Json:
        """The turn as it is recorded. One text may hold notes at its end only, and reasoning needs what followed it."""
        show = self._whole
        if self.format == "openai-chat":
            show[:-1] = [self._show] * (len(show) - 1)
        joined = self._joined(show)
        if self.format == "openai-responses":
            items = [item for one in self._responses for item in list_of(one, "output")]
            kept = without_lone_reasoning(items, self.sent.hidden)
            joined = joined | {"output": [item for item in joined["output"] if item in kept]}
        return joined if self._is_whole else joined | {INTERRUPTED: True}

    def _says_anything(self, response: Json) -> bool:
        message = object_of(next(iter(list_of(response, "choices")), {}), "message")
        return bool(response.get("content") or response.get("output") or message.get("content"))


def _as_it_is(text: str) -> str:
    return text


def _without_blanks(message: Message) -> Message:
    """A reply as it can be sent again: texts without words are refused."""
    parts = tuple(part for part in message.parts if not isinstance(part, Text) or part.text.strip())
    return message if len(parts) == len(message.parts) else replace(message, parts=parts, wire=None)


def _is_cut(response: Json) -> bool:
    choice: Json = next(iter(list_of(response, "choices")), {})
    return not _CUT.isdisjoint(
        map(str, (response.get("stop_reason"), response.get("status"), choice.get("finish_reason")))
    )
