"""The benchmark of compactions times what it says, and never lets the history know what comes next."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import compaction
from bench.compaction_epochs import (
    Case,
    LocatedMessage,
    Scores,
    case_figures,
    case_lines,
    locate_messages,
    replay_cuts,
    sent_text,
    split_history,
    unique_cases,
)
from bench.results import Figure

from clew.domain import Json
from clew.samples import sample
from tests.builders import says, user
from tests.work import work


@pytest.mark.thorough
def test_a_made_up_session_is_timed_for_each_model_where_there_is_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_BENCH_DATA", raising=False)
    found = compaction.run(tokens=2_000, rounds=1)
    assert {figure.group for figure in found} == {"compaction, gpt-5", "compaction, claude-sonnet-4-5"}
    assert found[0] == Figure("compaction, gpt-5", "sessions", 1, "of 2,000 tokens")
    goals = {figure.name: figure.goal for figure in found if figure.goal}
    assert goals == {
        "compact": "< 250",
        "compact, store just opened": "< 250",
        "suggest": "< 50",
        "suggest, store just opened": "< 50",
    }


def test_switches_are_told_beside_packs_that_go_on() -> None:
    times = compaction.Times([4], {"a pack that goes on": [2.0, 4.0], "a pack that switches": [9.0]})
    assert list(compaction.time_figures("c", times, 100))[1:] == [
        Figure("c", "messages a session", 4),
        Figure("c", "a pack that goes on", 3.0, "ms; at most 4 of 2"),
        Figure("c", "a pack that switches", 9.0, "ms; at most 9 of 1; 3.0 × a pack that goes on", "< 50"),
    ]


def test_a_session_is_told_up_to_so_many_tokens_or_not_at_all() -> None:
    messages = [user("one two three"), says("four five six"), user("seven")]
    assert compaction.first_tokens(messages, 10) == messages[:2]
    assert compaction.first_tokens(messages, 1_000) == []


# ── what is left after several ───────────────────────────────────────────────────────────────────────


def test_every_message_knows_the_lines_that_tell_it() -> None:
    found = locate_messages(sample())
    lines = [line for one in found for line in one.lines]
    assert len(lines) == len(set(lines))
    assert all(one.message.text[:20] in _unescaped(one.lines) for one in found[:5])


def _unescaped(lines: tuple[int, ...]) -> str:
    told = Path(sample()).read_text("utf-8").split("\n")
    return "\n".join(told[line] for line in lines).replace('\\"', '"').replace("\\n", "\n")


def test_what_is_sent_at_a_cut_says_nothing_of_what_comes_next() -> None:
    messages = work(80)
    cuts = list(replay_cuts([LocatedMessage(message, (2 * at,)) for at, message in enumerate(messages)]))
    assert [cut.nth for cut in cuts] == [1, 3, 5][: len(cuts)]
    assert cuts
    for cut in cuts:
        here = max(cut.lines_told) // 2 + 1
        assert cut.lines_told == {2 * at for at in range(here)}
        reading = [message.text for message in messages[here:] if message.text.startswith("Reading")]
        assert not any(text in cut.text for text in reading)
        assert 0 < cut.tokens < cut.everything


def test_the_history_is_what_was_told_and_the_rest_ends_where_the_agent_compacted() -> None:
    flags = ["", "compact_summary", "", "meta", "compact_boundary", "", "compact_summary", ""]
    messages: list[Json] = [{"line": at, "flag": flag} for at, flag in enumerate(flags)]
    before, after = split_history(messages, frozenset({0, 2}))
    assert ([one["line"] for one in before], [one["line"] for one in after]) == ([0, 2], [3, 5])


def test_a_request_is_read_without_system_prompt_line_numbers_and_names_of_arguments() -> None:
    call = {"function": {"name": "Edit", "arguments": '{"file_path": "a.py", "new_string": "x\\ny"}'}}
    items: list[Json] = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "12: keep"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "   12→done\n13\tnow"},
    ]
    assert sent_text(items) == "12: keep\n\na.py\nx\ny\ndone\nnow"
    assert sent_text(items, with_calls=False) == "12: keep\n\ndone\nnow"


_SCORES: Scores = {"bits": 0.8, "paths": None, "bound": 0.5, "names": 1.0, "words": 1.0, "stale": 0.01}


def _case(session: str, nth: int) -> Case:
    without_calls = _SCORES | {"stale": 0.002}
    return Case(session, nth, 100, 400, ours=_SCORES, without_calls=without_calls, newest=_SCORES | {"bits": 0.6})


def test_a_session_that_stands_in_two_files_counts_once() -> None:
    assert unique_cases([_case("a", 1), _case("b", 1), _case("a", 3)]) == [_case("a", 1), _case("a", 3)]


def test_figures_are_told_for_each_compaction_beside_the_newest_messages() -> None:
    found = {(figure.group, figure.name): figure for figure in case_figures([_case("a", 1), _case("b", 3)])}
    first = "epochs, 1st"
    assert found[first, "bits"] == Figure(first, "bits", 0.8, "of 1", ">= 0.76")
    assert found[first, "paths"] == Figure(first, "paths", 0.0, "of 0", ">= 0.95")
    assert found[first, "stale, calls left out"].value == 0.002
    assert found[first, "fewer tokens"] == Figure(first, "fewer tokens", 0.75, "of everything", ">= 0.7")
    newest = "epochs, 1st, newest messages"
    assert found[newest, "bits"] == Figure(newest, "bits", 0.6, "of 1")
    assert found["epochs, 5th", "cases"].value == 0
    assert [line.split()[:3] for line in case_lines([_case("a", 1)])][1:] == [["1", "100", "400"]]
