"""What a request says of itself: the client's folders, and progress on long work."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.types import ListRootsResult, Root

from clew.engine.engine import Engine
from clew.mcp_server import request
from tests.assistant_files import claude_file
from tests.builders import user
from tests.conftest import HandClock
from tests.unit.mcp_server.calls import talk

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


def session_by_roots(engine: Engine, *uris: str) -> Any:
    async def roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=uri) for uri in uris])

    async def job(client: Client) -> Any:
        return (await client.call_tool("get_context_health", {})).structured_content

    return (talk(engine, job, list_roots_callback=roots) or {}).get("session")


def test_a_client_of_the_older_era_says_which_folders_it_works_in(engine: Engine, clock: HandClock) -> None:
    claude_file("here", "hello", at=clock.time - 5_000)
    claude_file("there", "hello", folder="/srv/other shop", at=clock.time - 9_000)
    assert session_by_roots(engine, "file:///srv/other%20shop") == "there"
    assert session_by_roots(engine) == "here"


def test_progress_is_told_of_a_compaction(engine: Engine) -> None:
    engine.session("s1", cwd="/srv/shop").record([user("Hello there.")])
    heard: list[tuple[float, float | None]] = []

    async def listen(progress: float, total: float | None, _message: str | None) -> None:
        heard.append((progress, total))

    async def job(client: Client) -> Any:
        return await client.call_tool("trigger_compaction", {}, progress_callback=listen)

    assert not talk(engine, job).is_error
    assert heard == [(0, 1), (1, 1)]


def test_progress_is_told_while_a_long_transcript_is_read(
    engine: Engine, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_file("s1", *(f"{number} {'word ' * 200}" for number in range(60)), at=clock.time)
    monkeypatch.setattr(request, "_STEP_BYTES", 10_000)
    heard: list[tuple[float, str | None]] = []

    async def listen(progress: float, _total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async def job(client: Client) -> Any:
        return await client.call_tool("get_context_health", {}, progress_callback=listen)

    assert not talk(engine, job).is_error
    assert len(heard) >= 4
    assert [one for one, _ in heard] == sorted(one for one, _ in heard)
    assert heard[0][1] == "reading the transcript"
