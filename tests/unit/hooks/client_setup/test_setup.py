"""Files as people have them: set up, edited by others, and put back."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.environment import data_folder
from clew.errors import UsageError
from clew.hooks.client_setup.client_entries import CLIENTS, Options, entries_of
from clew.hooks.client_setup.gateway_address import users_upstream
from clew.hooks.client_setup.jsonc import parse
from clew.hooks.client_setup.setup import plan_unwrap, plan_wrap, write_unwrap, write_wrap

OPTIONS = Options("clew")
EVERYTHING = Options("clew", prompts=True, outputs=True)
CLAUDE_SETTINGS = """{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run test:*)", "WebSearch"],
    "deny": []
  },
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{ "type": "command", "command": "prettier --write" }]
      }
    ]
  },
  "enableAllProjectMcpServers": true
}
"""
CODEX_SETTINGS = """# Codex, as I like it
model = "gpt-5-codex"   # not the small one
approval_policy = "on-request"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"] # mine

# trusted by me
[projects."/home/me/app"]
trust_level = "trusted"
"""
COMMENTED = """// VS Code
{
\t"servers": {
\t\t// the browser
\t\t"playwright": { "command": "npx", "args": ["@playwright/mcp@latest"], },
\t},
\t"inputs": [],
}"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def wrapped(client: str, options: Options = OPTIONS) -> None:
    write_wrap(client, plan_wrap(client, options), options)


def unwrapped(client: str) -> None:
    write_unwrap(client, plan_unwrap(client))


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_files_has_none_afterwards(client: str, home: Path) -> None:
    wrapped(client, EVERYTHING)
    assert all(change.after for change in plan_wrap(client, EVERYTHING))
    assert everything(home)
    unwrapped(client)
    assert list(home.iterdir()) == []
    assert everything(data_folder()) == {}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("text", ["{}", "{\n}\n", '{"a": {"b": 1}}', '{\r\n  "a": [1]\r\n}\r\n'])
def test_files_nobody_else_touched_are_as_they_were(client: str, text: str, home: Path) -> None:
    for file in entries_of(client, OPTIONS):
        written(file.path, "" if file.is_toml else text)
        file.path.chmod(0o640)
    before = everything(home)
    wrapped(client)
    assert everything(home) != before
    unwrapped(client)
    assert everything(home) == before
    assert {path.stat().st_mode & 0o777 for path in home.rglob("*") if path.is_file()} == {0o640}


def test_claude_code_gets_hooks_a_status_line_and_the_server_beside_what_is_there(home: Path) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code", EVERYTHING)
    found, before = json.loads(path.read_text()), json.loads(CLAUDE_SETTINGS)
    assert found["permissions"] == before["permissions"]
    commands = {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in found["hooks"].items()
    }
    events = ("PreCompact", "SubagentStop", "SessionStart", "PostCompact", "UserPromptSubmit")
    assert commands == {event: [f"clew hook claude-code {event}"] for event in events} | {
        "PostToolUse": ["clew hook claude-code PostToolUse", "prettier --write"]
    }
    assert found["statusLine"]["command"] == "clew statusline"
    assert json.loads((home / ".claude.json").read_text()) == {
        "mcpServers": {"clew": {"type": "stdio", "command": "clew", "args": ["mcp"]}}
    }


GATEWAY = Options("clew", gateway="http://127.0.0.1:7717")


@pytest.mark.parametrize("text", ["", CLAUDE_SETTINGS, '{"env": {"DEBUG": "1"}}', '{\n  "env": {},\n  "a": 1\n}\n'])
def test_claude_code_is_sent_through_the_gateway_and_back(text: str, home: Path) -> None:
    path = written(home / ".claude" / "settings.json", text)
    before = everything(home)
    wrapped("claude-code", GATEWAY)
    env = json.loads(path.read_text())["env"]
    assert env == (json.loads(text) if text else {}).get("env", {}) | {"ANTHROPIC_BASE_URL": "http://127.0.0.1:7717"}
    wrapped("claude-code", OPTIONS)
    assert "ANTHROPIC_BASE_URL" not in path.read_text()
    wrapped("claude-code", GATEWAY)
    unwrapped("claude-code")
    assert everything(home) == before


def test_codex_is_sent_through_the_gateway_and_back(home: Path) -> None:
    path = written(home / ".codex" / "config.toml", CODEX_SETTINGS)
    before = everything(home)
    wrapped("codex", GATEWAY)
    found = tomllib.loads(path.read_text())
    assert found["model_provider"] == "clew"
    assert found["model_providers"]["clew"]["base_url"] == "http://127.0.0.1:7717/v1"
    path.write_text(path.read_text().replace("on-request", "never"))
    unwrapped("codex")
    assert path.read_text() == CODEX_SETTINGS.replace("on-request", "never")
    written(path, CODEX_SETTINGS)
    assert everything(home) == before


def test_an_address_of_the_users_own_is_kept_and_named_as_the_upstream(home: Path) -> None:
    url = "https://models.example.com"
    path = written(home / ".claude" / "settings.json", json.dumps({"env": {"ANTHROPIC_BASE_URL": url}}))
    changes = plan_wrap("claude-code", GATEWAY)
    assert changes[0].notes == (
        f"env.ANTHROPIC_BASE_URL in {path} stays as you have set it, so that of Clew is not set",
    )
    assert users_upstream("claude-code", changes) == url
    wrapped("claude-code", GATEWAY)
    assert json.loads(path.read_text())["env"] == {"ANTHROPIC_BASE_URL": url}
    codex = f'model_provider = "mine"\n[model_providers.mine]\nbase_url = "{url}/v1"\n'
    path = written(home / ".codex" / "config.toml", codex)
    changes = plan_wrap("codex", GATEWAY)
    assert users_upstream("codex", changes) == f"{url}/v1"
    wrapped("codex", GATEWAY)
    assert tomllib.loads(path.read_text())["model_provider"] == "mine"
    for client in ("claude-code", "codex"):
        unwrapped(client)
    assert path.read_text() == codex


def test_other_clients_cannot_be_sent_through_the_gateway() -> None:
    with pytest.raises(UsageError, match="cursor cannot"):
        plan_wrap("cursor", GATEWAY)


def test_a_status_line_of_the_users_own_is_kept(home: Path) -> None:
    text = '{"statusLine": {"type": "command", "command": "mine"}}'
    path = written(home / ".claude" / "settings.json", text)
    assert plan_wrap("claude-code", OPTIONS)[0].notes == (
        f"statusLine in {path} stays as you have set it, so that of Clew is not set",
    )
    wrapped("claude-code")
    assert json.loads(path.read_text())["statusLine"]["command"] == "mine"
    unwrapped("claude-code")
    assert path.read_text() == text


def test_codex_gets_a_server_a_prompt_and_hooks(home: Path) -> None:
    path = written(home / ".codex" / "config.toml", CODEX_SETTINGS)
    wrapped("codex")
    found = tomllib.loads(path.read_text())
    seen = ["CODEX_HOME", "CLEW_STORE"]  # Codex starts a server without variables that are not named
    assert found["mcp_servers"]["clew"] == {"command": "clew", "args": ["mcp"], "env_vars": seen}
    assert "commit" in found["compact_prompt"]
    assert set(json.loads((home / ".codex" / "hooks.json").read_text())["hooks"]) == {"SessionStart"}
    path.write_text(path.read_text().replace("# not the small one", "# or the small one") + "[tui]\n")
    unwrapped("codex")
    assert path.read_text() == CODEX_SETTINGS.replace("# not the small one", "# or the small one") + "[tui]\n"


def _added(text: str) -> str:
    return text.replace('"enableAll', '"theme": "dark", // new\n  "enableAll')


def _reformatted(text: str) -> str:
    return json.dumps(parse(text).value, indent=4)


def _behind_ours(text: str) -> str:
    value = parse(text).value
    value["hooks"]["PreCompact"].append({"hooks": [{"type": "command", "command": "mine"}]})
    return json.dumps(value)


@pytest.mark.parametrize("edit", [_added, _reformatted, lambda text: text.replace("\n", "\r\n")])
def test_what_others_wrote_meanwhile_stays(edit: Callable[[str], str], home: Path) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code")
    path.write_bytes(edit(path.read_text()).encode())
    unwrapped("claude-code")
    assert parse(path.read_bytes().decode()).value == parse(edit(CLAUDE_SETTINGS)).value


def test_edits_beside_our_bytes_leave_the_rest_to_the_byte(home: Path) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code")
    path.write_text(_added(path.read_text()))
    unwrapped("claude-code")
    assert path.read_text() == _added(CLAUDE_SETTINGS)


def test_a_hook_added_to_a_list_of_ours_stays(home: Path) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code")
    path.write_text(_behind_ours(path.read_text()))
    unwrapped("claude-code")
    hooks: dict[str, Any] = json.loads(path.read_text())["hooks"]
    assert hooks["PreCompact"] == [{"hooks": [{"type": "command", "command": "mine"}]}]
    assert set(hooks) == {"PreCompact", "PostToolUse"}


def _longer(text: str) -> str:
    value = parse(text).value
    value["hooks"]["PreCompact"][0]["hooks"][0]["timeout"] = 60
    value["hooks"]["PreCompact"][0]["matcher"] = "manual"
    return json.dumps(value, indent=2)


def _in_our_group(text: str) -> str:
    value = parse(text).value
    value["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "mine"})
    return json.dumps(value, indent=2)


@pytest.mark.parametrize(("edit", "left"), [(_longer, {}), (_in_our_group, {"SessionStart": ["mine"]})])
def test_a_hook_of_ours_goes_whatever_stands_beside_it(
    edit: Callable[[str], str], left: dict[str, list[str]], home: Path
) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code")
    path.write_text(edit(path.read_text()))
    assert (plan_wrap("claude-code", OPTIONS)[0].after or b"").count(b"clew hook") == 4
    unwrapped("claude-code")
    assert "clew" not in path.read_text()
    found = json.loads(path.read_text())["hooks"].items()
    commands = {event: [hook["command"] for group in groups for hook in group["hooks"]] for event, groups in found}
    assert commands == left | {"PostToolUse": ["prettier --write"]}
    assert plan_unwrap("claude-code") == []


def test_what_cannot_be_taken_out_is_named(home: Path) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code")
    own = "clew hook claude-code PreCompact"
    path.write_text(path.read_text().replace(own, f"say hi; {own}"))
    (note,) = next(change for change in plan_unwrap("claude-code") if change.path == path).notes
    assert note.startswith(f"{path}, line ")
    assert note.endswith(f'still starts Clew; take it out by hand: "command": "say hi; {own}",')
    unwrapped("claude-code")
    assert path.read_text().count("clew hook") == 1
    assert len(plan_unwrap("claude-code")[0].notes) == 1


ADDED = {
    "claude-code": (".claude.json", '{"mcpServers": {"clew": {"command": "clew", "args": ["mcp"], "env": {}}}}'),
    "codex": (".codex/config.toml", '[mcp_servers.clew]\ncommand = "clew"\nargs = ["mcp"]\n'),
    "gemini-cli": (".gemini/settings.json", '{"mcpServers": {"clew": {"command": "clew", "args": ["mcp"]}}}'),
    "opencode": (".config/opencode/opencode.json", '{"mcp": {"clew": {"command": ["/x/clew", "mcp"]}}}'),
}


@pytest.mark.parametrize("client", ADDED)
def test_a_server_that_the_user_added_himself_stays_as_it_is(client: str, home: Path) -> None:
    name, text = ADDED[client]
    path = written(home / name, text)
    notes = [note for change in plan_wrap(client, OPTIONS) for note in change.notes]
    assert any(note.endswith(f"in {path} starts Clew already, and stays as it is") for note in notes)
    wrapped(client)
    assert path.read_text().endswith(text)
    path.write_text(path.read_text() + "\n")
    unwrapped(client)
    assert path.read_text() == text + "\n"


def test_a_server_in_a_file_that_was_not_written_is_not_taken_out(home: Path) -> None:
    path = written(home / ADDED["claude-code"][0], '{"mcpServers": {"clew": {"command": "clew", "args": ["mcp"]}}}')
    before = path.read_bytes()
    wrapped("claude-code")
    notes = [note for change in plan_unwrap("claude-code") for note in change.notes]
    assert notes == [f"mcpServers.clew in {path} stays: `clew wrap` did not put it in"]
    unwrapped("claude-code")
    assert path.read_bytes() == before


def test_tables_below_a_table_of_ours_go_with_it(home: Path) -> None:
    path = written(home / ".codex" / "config.toml", CODEX_SETTINGS)
    wrapped("codex")
    path.write_text(path.read_text() + '\n[mcp_servers.clew.env]\nA = "b"\n')
    unwrapped("codex")
    assert "clew" not in path.read_text()


def test_comments_and_trailing_commas_stay_where_they_are(home: Path) -> None:
    path = written(home / ".config" / "Code" / "User" / "mcp.json", COMMENTED)

    wrapped("vscode")
    assert set(parse(path.read_text()).value["servers"]) == {"clew", "playwright"}
    path.write_text(path.read_text().replace("// the browser", "// a browser"))
    unwrapped("vscode")
    assert path.read_text() == COMMENTED.replace("// the browser", "// a browser")


def test_wrapping_again_changes_nothing_and_other_options_change_only_ours(home: Path) -> None:
    path = written(home / ".claude" / "settings.json", CLAUDE_SETTINGS)
    wrapped("claude-code")
    assert all(change.after == change.before for change in plan_wrap("claude-code", OPTIONS))
    wrapped("claude-code", EVERYTHING)
    assert "UserPromptSubmit" in path.read_text()
    wrapped("claude-code", Options("/opt/clew"))
    assert '"clew hook' not in path.read_text()
    unwrapped("claude-code")
    assert path.read_text() == CLAUDE_SETTINGS
    assert not (home / ".claude.json").exists()


def test_without_a_record_our_entries_are_found_by_what_they_say(home: Path) -> None:
    path = written(home / ".cursor" / "mcp.json", '{"mcpServers": {"x": {}}}')
    wrapped("cursor")
    for record in data_folder().rglob("*.json"):
        record.unlink()
    unwrapped("cursor")
    assert parse(path.read_text()).value == {"mcpServers": {"x": {}}}


def test_unwrapping_what_was_never_wrapped_changes_nothing(home: Path) -> None:
    path = written(home / ".cursor" / "mcp.json", '{"mcpServers": {"clew": {"command": "theirs"}}}')
    assert plan_unwrap("cursor") == []
    unwrapped("cursor")
    assert path.read_text() == '{"mcpServers": {"clew": {"command": "theirs"}}}'


@pytest.mark.parametrize(
    ("client", "name", "text", "said"),
    [
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {', "a name in quotes is missing in line 1, column 17"),
        ("cursor", ".cursor/mcp.json", "[]", "it is no JSON object"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": []}', "something else under mcpServers.clew"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {"clew": {"command": "x"}}}', "under mcpServers.clew"),
        ("codex", ".codex/config.toml", "model = \n", "Invalid value"),
        ("codex", ".codex/config.toml", "[mcp_servers.clew]\ncommand = 'x'\n", "under [mcp_servers.clew]"),
    ],
)
def test_a_file_that_cannot_take_entries_is_named_and_left(
    client: str, name: str, text: str, said: str, home: Path
) -> None:
    path = written(home / name, text)
    with pytest.raises(UsageError) as error:
        wrapped(client)
    assert said in str(error.value)
    assert str(path) in str(error.value)
    assert everything(home) == {name: text.encode()}


def _link(path: Path) -> None:
    written(path.parent / "real.json", "{}")
    path.symlink_to(path.parent / "real.json")


def _folder(path: Path) -> None:
    path.mkdir(parents=True)


def _read_only(path: Path) -> None:
    written(path, "{}").chmod(0o444)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(17 << 20)


def _not_text(path: Path) -> None:
    path.write_bytes(b'{"a": "\xff"}')


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_link, "is a link to"),
        (_folder, "is no plain file"),
        (_read_only, "is read-only"),
        (_huge, "too large"),
        (_not_text, "is no UTF-8"),
    ],
)
def test_what_must_not_be_edited_is_refused_in_one_line(make: Callable[[Path], None], said: str, home: Path) -> None:
    (home / ".cursor").mkdir()
    make(home / ".cursor" / "mcp.json")
    with pytest.raises(UsageError) as error:
        plan_wrap("cursor", OPTIONS)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_changes_while_somebody_is_asked_is_not_overwritten(home: Path) -> None:
    path = written(home / ".cursor" / "mcp.json", "{}")
    changes = plan_wrap("cursor", OPTIONS)
    path.write_text('{"new": 1}')
    with pytest.raises(UsageError, match="changed meanwhile"):
        write_wrap("cursor", changes, OPTIONS)
    assert path.read_text() == '{"new": 1}'
    assert [one.name for one in path.parent.iterdir()] == ["mcp.json"]


def test_the_diff_shows_what_comes_in_and_nothing_else(home: Path) -> None:
    written(home / ".cursor" / "mcp.json", '{\n  "mcpServers": {}\n}\n')
    diff = plan_wrap("cursor", OPTIONS)[0].diff
    marked = [line for line in diff.splitlines() if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    assert marked[0] == '-  "mcpServers": {}'
    assert sum("clew" in line for line in marked) == 2


def test_an_unknown_client_is_told_which_there_are() -> None:
    with pytest.raises(UsageError, match="there are claude-code, codex"):
        plan_wrap("emacs", OPTIONS)
