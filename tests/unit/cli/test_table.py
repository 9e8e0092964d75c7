"""Tables fit the terminal, whatever stands in them."""

from __future__ import annotations

import pytest

from clew.cli.table import clip_to_columns, short_ids, table, width


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


def test_columns_are_aligned_to_their_sides() -> None:
    assert table(["id", "title", "tokens"], [["a", "Login", "12"], ["bcd", "x", "3456"]], right=["tokens"]) == [
        "id   title  tokens",
        "──────────────────",
        "a    Login      12",
        "bcd  x        3456",
    ]


@pytest.mark.parametrize("title", ["word " * 40, "修复登录页面的错误" * 9, "👍🏽 cafe\u0301 " * 20, ""])
def test_the_longest_column_gives_way_and_lines_fit(title: str) -> None:
    lines = table(["id", "title", "tokens"], [["a" * 12, title, "12.3k"], ["b", "short", "1"]], cut="title")
    assert max(map(width, lines)) <= 40
    assert all("12.3k" in line for line in lines if "aaa" in line)


def test_columns_that_can_be_missed_give_way_before_a_title_gets_too_short() -> None:
    rows = [["a1", "A title of some length", "a client of a long name", "12.3k"]]
    lines = table(["id", "title", "client", "tokens"], rows, cut="title", drop=["client", "tokens"])
    assert lines[0].split() == ["id", "title", "tokens"]
    assert lines[2] == "a1  A title of some length  12.3k"


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert (width("abc"), width("修复"), width("cafe\u0301")) == (3, 4, 4)
    assert clip_to_columns("修复登录", 8) == "修复登录"
    assert clip_to_columns("修复登录", 6) == "修复…"


def test_an_id_is_shown_as_far_as_it_takes_to_name_its_session() -> None:
    ids = ["dcbd574d-35a7-5c9d-9236-52c33d57a3a6", "dcbd574d-35ff-5c9d-9236-52c33d57a3a6", "login", "0c1d" * 9]
    short = short_ids(ids)
    assert short == ["dcbd574d-35a", "dcbd574d-35f", "login", "0c1d0c1d"]
    assert all(sum(other.startswith(one) for other in ids) == 1 for one in short)


def test_an_id_that_begins_another_one_stays_whole() -> None:
    assert short_ids(["release-2026-autumn", "release-2026-autumn-2"]) == [
        "release-2026-autumn",
        "release-2026-autumn-",
    ]


def test_where_one_column_is_not_enough_the_widest_give_way() -> None:
    row = ["a" * 20, "b" * 20, "title", "12.3k"]
    lines = table(["session", "client", "title", "tokens"], [row], cut="title")
    assert max(map(width, lines)) <= 40
    assert "12.3k" in lines[-1]
