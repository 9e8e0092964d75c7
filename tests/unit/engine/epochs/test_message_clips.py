"""Messages that are larger than their room: clipped in the middle, with a marker that leads to the whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

import clew
from clew import rules
from clew.codecs import jsonio, registry
from clew.domain import Media, Message
from clew.engine.engine import Engine
from clew.engine.epochs.message_clips import clip_messages, clip_text
from clew.packing.report import Omission
from clew.tokens import count_message, tokenizer_for
from tests.builders import call, gives, output, says, user
from tests.effort import first

BUDGET = 3_000
LOG = "\n".join(f"line {n} of the log: value_{n} is {n * 37}" for n in range(1_500))
DENSE = "".join(chr(0x4E00 + n * 7 % 20_000) for n in range(12_000))
IMAGE = Media(media_type="image/png", data="iVBORw0KGgo=", name="quay.png")

TARGETS = [*registry.PROVIDERS, "text"]


def body_of(pack: clew.Pack) -> str:
    return pack.text if pack.target == "text" else jsonio.dumps(pack.request()).decode()


def units(pack: clew.Pack) -> list[bytes]:
    """Blocks in order, without marks for the cache."""
    found = []
    for item in pack.request()[registry.MESSAGE_LISTS[pack.target]]:
        blocks = item.get("content", item.get("parts"))
        for block in blocks if isinstance(blocks, list) else [item]:
            found.append(jsonio.dumps([item.get("role"), {k: v for k, v in block.items() if k != "cache_control"}]))
    return found


def ensure_sound(pack: clew.Pack) -> None:
    assert pack.tokens <= pack.budget
    assert pack.target == "text" or rules.check(pack.request(), pack.target, final=True) == []


def clipped(pack: clew.Pack) -> list[Omission]:
    return [one for one in pack.left_out if one.shown_as == "clipped"]


@pytest.mark.stores("memory")
@pytest.mark.parametrize("words", [LOG, DENSE], ids=["log", "dense"])
@pytest.mark.parametrize("target", first(TARGETS, 2))
def test_a_newest_request_larger_than_its_room_is_clipped_and_the_room_is_used(
    engine: Engine, target: str, words: str
) -> None:
    session = engine.session("s")
    session.record([user("hi"), says("hello"), user(words)])
    pack = session.pack(budget=BUDGET, target=target)
    ensure_sound(pack)
    assert pack.tokens > 0.6 * BUDGET
    assert words[:25] in body_of(pack)
    assert words[-15:] in body_of(pack)
    if target != "text":
        assert [(one.id, one.reason.count("of its")) for one in clipped(pack)] == [("m3", 1)]
        assert "whole: m3]" in body_of(pack)
    assert session.recall("m3")[0].text.endswith(words)


@pytest.mark.parametrize("target", first(registry.PROVIDERS, 2))
def test_the_clipped_form_stands_until_the_epoch_ends(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("hi"), says("hello"), user(LOG)])
    first = session.pack(budget=BUDGET, target=target)
    session.record([says("I have read what is there.")])
    second, other = session.pack(budget=BUDGET, target=target), engine.find("s").pack(budget=BUDGET, target=target)
    assert units(second)[: len(units(first))] == units(first)
    assert (other.digest, second.epoch) == (second.digest, first.epoch)


@pytest.mark.stores("memory")
@pytest.mark.parametrize("target", registry.PROVIDERS)
def test_a_newest_output_larger_than_its_room_is_sent_in_part(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("look"), says(call("c1", "Read", file_path="a.txt")), gives(output("c1", DENSE))])
    pack = session.pack(budget=BUDGET, target=target)
    ensure_sound(pack)
    assert pack.tokens > 0.25 * BUDGET  # outputs stay within the share of an epoch that grows
    assert DENSE[:40] in body_of(pack)
    shortened = [one for one in pack.left_out if one.shown_as == "curated"]
    assert session.recall(shortened[0].id)[0].text == DENSE


@pytest.mark.stores("memory")
def test_a_huge_request_that_was_answered_is_still_sent_in_part(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("hi"), says("hello"), user(LOG), says("I see.")])
    pack = session.pack("and now?", budget=BUDGET, target="anthropic")
    ensure_sound(pack)
    assert [one.id for one in clipped(pack)] == ["m3"]
    assert LOG[:25] in body_of(pack)


@pytest.mark.parametrize("target", first(TARGETS, 2))
def test_a_query_that_is_too_large_is_sent_in_part_and_recorded_whole(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("hi"), says("hello")])
    pack, again = (session.pack(LOG, budget=BUDGET, target=target) for _ in range(2))
    ensure_sound(pack)
    assert pack.tokens > 0.6 * BUDGET
    assert (again.digest, again.epoch) == (pack.digest, pack.epoch)
    assert len(clipped(pack)) == 1
    if target == "text":
        return
    assert session.recall(clipped(pack)[0].id)[0].text == LOG
    session.record([says("I have read it.")])
    assert [message.text for message in session.messages()][2:] == [LOG, "I have read it."]
    after = session.pack(budget=BUDGET, target=target)
    assert units(after)[: len(units(pack))] == units(pack)
    assert [one.id for one in clipped(after)] == ["m3"]


@pytest.mark.stores("memory")
@pytest.mark.parametrize("target", registry.PROVIDERS)
def test_a_tool_response_that_is_too_large_is_sent_in_part(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("look"), says(call("c1", "Read", file_path="a.txt"))])
    pack = session.pack(DENSE, budget=BUDGET, target=target, kind="tool_response", tool_id="c1")
    ensure_sound(pack)
    assert DENSE[:40] in body_of(pack)
    assert session.recall(clipped(pack)[0].id)[0].text == DENSE


@pytest.mark.stores("memory")
@pytest.mark.parametrize("target", registry.PROVIDERS)
def test_an_image_beyond_its_share_leaves_the_message_and_is_named(engine: Engine, target: str) -> None:
    session = engine.session("s", model="claude-sonnet-4-5")
    session.record([user("hi"), says("hello"), user("What does the picture show?", IMAGE)])
    pack = session.pack(budget=900, target=target)
    ensure_sound(pack)
    assert "What does the picture show?" in body_of(pack)
    assert "image/png quay.png left out" in body_of(pack)
    assert "whole: m3]" in body_of(pack)
    assert [one.id for one in clipped(pack)] == ["m3"]
    assert IMAGE.data not in body_of(pack)


@pytest.mark.stores("memory")
def test_an_image_of_a_query_or_an_output_beyond_its_share_is_named(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("look"), says(call("c1", "Read", file_path="a.png"))])
    session.record([gives(replace(seen := output("c1", "a picture"), content=(*seen.content, IMAGE)))])
    pack = session.pack(budget=900, target="anthropic")
    ensure_sound(pack)
    assert "a picture" in body_of(pack)
    assert "image/png quay.png left out" in body_of(pack)
    asked = session.pack("And this?", budget=900, target="anthropic", attachments=[IMAGE])
    ensure_sound(asked)
    assert "And this?" in body_of(asked)
    assert "image/png quay.png left out" in body_of(asked)


@pytest.mark.stores("memory")
def test_preview_compact_and_health_say_how_much_is_sent(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5", window=4_000)
    session.record([user("hi"), says("hello"), user(LOG)])
    told = [finding for finding in session.health().findings if finding.startswith("m3 ")]
    assert len(told) == 1
    assert "a part of it is sent" in told[0]
    previewed = session.compactor.preview().compaction.clipped
    assert [one.id for one in previewed] == ["m3"]
    assert session.compact().clipped == previewed
    session.pack()
    one = session.compactor.preview().compaction.clipped[0]
    expected = f"m3 is larger than its room: {one.shown:,} of its {one.tokens:,} tokens are sent"
    assert [finding for finding in session.health().findings if finding.startswith("m3 ")] == [expected]


# ── clips by themselves ──────────────────────────────────────────────────────────────────────────────


def test_a_clip_fits_and_keeps_beginning_and_end() -> None:
    tokenizer = tokenizer_for("claude-sonnet-4-5")
    for words in (LOG, DENSE, "a" * 50_000, "word " * 9_000):
        for tokens in (120, 700, 3_000):
            found = clip_text(words, tokens, tokenizer.count, lambda shown, left: f"{shown[0]} … {left} … {shown[1]}")
            assert tokenizer.count(found) <= tokens
            assert tokenizer.count(found) > 0.8 * tokens
            assert found.startswith(words[:20])
            assert found.endswith(words[-10:])


def test_short_texts_stay_whole_while_the_longest_is_clipped() -> None:
    tokenizer = tokenizer_for("text")

    def size(message: Message) -> int:
        return count_message(message, tokenizer)

    short = "word " * 60
    given = [user(short, LOG, "the end")]
    found = clip_messages(given, 1_000, size=size, count=tokenizer.count)
    assert size(found.messages[0]) <= 1_000
    assert [part.text for part in found.messages[0].parts if part.text != LOG][::2] == [short, "the end"]
