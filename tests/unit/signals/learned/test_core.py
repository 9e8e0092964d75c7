"""The core tier tells what should last from what is for now, alike for the same words, and quickly enough."""

from __future__ import annotations

import pytest

from clew.domain.critical import ItemKind
from clew.signals.learned.core import CORE
from clew.signals.learned.tier import Certainty, Reading, SentenceInContext


def read(text: str) -> Reading:
    return CORE.read([SentenceInContext(text, text)])[0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("From now on every commit message starts with the ticket number.", ItemKind.INSTRUCTION),
        ("Exports must open in LibreOffice without a warning.", ItemKind.REQUIREMENT),
        ("We go with SQLite for the cache.", ItemKind.DECISION),
    ],
)
def test_what_lasts_is_told_with_its_kind(text: str, kind: ItemKind) -> None:
    reading = read(text)
    assert reading.lasting > 0.5
    assert reading.kind is kind


@pytest.mark.parametrize("text", ["thanks, looks good", "why does the login test fail on CI?", "fix the failing test"])
def test_what_is_for_now_is_not(text: str) -> None:
    assert read(text).certainty is Certainty.NONE


@pytest.mark.parametrize("text", ["", " ", "\x00", "🙂" * 500, "always " * 2_000, "\ud800", "a" * 100_000])
def test_any_text_is_read(text: str) -> None:
    reading = read(text)
    assert 0.0 <= reading.lasting <= 1.0
    assert sum(reading.kinds.values()) == pytest.approx(1.0)


def test_the_same_words_are_read_alike() -> None:
    assert read("Keep the old endpoint alive.") == read("Keep the old endpoint alive.")
