"""Everyone is alone with their words: a hundred sessions on one store, through every door, from several threads and
processes, and nothing that was said in one reaches another unless the same user was named for both.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import anyio
import httpx2
import pytest

import clew
from clew.domain.sessions import DEFAULT_USER
from clew.server.access_tokens import AccessTokens
from tests.journeys.program import Program
from tests.journeys.test_serve import serving
from tests.speaking_doors import OF_ENGINES, OF_PROGRAM, Talk, asynchronous, mcp, mcp_calls

USERS = (None, "ana", None, "ben")
#: Doors behind which somebody is always named: the person at this machine, unless another is.
OF_PERSON = {"mcp", *OF_PROGRAM}
_ENDINGS = ("wick", "ford", "stead", "mere")


def _word(number: int) -> str:
    """A name that nothing else has, and that begins and ends like no other."""
    letters = "".join("bdfgklmnprstvz"[number // 14**at % 14] + "aeiou"[(number + at) % 5] for at in range(3))
    return f"{letters.title()}{_ENDINGS[number % 4]}"


def _talks() -> dict[str, list[Talk]]:
    doors = [*islice(cycle(OF_ENGINES), 80), *["asynchronous"] * 4, *["mcp"] * 4, *["http"] * 4]
    doors += ["command_line"] * 4 + ["chat"] * 2 + ["hook"] * 2
    talks: dict[str, list[Talk]] = {}
    for number, door in enumerate(doors):
        user = USERS[(number + number // len(OF_ENGINES)) % len(USERS)]
        user = {"mcp": None, "http": ("ana", "ben")[number % 2]}.get(door, user)
        talks.setdefault(door, []).append(Talk(f"{door.replace('_', '-')}-{number}", user, _word(number)))
    return talks


def _owner(door: str, talk: Talk) -> str | None:
    return talk.user or (DEFAULT_USER if door in OF_PERSON else None)


def _in_thread(store: Path, door: str, talks: list[Talk]) -> dict[str, str]:
    person = DEFAULT_USER if door in OF_PERSON else ""
    with clew.open(store, config=clew.Config(), person=person) as engine:
        speak = {**OF_ENGINES, "mcp": mcp}[door]
        return {talk.id: speak(engine, talk) for talk in talks}


def _in_processes(program: Program, door: str, talks: list[Talk]) -> dict[str, str]:
    return {talk.id: OF_PROGRAM[door](program, talk) for talk in talks}


def _in_loops(store: Path, talks: list[Talk]) -> dict[str, str]:
    return {talk.id: asynchronous(store, talk) for talk in talks}


def _over_http(program: Program, talks: list[Talk]) -> dict[str, str]:
    """Calls of two users with tokens, at a server of its own process."""
    with clew.open(program.store, config=clew.Config()) as engine:
        tokens = AccessTokens(engine.store, engine.services.clock)
        secrets = {user: tokens.make("t", user=user)[1] for user in ("ana", "ben")}

    async def call(address: str, talk: Talk) -> str:
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        headers = {"authorization": f"Bearer {secrets[talk.user or '']}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode="2026-07-28") as own:
                listed = await own.read_resource("clew://sessions")
                return await mcp_calls(own, talk) + str(listed.contents[0])

    with serving(program) as address:
        return {talk.id: anyio.run(call, address, talk) for talk in talks}


@pytest.mark.thorough
def test_a_hundred_sessions_through_every_door_and_no_word_crosses(clew_program: Program) -> None:
    talks, store = _talks(), clew_program.store
    with clew.open(store, config=clew.Config()):
        pass
    heard: dict[str, str] = {}
    for door in OF_ENGINES:  # packages load in one thread
        heard |= _in_thread(store, door, talks[door][:1])
    with ThreadPoolExecutor(4) as threads:
        pending = [threads.submit(_in_processes, clew_program, door, talks[door]) for door in OF_PROGRAM]
        pending.append(threads.submit(_in_loops, store, talks["asynchronous"]))
        pending.append(threads.submit(_in_thread, store, "mcp", talks["mcp"][:1]))
        for door in (*OF_ENGINES, "mcp"):  # each by two handles
            pending += [threads.submit(_in_thread, store, door, talks[door][half::2]) for half in (1, 2)]
        heard |= {id: words for done in pending for id, words in done.result().items()}
    heard |= _over_http(clew_program, talks["http"])
    everyone = [(talk, _owner(door, talk)) for door, found in talks.items() for talk in found]
    assert len(everyone) == len(heard) == 100
    crossed = [
        (one.id, other.id, owner, whose)
        for one, owner in everyone
        for other, whose in everyone
        if one is not other and other.word in heard[one.id]
    ]
    assert [found for found in crossed if found[2] is None or found[2] != found[3]] == []
    assert {"ana", "ben", DEFAULT_USER} <= {found[2] for found in crossed}  # and where it may, it does
    assert [one.id for one, _ in everyone if one.word not in heard[one.id]] == []
    _ensure_packs_are_alone(store, everyone)


def _ensure_packs_are_alone(store: Path, everyone: list[tuple[Talk, str | None]]) -> None:
    """Whoever packs any of them afterwards, for itself or as the person at this machine, finds no word of another."""
    for person in ("", DEFAULT_USER):
        with clew.open(store, config=clew.Config(), person=person) as engine:
            infos = engine.infos()
            assert len(infos) >= len(everyone)
            for info in infos[::3]:
                text = engine.session(info.key.id, user=info.key.user).pack(None, budget=6_000, record=False).text
                foreign = [one.id for one, owner in everyone if one.word in text and owner != (info.owner or None)]
                own = [one.id for one, owner in everyone if not owner and one.word in text]
                assert foreign in ([], own)
                assert len(own) <= 1
