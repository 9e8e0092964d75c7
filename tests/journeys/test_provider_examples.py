"""Examples that send to a provider run as they stand in README.md and docs/python.md: real SDKs, a local server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import rules
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, ProviderServer, provider

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    found: list[str] = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    return found


README = [block for block in blocks("README.md") if "import clew" in block]
EXAMPLES = {
    name: next(block for block in blocks("docs/python.md") if f'engine.session("{name}"' in block)
    for name in ("anthropic", "openai-chat", "openai-responses", "gemini")
}
PACKAGES = {"anthropic": "anthropic", "gemini": "google.genai"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ProviderServer]:
    """A provider that the official clients find by their environment."""

    def script(path: str, body: dict[str, Any]) -> Answer:
        return reply(path, Says("The clock is wrong."), stream=False)

    monkeypatch.chdir(tmp_path)
    with provider(script) as served:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{served.url}/v1")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", served.url)
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
            monkeypatch.setenv(name, "none")
        yield served


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_sends_and_records(name: str, server: ProviderServer, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(PACKAGES.get(name, "openai"))
    exec(compile(EXAMPLES[name], "docs/python.md", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out == "The clock is wrong.\n"
    (body,) = server.requests
    assert rules.check(body, name) == []
    assert "Answer in one sentence." in str(body)
    with clew.open("work.db") as engine:
        said = [message.text for message in engine.session(name).reader.recent_messages(9)]
    assert said == ["why does login fail?", "The clock is wrong."]


def test_the_readme_runs_as_it_stands(server: ProviderServer, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("anthropic")
    short, block = README
    said = [{"role": role, "content": f"Part {at}. " * 200} for at in range(25) for role in ("user", "assistant")]
    exec(compile(short, "README.md", "exec"), {"__name__": "page", "messages": said})
    exec(compile(block, "README.md", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out.splitlines()[0] == "The clock is wrong."
    assert rules.check(server.requests[0], "anthropic") == []
    assert "Never touch the schema." in str(server.requests[0])
