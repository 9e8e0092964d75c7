"""What a rule's sentence says: what it forbids, quotes and needs leave for."""

from __future__ import annotations

import pytest

from clew.signals.adherence.checks.rule import RuleSentence, number, read


def rule(text: str) -> RuleSentence:
    found = read(text)
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("text", "forbidden", "wanted"),
    [
        ("Never use emojis, tables or headings", ["emojis", "tables", "headings"], []),
        ("No semicolons, single quotes", ["semicolons"], ["single"]),
        ("Use tables, but no emojis", ["emojis"], ["tables"]),
        ("Use prose instead of bullets", ["bullets"], ["prose"]),
        ("Don't use bullets; write prose", ["bullets"], ["prose"]),
    ],
)
def test_a_word_is_forbidden_or_wanted_by_its_clause(text: str, forbidden: list[str], wanted: list[str]):
    read_rule = rule(text)
    at = {word: read_rule.forbids_at(read_rule.body.index(word) + len(word)) for word in (*forbidden, *wanted)}
    assert at == dict.fromkeys(forbidden, True) | dict.fromkeys(wanted, False)


def test_what_is_quoted_is_found_by_its_mark():
    found = rule('Use `fold_all` and "open"')
    assert found.body == "use «0» and «1»"
    assert [(one.text, one.is_code) for one in found.quotes(found.body)] == [("fold_all", True), ("open", False)]


@pytest.mark.parametrize("text", ["Never push unless I ask you to", "Don't merge without my approval"])
def test_leave_that_a_person_has_to_give_is_no_condition(text: str):
    assert rule(text).needs_leave


def test_a_condition_that_is_not_understood_gives_no_rule():
    assert read("Use tables once the store is open") is None


def test_numbers_are_read_in_words():
    assert [number(text) for text in ("7", "seven", "a single", "two hundred")] == [7, 7, 1, 200]
