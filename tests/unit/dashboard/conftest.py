"""A server with its page over an engine in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from clew.engine.engine import Engine
from clew.gateway.upstreams import upstreams_of
from clew.server.application import make_application
from clew.server.guard import GuardRules


@pytest.fixture
def page(engine: Engine) -> Iterator[TestClient]:
    app = make_application(engine, GuardRules(host="127.0.0.1", port=7717), upstreams_of(engine.config.gateway))
    with TestClient(app, base_url="http://127.0.0.1:7717") as client:
        yield client
