"""The examples of docs/frameworks.md run as they stand there, with the real packages and a provider on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, ProviderServer, provider

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
PACKAGES = ("anthropic", "openai", "pydantic_ai", "agents", "langchain", "langchain_openai", "google.adk")
SESSIONS = {
    name: next((block for block in BLOCKS if f'"{name}"' in block and "memory" in block + name), BLOCKS[0])
    for name in ("pydantic-ai", "agents", "langchain", "google-adk")
} | {"anthropic": BLOCKS[0], "openai": BLOCKS[1]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ProviderServer]:
    """A provider that the official clients find by their environment."""
    answers = iter(range(1, 100))

    def script(path: str, body: dict[str, Any]) -> Answer:
        number = next(answers)
        return reply(path, Says(f"Answer {number}."), stream=bool(body.get("stream")), number=number)

    monkeypatch.chdir(tmp_path)
    with provider(script) as served:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{served.url}/v1")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY"):
            monkeypatch.setenv(name, "none")
        yield served


def run(block: str) -> None:
    """Runs a block of the page, or skips it where its package is missing."""
    for package in PACKAGES:
        if f"from {package}" in block or (package == "langchain_openai" and "from langchain" in block):
            pytest.importorskip(package)
    exec(compile(block, str(PAGE), "exec"), {"__name__": "page"})


@pytest.mark.parametrize("name", SESSIONS)
def test_an_example_packs_and_records(name: str, server: ProviderServer, capsys: pytest.CaptureFixture[str]) -> None:
    run(SESSIONS[name])
    assert capsys.readouterr().out.strip() == "Answer 2."
    with clew.open("work.db") as engine:
        said = [message.text for message in engine.find(name).reader.recent_messages(9)]
    assert said == ["Why does login fail?", "Answer 1.", "Since when?", "Answer 2."]


def test_what_was_said_is_found_again(server: ProviderServer, capsys: pytest.CaptureFixture[str]) -> None:
    run(BLOCKS[1])
    run(BLOCKS[-1])
    assert "Why does login fail?" in capsys.readouterr().out


def test_every_example_is_run() -> None:
    assert len(BLOCKS) == len(set(SESSIONS.values())) + 1
