"""What each client needs in which of its files: the MCP server, and hooks where the client has them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from clew.environment import variable
from clew.errors import UsageError
from clew.hooks.client_setup.json_text import SharedObject

#: The name of the MCP server in every client's settings, and of the gateway in those of Codex.
_NAME = "clew"
#: What names the server that a client sends its requests to.
ANTHROPIC_BASE, CODEX_PROVIDER = "ANTHROPIC_BASE_URL", "model_provider"


@cache
def compact_prompt() -> str:
    """Returns the prompt for a client that takes one instead of its own."""
    return files("clew.hooks").joinpath("prompts/compact.md").read_text("utf-8").strip() + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntries:
    """What goes into one file. ``entries`` are for JSON; ``settings`` and ``tables`` for TOML.

    ``optional`` names what is left to the user where he has set it himself.
    """

    path: Path
    entries: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()

    @property
    def is_toml(self) -> bool:
        return self.path.suffix == ".toml"

    @property
    def servers(self) -> list[str]:
        """Dotted names of the entries that start the MCP server."""
        tables = (name for name in self.tables if name.startswith("mcp_servers."))
        return [*tables, *(f"{name}.{_NAME}" for name, settings in self.entries.items() if _NAME in settings)]

    def without_names(self, names: Iterable[str]) -> FileEntries:
        """Returns the entries less those of these dotted names, which are the user's own."""
        gone = set(names)
        left = {
            name: type(settings)((key, value) for key, value in settings.items() if f"{name}.{key}" not in gone)
            for name, settings in self.entries.items()
            if name not in gone
        }
        return replace(
            self,
            entries={name: settings for name, settings in left.items() if settings},
            settings={name: value for name, value in self.settings.items() if name not in gone},
            tables={name: table for name, table in self.tables.items() if name not in gone},
        )


@dataclass(frozen=True, slots=True)
class Options:
    """How Clew is started, which hooks are wanted beside those that everybody gets, and the address of the gateway
    that the client sends its requests to; empty for none.
    """

    program: str
    prompts: bool = False
    outputs: bool = False
    gateway: str = ""

    def command(self, *arguments: str) -> str:
        return shlex.join([self.program, *arguments])


#: Seconds that a client waits for a hook: far more than one takes, far less than anybody would wait.
_TIMEOUT = 20
_MCP = ["mcp"]
#: Variables by which the server finds sessions and the store: Codex hands on only those that are named.
_CODEX_VARIABLES = ["CODEX_HOME", "CLEW_STORE"]


def _hooks(client: str, events: dict[str, str], options: Options) -> dict[str, Any]:
    """Groups of hooks by event; an event may come with a pattern of what it is about."""
    groups = {}
    for event, matcher in events.items():
        hook = {"type": "command", "command": options.command("hook", client, event), "timeout": _TIMEOUT}
        groups[event] = [({"matcher": matcher} if matcher else {}) | {"hooks": [hook]}]
    return groups


def _claude_code(options: Options) -> list[FileEntries]:
    own = variable("CLAUDE_CONFIG_DIR")
    folder = Path(own) if own else Path.home() / ".claude"
    events = dict.fromkeys(("PreCompact", "SubagentStop", "SessionStart", "PostCompact"), "")
    events |= {"UserPromptSubmit": ""} if options.prompts else {}
    events |= {"PostToolUse": "Bash|Grep"} if options.outputs else {}
    settings = {
        "hooks": _hooks("claude-code", events, options),
        "statusLine": {"type": "command", "command": options.command("statusline")},
    }
    if options.gateway:
        settings["env"] = SharedObject({ANTHROPIC_BASE: options.gateway})
    server = {"type": "stdio", "command": options.program, "args": _MCP}
    optional = frozenset({"statusLine", f"env.{ANTHROPIC_BASE}"})
    return [
        FileEntries(path=folder / "settings.json", entries=settings, optional=optional),
        FileEntries(path=(folder if own else Path.home()) / ".claude.json", entries={"mcpServers": {"clew": server}}),
    ]


def _codex(options: Options) -> list[FileEntries]:
    folder = Path(variable("CODEX_HOME") or Path.home() / ".codex")
    events = {"SessionStart": ""} | ({"UserPromptSubmit": ""} if options.prompts else {})
    tables: dict[str, dict[str, Any]] = {"mcp_servers.clew": _server(options) | {"env_vars": _CODEX_VARIABLES}}
    if options.gateway:
        about = {"name": "Clew", "base_url": f"{options.gateway}/v1", "wire_api": "responses"}
        tables["model_providers.clew"] = about | {"requires_openai_auth": True}
    return [
        FileEntries(
            path=folder / "config.toml",
            settings={"compact_prompt": compact_prompt()} | ({CODEX_PROVIDER: _NAME} if options.gateway else {}),
            tables=tables,
            optional=frozenset({"compact_prompt", CODEX_PROVIDER}),
        ),
        FileEntries(path=folder / "hooks.json", entries={"hooks": _hooks("codex", events, options)}),
    ]


def _server(options: Options) -> dict[str, Any]:
    return {"command": options.program, "args": _MCP}


def _gemini_cli(options: Options) -> list[FileEntries]:
    folder = Path(variable("GEMINI_CLI_HOME") or Path.home()) / ".gemini"
    return [FileEntries(path=folder / "settings.json", entries={"mcpServers": {"clew": _server(options)}})]


def _cline(options: Options) -> list[FileEntries]:
    """Those of its folders that are there: of the extension, and of the program; of the extension where none is."""
    name = Path("settings") / "cline_mcp_settings.json"
    places = [_vscode_folder() / "globalStorage" / "saoudrizwan.claude-dev", Path.home() / ".cline" / "data"]
    folders = [place for place in places if place.is_dir()] or places[:1]
    return [FileEntries(path=place / name, entries={"mcpServers": {"clew": _server(options)}}) for place in folders]


def _cursor(options: Options) -> list[FileEntries]:
    path = Path.home() / ".cursor" / "mcp.json"
    return [FileEntries(path=path, entries={"mcpServers": {"clew": _server(options)}})]


def _vscode(options: Options) -> list[FileEntries]:
    entry = {"type": "stdio", **_server(options)}
    return [FileEntries(path=_vscode_folder() / "mcp.json", entries={"servers": {"clew": entry}})]


def _vscode_folder() -> Path:
    if sys.platform == "win32":
        return Path(variable("APPDATA") or Path.home() / "AppData" / "Roaming") / "Code" / "User"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Code" / "User"
    return Path(variable("XDG_CONFIG_HOME") or Path.home() / ".config") / "Code" / "User"


def _opencode(options: Options) -> list[FileEntries]:
    folder = Path(variable("XDG_CONFIG_HOME") or Path.home() / ".config") / "opencode"
    with_comments = folder / "opencode.jsonc"
    path = with_comments if with_comments.exists() else folder / "opencode.json"
    entry = {"type": "local", "command": [options.program, *_MCP], "enabled": True}
    return [FileEntries(path=path, entries={"mcp": {"clew": entry}})]


CLIENTS: dict[str, Callable[[Options], list[FileEntries]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "cline": _cline,
    "cursor": _cursor,
    "vscode": _vscode,
    "opencode": _opencode,
}
#: Clients that can be sent through the gateway, and the API that each speaks.
WITH_GATEWAY = {"claude-code": "anthropic", "codex": "openai"}


def entries_of(client: str, options: Options) -> list[FileEntries]:
    """Returns what a client needs, file by file. Raises UsageError for a client that is not known."""
    if client not in CLIENTS:
        raise UsageError(f"no client {client!r}; there are {', '.join(CLIENTS)}")
    if options.gateway and client not in WITH_GATEWAY:
        raise UsageError(f"{' and '.join(WITH_GATEWAY)} can be sent through the gateway by wrap, {client} cannot")
    return CLIENTS[client](options)


def own_program() -> str:
    """Returns how this program is started by others: by its name where that finds it, else by its place."""
    from shutil import which

    here = os.path.abspath(sys.argv[0])  # noqa: PTH100
    beside = Path(sys.executable).parent / "clew"
    program = which("clew")
    place = here if Path(here).name in ("clew", "clew.exe") else str(beside) if beside.exists() else "clew"
    return "clew" if program and os.path.realpath(program) == os.path.realpath(place) else place
