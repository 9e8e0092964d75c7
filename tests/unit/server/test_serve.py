"""Addresses that cannot be served, before anything is."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.server.serve import listen, serve

pytestmark = pytest.mark.stores("memory")


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 99_999), ("127.0.0.1", -1), ("localhost.invalid", 0)])
def test_an_address_that_cannot_be_taken_is_one_clear_line(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, host: str, port: int
) -> None:
    monkeypatch.setattr("clew.server.serve.is_loopback", lambda _host: True)
    with pytest.raises(UsageError, match="cannot be taken: "):
        serve(engine, host=host, port=port, announce=print)


def test_a_port_that_is_taken_is_named(engine: Engine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} cannot be taken: Address already in use"):
            serve(engine, host="127.0.0.1", port=port, announce=print)


def test_nobody_is_served_elsewhere_while_nobody_has_a_token(engine: Engine) -> None:
    with pytest.raises(UsageError, match="but nobody has a token"):
        serve(engine, host="0.0.0.0", port=0, announce=print)


def test_a_reply_does_not_wait_for_the_caller_to_acknowledge_its_head() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        taken, _ = listener.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_packages_of_mcp_are_loaded_when_it_is_called() -> None:
    """They take as long as all else until the server is ready."""
    look = "import sys, clew.server.serve; print(*sorted({'mcp', 'mcp_types'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_lines_in_the_log_say_that_the_server_writes_them() -> None:
    """The MCP server, which is loaded later, has a word of its own for them."""
    code = (
        "import logging, clew, clew.server.serve as serve; serve.set_up_logs();"
        "from clew.mcp_server.server import make_server; make_server(clew.open(':memory:'));"
        "logging.getLogger('any').warning('hello'); logging.getLogger('clew.gateway').info('{}')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stderr.splitlines() == ["clew serve: hello", "{}"]
