"""Where the tokens of a session went: by kind of content and by tool.

``tokens`` counts what was recorded, by o200k. ``sent`` counts each token once for every request that carried it: all
that came later in the same conversation, until a compaction took it out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from clew.audit.recorded_session import RecordedSession
from clew.domain import Call, Message, Origin, Output, Part, Reasoning, Role, Text
from clew.tokens import encodings
from clew.tokens.counts import count_parts
from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for

KIND, TOOL = "kind:", "tool:"
_KINDS = {
    Origin.PERSON: "user's words",
    Origin.MODEL: "agent's words",
    Origin.CLIENT: "client's additions",
    Origin.SUMMARY: "summaries",
    Origin.SYSTEM: "system prompt",
}
#: Its figure has no messages: what providers counted beyond the record.
NOT_IN_RECORD = "not in the record"
THINKING, CALLS, OUTPUTS, SUBAGENTS, OTHER = "thinking", "tool calls", "tool outputs", "subagents", "pictures and other"


@dataclass(slots=True)
class FigureUse:
    """One figure: its tokens, how often they were sent, and the messages behind it with what each adds.

    ``calls`` counts calls of a tool, ``outputs`` the tokens of what they gave back.
    """

    tokens: int = 0
    sent: int = 0
    calls: int = 0
    outputs: int = 0
    messages: dict[int, int] = field(default_factory=dict)

    def add(self, number: int, tokens: int, carried: int) -> None:
        """Adds tokens of a message that later requests carried."""
        self.tokens += tokens
        self.sent += tokens * carried
        self.messages[number] = self.messages.get(number, 0) + tokens

    def merge(self, other: FigureUse) -> None:
        """Adds another session's figure, without its messages."""
        self.tokens += other.tokens
        self.sent += other.sent
        self.calls += other.calls
        self.outputs += other.outputs

    def largest(self, most: int) -> list[tuple[int, int]]:
        """Returns the messages that add most, with their tokens."""
        return sorted(self.messages.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


@dataclass(frozen=True, slots=True)
class TokenUse:
    """All figures of one session, by name: ``kind:thinking``, ``tool:Read``."""

    tokens: int
    requests: int
    figures: dict[str, FigureUse]

    @property
    def sent_tokens(self) -> int:
        """What requests carried of the record, each token once for every request."""
        return sum(figure.sent for figure in self.figures_of(KIND).values())

    def figures_of(self, prefix: str) -> dict[str, FigureUse]:
        """Returns the figures of one table, the largest first, by what follows the prefix."""
        named = {name.removeprefix(prefix): figure for name, figure in self.figures.items() if name.startswith(prefix)}
        return dict(sorted(named.items(), key=lambda pair: (-pair[1].tokens, pair[0])))


def part_sizes(session: RecordedSession) -> dict[int, int]:
    """Counts the tokens of each part of a session, by the identity of the part."""
    tokenizer = tokenizer_for(STORED_MEASURE)
    encodings.encoding(tokenizer.encoding)  # whole at once: nearly all of its table is needed
    parts = [part for message in session.messages for part in message.parts]
    return dict(zip(map(id, parts), count_parts(parts, tokenizer), strict=True))


def token_use(session: RecordedSession, sizes: Mapping[int, int]) -> TokenUse:
    """Sums up the tokens of a session, whose parts have these ``sizes``."""
    carried, names = _Carried(session), _tool_names(session)
    figures: dict[str, FigureUse] = {}
    total = 0
    for message in session.messages:
        times = carried.times(message)
        for part in message.parts:
            tokens = sizes[id(part)]
            total += tokens
            for name in _figures_of(message, part, names):
                figures.setdefault(name, FigureUse()).add(message.number, tokens, times)
            _count_tool(part, tokens, names, figures)
    requests = sum(message.role is Role.ASSISTANT for message in session.messages)
    return TokenUse(total, requests, figures)


def _tool_names(session: RecordedSession) -> dict[str, str]:
    return {call.id: call.name for message in session.messages for call in message.calls}


def _figures_of(message: Message, part: Part, names: dict[str, str]) -> Iterator[str]:
    yield KIND + _kind(message, part)
    if isinstance(part, Call | Output):
        yield TOOL + _tool(part, names)


def _tool(part: Call | Output, names: dict[str, str]) -> str:
    return part.name if isinstance(part, Call) else names.get(part.call_id) or part.name or "(unknown)"


def _count_tool(part: Part, tokens: int, names: dict[str, str], figures: dict[str, FigureUse]) -> None:
    if isinstance(part, Call):
        figures[TOOL + part.name].calls += 1
    elif isinstance(part, Output):
        figures[TOOL + _tool(part, names)].outputs += tokens


def _kind(message: Message, part: Part) -> str:
    if message.thread:
        return SUBAGENTS
    match part:
        case Call():
            return CALLS
        case Output():
            return OUTPUTS
        case Reasoning():
            return THINKING
        case Text():
            return _KINDS.get(message.origin, OUTPUTS if message.origin is Origin.TOOL else OTHER)
        case _:
            return OTHER


class _Carried:
    """How many requests carried each message: later replies of its conversation, until the next compaction."""

    def __init__(self, session: RecordedSession) -> None:
        self._replies: dict[str, list[int]] = {}
        for message in session.messages:
            if message.role is Role.ASSISTANT:
                self._replies.setdefault(message.thread, []).append(message.number)
        self._ends = [mark.after for mark in session.marks]

    def times(self, message: Message) -> int:
        """Returns how many requests carried a message."""
        replies = self._replies.get(message.thread, [])
        first = bisect_right(replies, message.number)
        if message.thread or message.role is Role.SYSTEM:
            return len(replies) - first
        end = next((end for end in self._ends if end >= message.number), None)
        return (len(replies) if end is None else bisect_right(replies, end)) - first
