"""Whatever a model writes and however it arrives: no block that ends a reply is shown, and nothing else is lost."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.replies.parsing import Stripper, parse_reply
from clew.replies.values import Reply
from tests.effort import examples

TAG = re.compile(r"</?clew-(?:housekeeping|request)", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        "<clew-housekeeping>", "</clew-housekeeping>", "<clew-request>", "</clew-request>", "<clew-request/>",
        '<clew-request a="b">', "<CLEW-Request>", "<clew-", "</clew-re", "<", ">", "/", "{", "}", '{"model": {}}',
        '{"conversation_ids": ["x4"]}', "`", "```", "```json", "~~~", "\n", "\r\n", "\n\n", " ", "\t", "> ", "- ",
        "1. ", "words", "a b", "é😀", "\u200b", "\x00", "\ud800", "\u2028", "K", "İ",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=40))
#: Prose that opens no code and quotes nothing, and does not speak of the elements.
PROSE = st.text(st.characters(exclude_characters="`~><", exclude_categories=("Cs",)), max_size=30)
NAMES = st.sampled_from(["housekeeping", "request"])
JUNK = st.one_of(
    PROSE,
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.floats(), PROSE),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["model", "user", "conversation_ids", "format", "code_changes", "?"]), inner, max_size=3
            ),
        ),
    ).map(json.dumps),
)
BLOCKS = st.tuples(NAMES, JUNK).map(lambda pair: f"<clew-{pair[0]}>{pair[1]}</clew-{pair[0]}>")
BLANKS = st.text(st.sampled_from(" \t\r\n\u2003"), max_size=4)
TAILS = st.lists(st.tuples(BLOCKS, BLANKS).map("".join), min_size=1, max_size=3).map("".join)


def streamed(text: str, cuts: list[int]) -> tuple[str, Reply]:
    stripper = Stripper()
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    shown = [stripper.feed(text[start:end]) for start, end in pairwise(places)]
    shown.append(stripper.close())
    return "".join(shown), stripper.reply


@settings(deadline=None, max_examples=examples(500))
@given(TEXTS, st.lists(st.integers(0, 400), max_size=12))
@example("a <clew-request>b <clew-housekeeping>{</clew-housekeeping> c</clew-request>", [])
@example("</clew-housekeeping>\u200b>", [])
def test_a_reply_is_the_same_however_it_is_cut(text: str, cuts: list[int]):
    whole = parse_reply(text)
    assert streamed(text, cuts) == (whole.content, whole)
    assert streamed(text, list(range(len(text)))) == (whole.content, whole)


@settings(deadline=None, max_examples=examples(500))
@given(TEXTS)
def test_what_is_shown_is_all_of_the_text_where_nothing_is_reported(text: str):
    reply = parse_reply(text)
    taken = bool(reply.findings or reply.requests or reply.housekeeping)
    assert taken is (reply.content != text)
    assert parse_reply(reply.content).content == reply.content or taken


@settings(deadline=None, max_examples=examples(300))
@given(st.text())
def test_a_text_without_tags_is_all_content(text: str):
    assert "<clew-" in text or parse_reply(text) == Reply(content=text)


@settings(deadline=None, max_examples=examples(300))
@given(PROSE, TAILS)
def test_no_block_that_ends_a_reply_is_shown(prose: str, tail: str):
    reply = parse_reply(prose + tail)
    assert reply.content == prose.rstrip()
    assert reply.findings or reply.requests or reply.housekeeping


@settings(deadline=None, max_examples=examples(300))
@given(PROSE, TAILS, st.integers(1, 400))
def test_a_reply_that_is_cut_off_in_its_blocks_shows_none_of_them(prose: str, tail: str, length: int):
    """Where the cut leaves less than the name of a tag, or words behind a tag, it cannot be told from text."""
    content = parse_reply(f"{prose}\n{tail[:length]}").content
    assert not TAG.search(content)
    assert content in {f"{prose}\n{tail[:length]}", prose.rstrip()}


@settings(deadline=None, max_examples=examples(300))
@given(PROSE, TAILS, st.sampled_from(["and on", ".", "`", "```", "<b>"]))
def test_no_block_that_words_follow_is_shown(prose: str, tail: str, words: str):
    reply = parse_reply(f"{prose}\n{tail}{words}")
    assert reply.content.split() == f"{prose}\n{words}".split()
    assert reply.findings or reply.requests or reply.housekeeping
