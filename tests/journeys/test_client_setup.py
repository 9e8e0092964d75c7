"""The commands wrap and unwrap, as somebody types them."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from tests.journeys.program import Program

SETTINGS = '{\n  // mine\n  "theme": "dark"\n}\n'


def test_a_client_is_wrapped_and_unwrapped(clew_program: Program, tmp_path: Path) -> None:
    path = tmp_path / "gemini" / ".gemini" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(SETTINGS)
    home = {"GEMINI_CLI_HOME": str(tmp_path / "gemini")}

    asked = clew_program("wrap", "gemini-cli", **home)
    assert asked.code == 2
    assert '+  "mcpServers": {' in asked.out
    assert asked.err == "clew: nothing was changed: there is no terminal to ask at; --yes writes without asking\n"
    assert path.read_text() == SETTINGS

    done = clew_program("wrap", "gemini-cli", "--yes", **home)
    assert done.code == 0
    assert done.out.endswith("written; start the client anew, so that it reads them\n")
    assert clew_program("wrap", "gemini-cli", "--yes", **home).out == "gemini-cli is set up already\n"

    path.write_text(path.read_text().replace("dark", "light"))
    back = clew_program("unwrap", "gemini-cli", "--yes", "--json", **home)
    assert back.code == 0
    assert back.json["written"]
    assert [Path(file["path"]) for file in back.json["files"]] == [path]
    assert path.read_text() == SETTINGS.replace("dark", "light")
    assert "nothing of Clew" in clew_program("unwrap", "gemini-cli", **home).out


def test_an_error_is_one_line_and_changes_nothing(clew_program: Program, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    path.parent.mkdir(parents=True)
    path.write_text("{broken")
    done = clew_program("wrap", "cursor", "--yes")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "line 1, column 2; nothing was changed" in done.err
    assert path.read_text() == "{broken"
    assert clew_program("wrap", "notepad").code == 2


def test_hooks_that_are_asked_for_are_put_in(clew_program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "claude"
    done = clew_program("wrap", "claude-code", "--prompts", "--outputs", "--yes", CLAUDE_CONFIG_DIR=str(folder))
    assert done.code == 0
    hooks = json.loads((folder / "settings.json").read_text())["hooks"]
    assert {"UserPromptSubmit", "PostToolUse"} < set(hooks)


def test_what_stays_and_what_comes_next_are_said(clew_program: Program, tmp_path: Path) -> None:
    home = {"CODEX_HOME": str(tmp_path / "codex"), "PATH": ""}
    done = clew_program("wrap", "codex", "--yes", **home)
    assert "codex had no settings here, and no program codex is on PATH: is it installed?" in done.err
    assert done.out.endswith("written; start the client anew, and allow the hooks where it asks (`/hooks`)\n")
    path = tmp_path / "codex" / "hooks.json"
    path.write_text(path.read_text().replace('"command": "', '"command": "date; '))
    back = clew_program("unwrap", "codex", "--yes", **home)
    assert f"{path}, line " in back.out
    assert back.out.endswith("written; start the client anew, so that it runs without Clew\n")
    (file,) = clew_program("unwrap", "codex", "--json", **home).json["files"]
    assert clew_program("unwrap", "codex", **home).out == f"{file['notes'][0]}\nnothing was changed\n"


def test_a_client_is_sent_through_the_gateway(clew_program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "claude"
    home = {"CLAUDE_CONFIG_DIR": str(folder), "PATH": "", "ANTHROPIC_BASE_URL": ""}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    done = clew_program("wrap", "claude-code", "--gateway", "--address", f"{address}/", "--yes", **home)
    assert json.loads((folder / "settings.json").read_text())["env"] == {"ANTHROPIC_BASE_URL": address}
    start = f"clew serve --port {port}\n"
    assert done.err.endswith(
        f"no server answers at {address}, and without one claude-code reaches no model; start it: {start}"
    )
    assert clew_program("unwrap", "claude-code", "--yes", **home).code == 0
    assert not folder.exists()

    folder.mkdir()
    (folder / "settings.json").write_text('{"env": {"ANTHROPIC_BASE_URL": "https://models.example.com"}}')
    kept = clew_program("wrap", "claude-code", "--gateway", "--yes", **home)
    assert "claude-code still sends its requests to https://models.example.com, which is yours" in kept.err
    assert (
        "start `clew serve --upstream anthropic=https://models.example.com` and put http://127.0.0.1:7717 in its"
        in kept.err
    )
