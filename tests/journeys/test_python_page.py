"""The examples of docs/python.md run as they stand there, with clients that answer at once."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import clew
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider
from tests.stream_examples import EXAMPLES, WORDS, StreamExample, sdk_events, sdk_response

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
#: Blocks that make a client of their own are run by test_provider_examples.
BLOCKS = [
    block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if "\nfrom anthropic" not in block and "\nfrom openai" not in block and "\nfrom google" not in block
]
TURN = itertools.count(1)


def create(*, stream: bool = False, messages: list[Any], **settings: Any) -> Any:
    """A reply with ids of its own, as the SDK gives it; the SDK keeps pings to itself."""
    assert messages[-1]["role"] == "user"
    turn = next(TURN)
    whole = json.dumps([EXAMPLES["anthropic"].whole, EXAMPLES["anthropic"].events])
    response, events = json.loads(whole.replace("msg_1", f"msg_{turn}").replace("call_", f"call_{turn}_"))
    example = StreamExample("anthropic", response, [event for event in events if event["type"] != "ping"])
    return iter(sdk_events(example)) if stream else sdk_response(example)


async def create_async(**settings: Any) -> AsyncIterator[Any]:
    async def events() -> AsyncIterator[Any]:
        for event in create(**settings):
            yield event

    return events()


def answer_locally(path: str, body: dict[str, Any]) -> Answer:
    """Calls the tool first, and answers when it has its output."""
    asks = body["messages"][-1]["role"] == "user" and "stream" not in body
    said = Says(tool="lines_of", arguments={"path": "login.py"}, id="c1") if asks else Says("Twelve lines.")
    return reply(path, said, stream="stream" in body)


def test_the_examples_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    client = SimpleNamespace(messages=SimpleNamespace(create=create))
    async_client = SimpleNamespace(messages=SimpleNamespace(create=create_async))
    assert len(BLOCKS) >= 3
    with provider(answer_locally) as served:
        given = {"client": client, "async_client": async_client, "local_url": served.url, "__name__": "page"}
        for block in BLOCKS:
            exec(compile(block, str(PAGE), "exec"), dict(given))
    shown = capsys.readouterr().out
    assert shown.count("".join(WORDS)) >= 2
    assert "message_stop" in shown
    assert "Twelve lines. [('lines_of', 'success')]\nTwelve lines." in shown
    with clew.open("work.db") as engine:
        said = [message.role for message in engine.find("fix-login").messages()]
        tools = engine.session("tidy-up").reader.tools_used()
    assert said.count("assistant") == 3
    assert all(tally["runs"] == tally["success"] == 1 for tally in tools.values())
