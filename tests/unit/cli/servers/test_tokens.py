"""The commands of tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import clew
from clew.cli.servers.tokens import token
from clew.config import Config
from clew.server.access_tokens import AccessTokens


def run(store: Path, *arguments: str) -> Any:
    return CliRunner().invoke(token, [*arguments, "--store", str(store)])


def test_tokens_are_made_listed_and_revoked(tmp_path: Path) -> None:
    store = tmp_path / "clew.db"
    made = json.loads(run(store, "make", "laptop", "--json").stdout)
    plain = run(store, "make", "phone", "--user", "ben").stdout.strip()
    with clew.open(store, config=Config()) as engine:
        tokens = AccessTokens(engine.store, engine.services.clock)
        assert [(one.name, one.user) for one in (tokens.find(made["token"]), tokens.find(plain)) if one] == [
            ("laptop", "default"),
            ("phone", "ben"),
        ]
    listed = json.loads(run(store, "list", "--json").stdout)["tokens"]
    assert [one["name"] for one in listed] == ["laptop", "phone"]
    assert made["token"] not in run(store, "list").stdout
    assert "laptop" in run(store, "revoke", made["id"]).stdout
    assert "phone" in run(store, "list").stdout
