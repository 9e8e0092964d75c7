"""The guard: who is let through, and as whom."""

from __future__ import annotations

import pytest

from clew.server.guard import GuardRules, is_loopback

LOCAL = GuardRules(host="127.0.0.1", port=7717)
EVERYWHERE = GuardRules(host="0.0.0.0", port=7717, names=("clew.example.org",))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1.2.3"])
def test_addresses_of_this_machine(host: str) -> None:
    assert is_loopback(host)
    assert GuardRules(host=host, port=1).is_local


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", "", "127.0.0.1.evil.org"])
def test_all_others_can_be_reached_from_elsewhere(host: str) -> None:
    assert not is_loopback(host)


def test_a_server_knows_its_names() -> None:
    assert all(map(LOCAL.is_own_name, ["127.0.0.1", "localhost", "::1"]))
    assert not any(map(LOCAL.is_own_name, ["evil.org", "192.168.1.2", "", "localhost.evil.org"]))
    assert all(map(EVERYWHERE.is_own_name, ["192.168.1.2", "clew.example.org", "localhost"]))
    assert not EVERYWHERE.is_own_name("evil.org")
