"""Digests are read back by the ids of their segments."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from tests.builders import user
from tests.unit.digests.sessions import reader, record


@pytest.mark.parametrize("id", ["x9", "m1", "nonsense", "x1.7"])
def test_an_unknown_id_has_no_digest(engine: Engine, id: str) -> None:
    session = engine.session("s")
    record(session, [user("hi there friend")])
    assert (reader(session).digest(id), reader(session).trio(id)) == (None, None)
