"""The benchmark of money prices what it is told, charges what has to be read again, and draws it."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from bench import money
from bench.money_items import ModelCall, Reader, model_calls, split_outputs
from bench.money_needs import (
    NameIndex,
    Rereading,
    Source,
    argument_values,
    lines_in,
    lines_replaced,
    names_in,
    names_used,
)
from bench.money_policies import (
    SYSTEM_TOKENS,
    Item,
    Prompt,
    compact_when_full,
    cost,
    mask_outputs,
    send_everything,
    with_cold_cache,
)
from bench.money_replay import ReplayResult, replay_session, system_prompt
from bench.plots import Series, line_plot
from bench.results import Figure

from clew.config import Config
from clew.domain import Message
from clew.samples import sample
from tests.builders import call, gives, output, says, user

# ── prices ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_cached_token_costs_a_tenth_and_a_written_one_a_quarter_more() -> None:
    assert cost([Prompt(0, 100), Prompt(100, 20)]) == pytest.approx(125 + 10 + 25)


def test_sending_everything_writes_each_token_once() -> None:
    told = [[Item(10)], [Item(5), Item(20, is_output=True)]]
    assert send_everything(told) == (Prompt(0, SYSTEM_TOKENS + 10), Prompt(SYSTEM_TOKENS + 10, 25))


def test_masking_writes_everything_behind_the_output_anew() -> None:
    told = [[Item(7), Item(100, is_output=True)], [Item(3), Item(50, is_output=True)]]
    whole = SYSTEM_TOKENS + 107
    assert mask_outputs(told, keep=2) == (Prompt(0, whole), Prompt(whole, 53))
    assert mask_outputs(told, keep=1) == (Prompt(0, whole), Prompt(SYSTEM_TOKENS + 7, 10 + 53))


def test_an_epoch_that_ends_leaves_what_it_is_told_to_and_writes_that_anew() -> None:
    told = [[Item(60)], [Item(60, is_output=True)], [Item(5)]]
    left = SYSTEM_TOKENS + 30
    assert compact_when_full(told, full=100, left=30) == (
        Prompt(0, SYSTEM_TOKENS + 60),
        Prompt(SYSTEM_TOKENS, 30),
        Prompt(left, 5),
    )
    assert compact_when_full(told, full=100, left=30, outputs=0.5)[1] == Prompt(SYSTEM_TOKENS + 60, 30)


def test_a_cold_cache_has_nothing() -> None:
    bill = (Prompt(0, 10), Prompt(10, 1), Prompt(11, 1))
    assert with_cold_cache(bill, [0.0, 50.0, 400.0], 300.0) == (Prompt(0, 10), Prompt(10, 1), Prompt(0, 12))


# ── what has to be read again ────────────────────────────────────────────────────────────────────────


def test_names_are_files_with_and_without_directory_and_words_of_code() -> None:
    found = names_in(
        "look at src/app/tides.py, README.md and readTides in tide_table of 3f9c2ab, not at this in_progress"
    )
    assert found == {"tides.py", "app/tides.py", "README.md", "readTides", "tide_table", "3f9c2ab"}


def test_values_of_arguments_are_told_without_their_names_and_json_in_a_string_is_opened() -> None:
    assert list(argument_values({"cmd": '{"path": "a\\nb"}', "count": 2, "none": None, "all": ["x"]})) == [
        "a\nb",
        "2",
        "x",
    ]
    assert list(argument_values("{broken")) == [" broken"]


def test_a_reply_uses_the_names_it_says_and_the_paths_it_gives() -> None:
    reply = says("readTides next, as in lib/other.py", call("c1", file_path="/repo/src/tides.py"))
    assert names_used(reply) == {"readTides", "other.py", "tides.py", "src/tides.py"}


def test_lines_that_are_replaced_have_to_be_known_word_for_word() -> None:
    edit = call("c1", "Edit", edits=[{"old_string": "  return high_water\n}", "new_string": "return low_water"}])
    patch = call("c2", "shell", cmd="*** Begin Patch\n def tides():\n-    return None, always\n+    return []")
    assert lines_replaced(says(edit, patch)) == {"\nreturn high_water", "\ndef tides():", "\nreturn None, always"}
    assert lines_in("   12→    return high_water\n13\tx") == {"\nreturn high_water"}


def test_the_smallest_output_is_read_again_and_a_message_where_no_output_holds_it() -> None:
    known = NameIndex()
    large, small = Source(1, 900, frozenset({"a", "b"})), Source(2, 90, frozenset({"a"}))
    words = Source(3, 5, frozenset({"a", "c"}))
    known.add_output(large)
    known.add_output(small)
    known.add_message(words)
    assert known.missing(frozenset({"a", "b", "c", "never told"}), {"b"}) == {"a": small, "c": words}
    assert (known.last("a"), known.last("b")) == (3, 1)


def test_what_is_read_again_is_written_once_carried_on_and_costs_one_more_call() -> None:
    reading, both, one = Rereading(), Source(1, 50, frozenset({"a", "b"})), Source(2, 20, frozenset({"b"}))
    fetched = reading.fetch({"a": both, "b": one})
    assert fetched == [both]
    assert reading.charge(Prompt(100, 10), fetched) == Prompt(100 + 110, 10 + 50)
    assert reading.charge(Prompt(110, 10), reading.fetch({"b": one})) == Prompt(110 + 50, 10)
    reading.forget()
    assert reading.fetch({"b": one}) == [one]
    assert (reading.needs, reading.rereads, reading.tokens) == (3, 2, 70)


# ── a session, told ──────────────────────────────────────────────────────────────────────────────────


def test_every_reply_is_a_call_and_is_told_with_the_next() -> None:
    asked, first, given, last = user("go"), says(call("c1")), gives(output("c1")), says("done")
    assert model_calls([asked, first, given, last]) == [ModelCall((asked,), first), ModelCall((first, given), last)]


def test_a_call_and_its_output_in_one_message_are_told_one_after_the_other() -> None:
    asked, given = call("c1"), output("c1", "free")
    assert list(split_outputs(says("I look.", asked, given))) == [says("I look.", asked), gives(given)]
    assert list(split_outputs(gives(given))) == [gives(given)]


def test_the_system_prompt_has_the_size_it_is_said_to_have() -> None:
    reader = Reader()
    assert reader.tokens(system_prompt(reader)) == SYSTEM_TOKENS
    assert reader.names(system_prompt(reader)) == lines_in(system_prompt(reader))


def _work(steps: int) -> list[Message]:
    """Files read one after the other; the last reply uses a name that stood in the first of them alone."""
    told = [user("Read all parts of the harbour, then tell which one is wrong.")]
    for at in range(steps):
        body = "\n".join(f"{line}\tberth {line} of part {at} is free" for line in range(1, 120))
        text = f"{body}\nfirstMooringLine" if at == 0 else body
        told += [says(call(f"c{at}", "Read", file_path=f"/port/part{at}.txt")), gives(output(f"c{at}", text))]
    return [*told, says("It is firstMooringLine that is wrong.")]


def _replay(steps: int, window: int) -> ReplayResult:
    return replay_session(model_calls(_work(steps)), Config(), Reader(), window=window)


def test_a_short_session_is_sent_whole_and_nothing_is_read_again() -> None:
    life = _replay(steps=3, window=200_000)
    assert (life.compactions, life.needs, life.rereads, life.broken) == ((), 0, 0, 0)
    assert life.charged == life.sent
    assert all(now.cached == before.tokens for before, now in pairwise(life.sent))


def test_a_session_that_outgrows_its_window_is_compacted_and_its_prefix_stands_between() -> None:
    life = _replay(steps=25, window=40_000)
    assert len(life.sent) == 26
    assert life.broken == 0
    assert all(one.after < one.before for one in life.compactions)
    switched = {one.call for one in life.compactions}
    assert switched
    assert {at for at in range(1, 26) if life.sent[at].cached != life.sent[at - 1].tokens} == switched
    assert len(life.switch_ms) == len(switched)
    assert cost(life.sent) <= cost(life.charged) <= cost(life.all_charged)


# ── figures and picture ──────────────────────────────────────────────────────────────────────────────


def test_the_sample_is_priced_under_every_policy() -> None:
    done = money.price_session(sample(), {"balanced": Config()}, least=(1, 1), most=30)
    assert done is not None
    assert {len(bill) for bill in (done.whole, *done.plain.values(), done.clew["balanced"].charged)} == {30}
    figures = [*money.plain_figures([done]), *money.clew_figures("balanced", [done], has_goal=False)]
    assert figures[:2] == [Figure("money", "sessions", 1), Figure("money", "calls a session", 30)]
    assert {figure.group for figure in figures} == {"money", "money, balanced"}
    assert len(list(money.session_lines([done]))) == 2
    assert money.draw_session(done).count("<polyline") == 5


def test_a_session_that_is_too_short_is_left_out() -> None:
    assert money.price_session(sample(), {}, least=(10_000, 1)) is None


_TICKS_TO_2 = {"0", "1", "2"}
_TICKS_TO_900 = {"0", "200", "400", "600", "800", "1k"}


def test_a_picture_has_a_line_for_each_series_and_a_ring_for_each_mark() -> None:
    drawn = line_plot([Series("a < b", [1, 2]), Series("c", [3, 900], (1,), "once", True)], title="t", x="x", y="y")
    root = ElementTree.fromstring(drawn)
    tags = [node.tag.rpartition("}")[2] for node in root.iter()]
    assert (tags.count("polyline"), tags.count("circle")) == (2, 1)
    texts = {node.text for node in root.iter() if node.tag.endswith("text")}
    assert texts - {None} == {"t", "x", "y", "a < b", "c", "once", *_TICKS_TO_900, *_TICKS_TO_2}
