"""Heads of lines of a talk: when something was said, and by whom."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clew.text.speech import SpeechHead, speech_head


def at(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("line", "speaker", "moment", "said"),
    [
        ("(1:56 pm on 8 May, 2023) Ana: Hi there", "Ana", at(2023, 5, 8, 13, 56), "Hi there"),
        ("(12:09 am on 13 September, 2023) Ben: Since I was 17", "Ben", at(2023, 9, 13, 0, 9), "Since I was 17"),
        ("[2024-03-02 18:20] Mary Ann: yes", "Mary Ann", at(2024, 3, 2, 18, 20), "yes"),
        ("[12 March 2024] the harbour closes", "", at(2024, 3, 12), "the harbour closes"),
        ("Ana: Hi there", "Ana", None, "Hi there"),
    ],
)
def test_a_head_says_who_and_when(line: str, speaker: str, moment: float | None, said: str) -> None:
    head = speech_head(line)
    assert (head.speaker, head.at, line[head.end :]) == (speaker, moment, said)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Hi there",
        "(see below) it works",
        "[x] done",
        "[link](https://a.example/2024)",
        "(in May) maybe",
        "12:30 lunch",
    ],
)
def test_a_line_without_a_head_is_all_said(line: str) -> None:
    assert speech_head(line) == SpeechHead()
