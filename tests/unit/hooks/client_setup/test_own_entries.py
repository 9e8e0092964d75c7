"""What is ours in a client's settings."""

from __future__ import annotations

from typing import Any

import pytest

from clew.hooks.client_setup.own_entries import is_ours, mentions

HOOK = {"type": "command", "command": "clew hook codex SessionStart", "timeout": 20}
SERVER = {"command": "clew", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("found", "entry"),
    [
        ({"a": [1, {"b": 2, "c": 3}]}, {"a": [1, {"b": 2}]}),
        (HOOK | {"timeout": 60}, HOOK),
        (HOOK | {"command": "/opt/my tools/clew.exe".replace(" ", "\\ ") + " hook codex SessionStart"}, HOOK),
        (HOOK | {"command": "clew hook codex SessionStart --store /tmp/x.db"}, HOOK),
        ({"matcher": "compact", "hooks": [{"command": "mine"}, HOOK]}, {"hooks": [HOOK]}),
        (SERVER | {"env": {"A": "b"}, "enabled": False}, SERVER | {"env_vars": ["CODEX_HOME"]}),
        ({"command": ["/usr/bin/clew", "mcp", "--store", "x.db"]}, {"command": ["clew", "mcp"], "enabled": True}),
        ({"command": "clew mcp"}, SERVER),
    ],
)
def test_what_starts_clew_with_our_words_is_ours(found: Any, entry: Any) -> None:
    assert is_ours(found, entry)


@pytest.mark.parametrize(
    ("found", "entry"),
    [
        ({"a": [1]}, {"a": [1, 2]}),
        ({"a": 1}, {}),
        (HOOK | {"command": "clew hook codex SessionStart && say done"}, HOOK),
        (HOOK | {"command": "clew hook codex UserPromptSubmit"}, HOOK),
        (HOOK | {"command": "clew 'hook"}, HOOK),
        ({"hooks": [{"command": "mine"}]}, {"hooks": [HOOK]}),
        ({"command": "theirs", "args": ["mcp"]}, SERVER),
        ({"command": "clew", "args": ["serve"]}, SERVER),
        (None, SERVER),
    ],
)
def test_what_starts_something_else_is_not(found: Any, entry: Any) -> None:
    assert not is_ours(found, entry)


def test_lines_that_start_clew_are_named() -> None:
    text = '{\n "command": "say hi && clew hook codex SessionStart",\n "note": "clew is fine"\n}'
    assert mentions(text) == [(2, '"command": "say hi && clew hook codex SessionStart",')]
