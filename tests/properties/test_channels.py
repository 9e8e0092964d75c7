"""One conversation, two channels: whatever order they report in, and however often, each message is kept once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.codecs import jsonio, registry
from clew.config import Config
from clew.engine.ledger.records import ChannelCursor, DecodedRecord
from tests.effort import examples
from tests.lines import line

#: Few words, so that people say them again.
talks = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from(["yes", "no", "go on"])), max_size=7)
Talk = list[tuple[str, str]]
Report = Callable[[clew.Session, Talk, int, int], None]


def by_transcript(session: clew.Session, talk: Talk, start: int, stop: int) -> None:
    """Lines with ids, read from any place on."""
    codec = registry.codec("claude-code")
    bodies = [jsonio.dumps(line(at, role, _content(role, text))) for at, (role, text) in enumerate(talk)][start:stop]
    session.channels.record(
        [DecodedRecord(codec.name, body, codec.read(body)) for body in bodies], ChannelCursor(codec.name)
    )


def by_gateway(session: clew.Session, talk: Talk, start: int, stop: int) -> None:
    """Messages without ids, always from the first on."""
    session.record(_dicts(talk[:stop]), format="openai-chat", channel="gateway", whole=True)


def by_hook(session: clew.Session, talk: Talk, start: int, stop: int) -> None:
    """Messages without ids, one by one."""
    for one in _dicts(talk[start:stop]):
        session.record([one], format="openai-chat", channel="hook")


@given(talks, st.sampled_from([by_transcript, by_gateway]), st.sampled_from([by_hook, by_gateway]), st.data())
@settings(max_examples=examples(150), deadline=None)
def test_any_interleaving_of_two_channels_keeps_each_message_once(
    talk: Talk, first: Report, second: Report, data: st.DataObject
) -> None:
    with clew.open(":memory:", config=Config()) as engine:
        session = engine.session("s")
        heard = [0, 0]
        for _ in range(data.draw(st.integers(0, 8))):
            which = data.draw(st.integers(0, 1))
            # Alone, a hook that starts again cannot be told from a person who says the same again.
            earliest = heard[1] if which and not heard[0] else 0
            start = data.draw(st.integers(earliest, heard[which]))
            heard[which] = data.draw(st.integers(start, len(talk)))
            (second if which else first)(session, talk, start, heard[which])
        first(session, talk, 0, len(talk))
        assert Counter((message.role.value, message.text) for message in session.messages()) == Counter(talk)


def _dicts(talk: Talk) -> list[dict[str, Any]]:
    return [{"role": role, "content": text} for role, text in talk]


def _content(role: str, text: str) -> Any:
    return [{"type": "text", "text": text}] if role == "assistant" else text
