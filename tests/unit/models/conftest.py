"""Servers that misbehave on request, and a pace that does not keep anybody waiting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.models.faulty import Faulty, HandPace, serving


@pytest.fixture
def server() -> Iterator[Faulty]:
    with serving() as faulty:
        yield faulty


@pytest.fixture
def elsewhere() -> Iterator[Faulty]:
    with serving() as faulty:
        yield faulty


@pytest.fixture
def hand() -> HandPace:
    return HandPace()
