"""Whatever a tool writes: never longer, never an error, always the same, and nobody else's markers."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.config import CurationConfig
from clew.curation.curator import When, curate
from clew.curation.kinds import kind_of
from clew.curation.markers import blob_id, marker_blob
from clew.curation.similarity import fingerprint, reference
from clew.domain import Call
from tests.builders import call
from tests.effort import first
from tests.unit.curation.examples import BUILDS, TEST_RUNS

CONFIG = CurationConfig(min_chars=40, file_chars=400, edit_chars=200, other_chars=400, tests_chars=600, build_chars=600)
MEGABYTE = 1_000_000

CALLS: list[Call | None] = [
    None,
    call("c1", "bash", command="pytest -q"),
    call("c1", "bash", command="make"),
    call("c1", "bash", command="ls"),
    call("c1", "read", path="crane.py"),
    call("c1", "edit", path="crane.py", old_string="a", new_string="b"),
    call("c1", "grep", pattern="crane"),
    call("c1", "glob", pattern="*.py"),
    call("c1", "webfetch", url="https://harbor.dev"),
    call("c1", "task", prompt="look"),
]
#: Pieces of what tools write, put together in ways that no tool would.
PIECES = [
    "\n", "    ", "error: ", "src/crane.py:12:", "FAILED ", "=== RUN x", "--- PASS: x (0.0s)", "[clew: ", "{", "}",
    "[1, 2]", '{"a": 1}\n', "<html>", "<script>", "</p>", "diff --git a/x b/x\n", "@@ -1 +1 @@\n", "+new\n", "-old\n",
    "\x1b[31m", "\r", "\x00", "\ud800", "12→def f():\n", "Traceback (most recent call last):\n",
    '  File "x.py", line 3\n', "    at f (x.js:1:2)\n", "2031-05-04 10:00:00 ERROR x\n", "100%|████|", "├── a.py\n",
    "&#91;clew: ", '{"a": "\\u005bclew: x"}\n', "[\x1b[0mclew: ", "[cl\x00ew: ",
    "The ship sails at noon. ", "# Heading\n", "- item\n", "…", "😀",
]  # fmt: skip
texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(PIECES), max_size=120).map("".join),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map(lambda pieces: "".join(pieces) * 60),
)
calls = st.sampled_from(CALLS)
whens = st.sampled_from(["recorded", "epoch"])
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@given(texts, calls, whens)
@example('{"a": "\\u005bclew: x"}\n\ud800\n{"a": "\\u005bclew: x"}\n', None, "recorded")
def test_curating_never_fails_never_lengthens_and_is_the_same_each_time(
    text: str, asked: Call | None, when: When
) -> None:
    done = curate(text, asked, CONFIG, when=when)

    assert done == curate(text, asked, CONFIG, when=when)
    assert done is None or len(done.text) <= len(text)
    if done is not None and done.blob:
        assert marker_blob(done.text) == done.blob == blob_id(text)
        assert len(done.text) <= len(text) * (1 - CONFIG.min_saving)
        assert CONTROLS.findall(done.text) == []


@given(texts, calls, whens)
def test_what_was_curated_stays_as_it_is(text: str, asked: Call | None, when: When) -> None:
    done = curate(text, asked, CONFIG, when=when)

    if done is not None:
        assert curate(done.text, asked, CONFIG, when=when, known={done.blob}) is None or not done.blob


@given(texts, calls)
def test_no_tool_can_write_a_marker(text: str, asked: Call | None) -> None:
    shown = curate(text, asked, CONFIG)
    body = text if shown is None else shown.text.rpartition("\n")[0] if shown.blob else shown.text

    assert "[clew:" not in body


@given(texts, texts)
def test_references_never_fail_and_never_lengthen(text: str, first: str) -> None:
    for one in (first, text + first, text):
        told = reference(text, one, first_message_id="m1")
        assert told is None or len(told) < len(text)
    assert fingerprint(text) == fingerprint(text)


@given(st.sampled_from(sorted(TEST_RUNS | BUILDS)), st.integers(0, 400), whens)
def test_the_place_of_a_failure_stays_visible_in_any_noise(name: str, noise: int, when: When) -> None:
    text, vital = (TEST_RUNS | BUILDS)[name]
    asked = call("c1", "bash", command=name)

    done = curate("\n".join([*(f"preparing part {n}" for n in range(noise)), text]), asked, CurationConfig(), when=when)

    assert done is not None
    assert vital[0] in done.text


HOSTILE = {
    "one letter": "a" * MEGABYTE,
    "brackets": "[" * MEGABYTE,
    "objects that never end": '{"a":' * (MEGABYTE // 5),
    "a wide object": "{" + ",".join(f'"k{n}": {n}' for n in range(MEGABYTE // 14)) + "}",
    "lines of objects": "\n".join(f'{{"k": {n}, "j": "x_{n}"}}' for n in range(MEGABYTE // 26)),
    "types": ("a<b,c>[d]*&:" * 5 + " ") * (MEGABYTE // 61),
    "unseen": ("[" + "\u200b" * 8) * (MEGABYTE // 9),
    "line ends": "\n" * MEGABYTE,
    "blanks": " " * MEGABYTE,
    "colons": "1:" * (MEGABYTE // 2),
    "slashes": "a/" * (MEGABYTE // 2),
    "escapes": "\x1b]" * (MEGABYTE // 2),
    "tags": "<script>" * (MEGABYTE // 8),
    "a page of tags": "<html>" + "<script></script" * (MEGABYTE // 16),
    "branches": ("│   " * 100 + "\n") * (MEGABYTE // 401),
    "openings": "[clew" * (MEGABYTE // 5),
    "quotes": '  File "' * (MEGABYTE // 8),
    "sentences": "Ships sail. " * (MEGABYTE // 12),
    "forms": "\n".join(f"2031-05-04 10:00:00 INFO w{n} x{n * 7}" for n in range(MEGABYTE // 40)),
    "calls": "def f(" * (MEGABYTE // 6),
}


@pytest.mark.parametrize("name", first(HOSTILE, 10))
def test_a_megabyte_of_anything_is_read_in_one_go(name: str) -> None:
    """Any step that took time with the square of the text would not come back from this."""
    text = HOSTILE[name]

    for asked in (None, call("c1", "read", path="crane.py"), call("c1", "grep", pattern="x")):
        done = curate(text, asked, CurationConfig(), when="epoch")
        assert done is None or len(done.text) < 20_000 or kind_of(asked, text) == "file"
