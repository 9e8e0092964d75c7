"""The hook in a real proxy of LiteLLM, with the official clients before it and a scripted provider behind it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import clew
from clew.rules import check
from tests.agent_loops.clients import client, create, output, read_stream, said_back, tools, user
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, ProviderServer, provider

pytest.importorskip("litellm.proxy")

FORMATS = ("anthropic", "openai-chat", "openai-responses")
STEPS = 40
KEY = "sk-" + "0123456789abcdef" * 2
CONFIG = """\
model_list:
  - model_name: "claude-*"
    litellm_params: {{model: "anthropic/claude-*", api_base: "{url}", api_key: none}}
  - model_name: "*"
    litellm_params: {{model: "openai/*", api_base: "{url}/v1", api_key: none}}
litellm_settings:
  callbacks: clew.gateway.litellm.hook
  num_retries: 0
"""


class Model:
    """Looks at one file after the other; a request of as many bytes as ``refused`` is too long for it."""

    def __init__(self) -> None:
        self.refused = 10**9

    def __call__(self, path: str, body: dict[str, Any]) -> Answer:
        if len(json.dumps(body)) >= self.refused:
            said = "prompt is too long: 90000 tokens > 10000 maximum"
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}
        number = len(self.upstream.requests)
        says = Says(tool="look", arguments={"path": f"src/part_{number}.py"}, id=f"call_{number}")
        return reply(path, says, stream=bool(body.get("stream")), number=number)

    upstream: ProviderServer


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def upstream(model: Model) -> Iterator[ProviderServer]:
    with provider(model) as served:
        model.upstream = served
        yield served


@pytest.fixture(scope="module")
def proxy(upstream: ProviderServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The proxy's address, and the store that its hook keeps sessions in."""
    folder = tmp_path_factory.mktemp("litellm")
    (folder / "config.yaml").write_text(CONFIG.format(url=upstream.url))
    with _running(folder) as url:
        yield url, folder / "clew.db"


@contextmanager
def _running(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    env = os.environ | {"CLEW_STORE": str(folder / "clew.db"), "CLEW_GATEWAY__MAX_TOKENS": "6000", "HOME": str(folder)}
    env |= {"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "PYTHONUNBUFFERED": "1"}
    program = Path(sys.executable).with_name("litellm")
    command = [str(program), "--config", "config.yaml", "--port", str(port), "--host", "127.0.0.1"]
    with subprocess.Popen(command, env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as served:
        try:
            assert served.stdout
            lines: list[bytes] = []
            for line in served.stdout:
                lines.append(line)
                if b"Uvicorn running" in line:
                    break
            assert served.poll() is None, b"".join(lines[-20:]).decode()
            Thread(target=served.stdout.read, daemon=True).start()  # or it would wait for a reader one day
            yield f"http://127.0.0.1:{port}"
        finally:
            served.terminate()


def plain_client(format: str, url: str, session: str) -> Any:
    made = client(format, url, default_headers={"x-clew-session": session}, max_retries=0)
    return made.copy(api_key=KEY)


async def talk(format: str, plain: Any, *, streams: bool) -> None:
    messages: list[Any] = [user("Look at every file. The code word of the release is tangerine-42.")]
    for step in range(STEPS):
        if streams:
            response = await read_stream(plain, format, messages, tools=tools(format))
        else:
            response = create(plain, format, messages, tools=tools(format))
        messages += [
            one.model_dump(exclude_none=True) if hasattr(one, "model_dump") else one
            for one in said_back(format, response)
        ]
        id = next(iter(_call_ids(format, response)))
        messages.append(output(format, id, f"def step_{step}(): return {step * 7919}\n" * 20))


def _call_ids(format: str, response: Any) -> Iterator[str]:
    if format == "anthropic":
        yield from (one.id for one in response.content if one.type == "tool_use")
    elif format == "openai-chat":
        yield from (one.id for one in response.choices[0].message.tool_calls)
    else:
        yield from (one.call_id for one in response.output if one.type == "function_call")


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_long_loop_stays_small_and_valid(
    proxy: tuple[str, Path], upstream: ProviderServer, format: str, streams: bool
) -> None:
    url, store = proxy
    upstream.requests.clear()
    session = f"{format}-{streams}"
    asyncio.run(talk(format, plain_client(format, url, session), streams=streams))
    sent = [_items(body) for body in upstream.requests]
    assert [check(body, format) for body in upstream.requests] == [[]] * STEPS
    sizes = [len(json.dumps(items)) for items in sent]
    smaller = [at for at in range(1, STEPS) if sizes[at] < sizes[at - 1]]
    assert len(smaller) >= 2, sizes
    for at, (before, after) in enumerate(pairwise(sent), start=1):
        assert at in smaller or after[: len(before)] == before
    with clew.open(store) as engine:
        (found,) = [one for one in engine.infos() if one.key.id == session]
        kept = engine.find(session).messages()
        assert found.key.user == "litellm:default_user_id"
        outputs = [one.text for message in kept for one in message.outputs]
        assert [f"return {step * 7919}\n" in text for step, text in enumerate(outputs)] == [True] * (STEPS - 1)
        assert engine.find(session).search("code word of the release", limit=1)


def test_a_request_that_was_too_long_is_smaller_when_it_is_sent_again(
    proxy: tuple[str, Path], upstream: ProviderServer, model: Model
) -> None:
    url, _ = proxy
    plain = plain_client("anthropic", url, "too-long")
    messages = [user("begin")]
    for step in range(8):
        messages += said_back("anthropic", create(plain, "anthropic", messages, tools=tools("anthropic")))
        id = messages[-1]["content"][-1].id
        messages.append(output("anthropic", id, f"def step_{step}(): return {step * 7919}\n" * 20))
    model.refused = len(json.dumps(upstream.requests[-1]))
    upstream.requests.clear()
    try:
        with pytest.raises(Exception, match="too long"):
            create(plain, "anthropic", messages, tools=tools("anthropic"))
        create(plain, "anthropic", messages, tools=tools("anthropic"))
    finally:
        model.refused = 10**9
    first, second = (len(json.dumps(body)) for body in upstream.requests)
    assert second < first


def _items(body: dict[str, Any]) -> Any:
    return _unmarked(body.get("messages") or body["input"])


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(item) for name, item in value.items() if name != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value
