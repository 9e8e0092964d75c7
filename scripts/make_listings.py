"""Writes down what the MCP server answers to initialize and the lists, which its front answers in its place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

LISTINGS = Path(__file__).parent.parent / "src" / "clew" / "mcp_server" / "listings.json"
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_CLIENT = {"name": "clew", "version": "1"}
_ABOUT = "io.modelcontextprotocol/"
_SERVER = "import clew; from clew.mcp_server.server import serve_stdio; serve_stdio(clew.open(':memory:'))"


def listings() -> dict[str, Any]:
    """Returns what the server behind the front answers, in each era."""
    hello = {"protocolVersion": HANDSHAKE_PROTOCOL_VERSIONS[-1], "capabilities": {}, "clientInfo": _CLIENT}
    lists = _answers({method: {} for method in ("ping", *LISTS)}, hello)
    about = {f"{_ABOUT}clientInfo": _CLIENT, f"{_ABOUT}clientCapabilities": {}}
    stateless = {}
    for version in MODERN_PROTOCOL_VERSIONS:
        params = {"_meta": about | {f"{_ABOUT}protocolVersion": version}}
        found = _answers(dict.fromkeys(("server/discover", *LISTS), params))
        stateless[version] = {method: _more(one, lists.get(method, {})) for method, one in found.items()}
    greeting = lists.pop("initialize")
    del greeting["protocolVersion"]
    versions = list(HANDSHAKE_PROTOCOL_VERSIONS)
    return {"versions": versions, "initialize": greeting, "lists": lists, "stateless": stateless}


def _more(result: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """What a result has beside what is known."""
    assert known.items() <= result.items()
    return {key: value for key, value in result.items() if key not in known}


def _answers(asked: dict[str, dict[str, Any]], hello: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """The result of each request, sent to a server of its own; with ``hello``, after a greeting."""
    lines = [{"id": "initialize", "method": "initialize", "params": hello}] if hello else []
    lines += [{"method": "notifications/initialized"}] if hello else []
    lines += [{"id": method, "method": method, "params": params} for method, params in asked.items()]
    found = dict[str, dict[str, Any]]()
    command = [sys.executable, "-c", _SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.writelines(json.dumps({"jsonrpc": "2.0"} | line).encode() + b"\n" for line in lines)
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            found[answer["id"]] = answer["result"]
            if len(found) == len(asked) + bool(hello):
                break
        process.stdin.close()
    return found


if __name__ == "__main__":
    LISTINGS.write_text(json.dumps(listings(), indent=1, ensure_ascii=False) + "\n")
