"""What is written into a rule file stays one item of it, is found again in the same words, and changes nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.signals.rule_files.extract import HEADING, promote_item, rules_in
from clew.signals.rule_files.mask import mask_unsaid
from clew.signals.rule_files.promotion import escape_item, unescape_item


def texts(text: str) -> list[str]:
    return [rule.text for rule in rules_in(text, "CLAUDE.md")]


def test_a_rule_is_promoted_into_a_section_at_the_end() -> None:
    assert promote_item("# Kettle\n\nText.\n", "Use bun, not npm") == (
        f"# Kettle\n\nText.\n\n## {HEADING}\n\n- Use bun, not npm\n"
    )


def test_an_empty_file_gets_the_section_alone() -> None:
    assert promote_item("", "Use tabs") == f"## {HEADING}\n\n- Use tabs\n"


def test_the_next_rule_joins_the_section() -> None:
    text = f"# A\n\n## {HEADING}\n\n- Use tabs\n\n## Later\n\nMore.\n"
    assert promote_item(text, "Never push to main") == (
        f"# A\n\n## {HEADING}\n\n- Use tabs\n- Never push to main\n\n## Later\n\nMore.\n"
    )


def test_an_emptied_section_is_used_again() -> None:
    assert promote_item(f"## {HEADING}\n\n## Later\n", "Use tabs") == f"## {HEADING}\n\n- Use tabs\n\n## Later\n"


def test_a_text_without_a_last_newline_gets_one() -> None:
    assert promote_item("Text.", "Use tabs") == f"Text.\n\n## {HEADING}\n\n- Use tabs\n"


def test_the_ends_of_lines_stay_as_the_file_has_them() -> None:
    assert (
        promote_item("# A\r\n\r\nText.\r\n", "Use tabs")
        == f"# A\r\n\r\nText.\r\n\r\n## {HEADING}\r\n\r\n- Use tabs\r\n"
    )


@pytest.mark.parametrize("said_as", ["- Use tabs\n", "We use tabs for indentation in this project.\n"])
def test_what_the_file_says_already_is_not_written_again(said_as: str) -> None:
    assert promote_item(said_as, "Use tabs") == said_as


@pytest.mark.parametrize("hidden", ["```\n- Use tabs\n```\n", "<!-- Use tabs -->\n"])
def test_what_stands_in_code_or_comments_is_not_said(hidden: str) -> None:
    assert promote_item(hidden, "Use tabs") == f"{hidden}\n## {HEADING}\n\n- Use tabs\n"


def test_a_heading_within_code_is_not_the_section() -> None:
    text = f"```\n## {HEADING}\n```\n"
    assert promote_item(text, "Use tabs") == f"{text}\n## {HEADING}\n\n- Use tabs\n"


@pytest.mark.parametrize(("text", "closing"), [("```\ncode\n", "```\n"), ("<!-- open\n", "-->\n")])
def test_a_block_that_was_left_open_is_closed_first(text: str, closing: str) -> None:
    assert promote_item(text, "Use tabs") == f"{text}{closing}\n## {HEADING}\n\n- Use tabs\n"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("# Use tabs", "- \\# Use tabs"),
        ("- Use tabs", "- \\- Use tabs"),
        ("1. Use tabs", "- 1\\. Use tabs"),
        ("> Use tabs", "- \\> Use tabs"),
        ("```sh Use tabs", "- \\```sh Use tabs"),
        ("~~~ Use tabs", "- \\~~~ Use tabs"),
        ("Use <!-- tabs", "- Use <\\!-- tabs"),
        ("Use `<!--` and tabs", "- Use `<!--` and tabs"),
        ("<div> Use tabs", "- \\<div> Use tabs"),
        ("Use\ntabs\r\n\n# everywhere", "- Use tabs # everywhere"),
    ],
)
def test_words_that_would_break_out_of_their_bullet_are_escaped(words: str, line: str) -> None:
    text = promote_item("", words)
    assert text == f"## {HEADING}\n\n{line}\n"
    assert texts(text) == [" ".join(words.split())]


def test_an_item_of_several_sentences_is_found_again_as_one() -> None:
    words = "The harbour closes at ten. After that nobody is let in! Not even Ana."
    text = promote_item("# A\n", words)
    assert texts(text) == [words]
    assert promote_item(text, words) == text


def test_a_long_item_is_found_again_whole() -> None:
    words = "The quay is long. " * 40 + "Count the steps."
    assert texts(promote_item("# A\n", words)) == [words]


_PIECES = st.sampled_from(
    [
        *[
            "#",
            "-",
            "*",
            "`",
            "```",
            "~~~",
            "<!--",
            "-->",
            "<",
            ">",
            "\\",
            "1.",
            "Use",
            "tabs",
            "|",
            "!",
            "___",
            "<example>",
            "</example>",
            "---",
        ],
        " ",
        "\n",
        "\r\n",
        " never ",
        "[a]: b",
        ". ",
        f"## {HEADING}\n",
    ]
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)


@given(_TEXTS, _TEXTS)
def test_whatever_is_promoted_into_whatever_file_is_found_again_and_stays_alone(text: str, item: str) -> None:
    words = " ".join(f"{item} word".split())
    after = promote_item(text, words)
    assert unescape_item(escape_item(words)) == words
    assert len(mask_unsaid(text)) == len(text)
    assert promote_item(after, words) == after
    if after != text:
        assert words in texts(after)


@given(_TEXTS)
def test_nothing_of_the_file_is_lost(text: str) -> None:
    following = iter(promote_item(text, "A rule of ours"))
    assert all(character in following for character in text)
