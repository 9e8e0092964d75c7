"""What a client sends its requests to before it is sent through the gateway, and whether that answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from clew.environment import variable
from clew.hooks.client_setup import toml_text
from clew.hooks.client_setup.changes import Change
from clew.hooks.client_setup.client_entries import ANTHROPIC_BASE, CODEX_PROVIDER
from clew.hooks.client_setup.files import decode_utf8
from clew.hooks.client_setup.jsonc import parse

_WAIT_SECONDS = 2.0


def users_upstream(client: str, changes: Sequence[Change]) -> str:
    """Returns the address that the user has set for a client, in the file that is to be changed or in the environment;
    empty where it is the provider's own.
    """
    change = changes[0]
    text = decode_utf8(change.clean or b"", change.path)
    if client == "codex":
        config = toml_text.parse(text)
        table = config.get("model_providers", {}).get(config.get(CODEX_PROVIDER), {})
        return _address(table.get("base_url")) or variable("OPENAI_BASE_URL")
    settings = parse(text).value if text.strip("\ufeff \t\r\n") else {}
    return _address(toml_text.value_at(settings, f"env.{ANTHROPIC_BASE}")) or variable(ANTHROPIC_BASE)


def _address(value: Any) -> str:
    return value if isinstance(value, str) else ""


def answers(address: str) -> bool:
    """Returns True where a server of Clew answers. No proxy is asked: the gateway is near."""
    try:
        with build_opener(ProxyHandler({})).open(f"{address}/healthz", timeout=_WAIT_SECONDS) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError, ValueError):
        return False
