"""Blocks at the end of a reply are read and taken out; anything else is the user's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Finding, Origin, Text, Wire
from clew.replies.parsing import Stripper, parse_messages, parse_reply, split_notes
from clew.replies.values import Format, Priority, Reply, RetrievalRequest
from tests.builders import call, gives, output, says, thinks, user
from tests.unit.replies.words import NOTED, asks, element, notes


def rules(reply: Reply) -> list[tuple[str, int]]:
    return [(finding.rule, finding.at) for finding in reply.findings]


# ── blocks that count ────────────────────────────────────────────────────────────────────────────────


def test_a_reply_has_four_outputs():
    text = f"Done, see above.\n\n{notes()}\n{asks('x4', 'x9.2', format='mixed', priority='recent')}\n"
    assert parse_reply(text, calls=[call("c1")]) == Reply(
        content="Done, see above.",
        calls=(call("c1"),),
        housekeeping=NOTED,
        requests=(RetrievalRequest(("x4", "x9.2"), Format.MIXED, Priority.RECENT),),
    )


def test_a_reply_may_come_as_messages_with_calls_that_the_client_has_run():
    ran, waits = call("c1"), call("c2")
    messages = [says("I look.", ran), gives(output("c1")), says("And there.", waits)]
    assert parse_messages(messages) == Reply(content="I look.\nAnd there.", calls=(waits,))
    again = [*messages, gives(output("c2")), says("Once more.", waits)]  # some formats use an id again
    assert parse_messages(again).calls == (waits,)


def test_a_reply_without_blocks_is_all_content():
    assert parse_reply("  Done. \n\n") == Reply(content="  Done. \n\n")


def test_a_request_may_leave_out_what_has_a_default_and_ids_where_the_priority_says_enough():
    text = asks("x4", "x4") + asks(priority="relevant", format="header")
    assert parse_reply(text).requests == (
        RetrievalRequest(("x4",), Format.SUMMARY, Priority.SPECIFIC),
        RetrievalRequest((), Format.HEADER, Priority.RELEVANT),
    )


def test_white_space_in_a_note_is_folded_to_one_line():
    found = parse_reply(notes({"model": {"context_summary": " done\n\n# Rules\n\tobey "}})).housekeeping
    assert found == replace(type(NOTED)(), context_summary="done # Rules obey")


@pytest.mark.parametrize(
    "text",
    [
        f"Done. {asks('x4')}",
        f"- done {asks('x4')}\n\t\n",
        f"Done.\n   {asks('x4')}",
        f"Done.\n<CLEW-Request>{asks('x4')[14:-15]}</clew-REQUEST>\r\n",
        'Done.\n<clew-request>\n```json\n{"conversation_ids": ["x4"]}\n```\n</clew-request>',
        f"The ` key is done. {asks('x4')}",
        f"Done.\n{asks('x4')}\u200b\x00",
        f"Done.\n```xml\n{asks('x4')}\n```\n",
        f"Done.\n\n~~~\n{asks('x4')}",
    ],
)
def test_habits_of_models_do_no_harm(text: str):
    reply = parse_reply(text)
    assert (reply.requests, reply.findings) == ((RetrievalRequest(("x4",)),), ())
    assert "clew" not in reply.content.lower()


# ── blocks that are text ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        f"So it looks:\n```xml\n{asks('x4')}\n```",
        f"So it looks:\n~~~\n{asks('x4')}",
        f"1. so:\n   ````\n   ```\n   {asks('x4')}\n   ````\n",
        f"- ```\n  {asks('x4')}\n  ```\n",
        f"> {asks('x4')}",
        f"> he wrote\n> {notes()}\n",
        f"End with `{asks('x4')}`",
        "End with `<clew-request>` to ask for more.",
        "The element `<clew-request>`",
        "Write `<clew-request>{",
        "Write `<clew-req",
        "The <clew-request> element asks for more.",
        f"Done.\n```\nx = 1\n{asks('x4')}\n```",
        f"Done.\n```\n{asks('x4')}\nx = 1\n```",
        f"Done.\n```\n{asks('x4')}\n```\nThat is all.",
        "Ask by\n```\n<clew-request>…</clew-request>\n```",
        "if a <clew",
        "a < b and b <",
        "<clew-requests>no element of ours</clew-requests>",
        "<clew-request\n>{}",
    ],
)
def test_a_block_that_is_only_shown_is_text(text: str):
    assert parse_reply(text) == Reply(content=text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"First {asks('x4')} and then more.", "First and then more."),
        (f"First{asks('x4')} and then more.", "First and then more."),
        (f"First {asks('x4')}, then more.", "First , then more."),
        (f"So it is.\n\n{asks('x4')}\n\nThat is all.", "So it is.\n\nThat is all."),
        (f"{asks('x4')}\n\nThe answer is 4.", "The answer is 4."),
        (f"{asks('x4')}\n```\ncode\n```", "```\ncode\n```"),
        (f"The <clew-request> element: {asks('x4')} asks.", "The <clew-request> element: asks."),
    ],
)
def test_a_block_amid_words_is_taken_out_however_the_text_is_cut(text: str, shown: str):
    whole = Reply(content=shown, requests=(RetrievalRequest(("x4",)),))
    assert parse_reply(text) == whole
    for size in (1, 3, 7):
        stripper = Stripper()
        fed = [stripper.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join(fed) + stripper.close() == shown
        assert stripper.reply == whole


@pytest.mark.parametrize(
    "text",
    [
        "The <clew-request> element asks for more.\n",
        "Use `<clew-request>` so:\n```\n<clew-request>{}</clew-request>\n```\nThat is all.\n",
        "```npm i``` installs it.\n",
    ],
)
def test_words_about_blocks_do_not_hide_the_block_that_ends_the_reply(text: str):
    assert parse_reply(f"{text}{asks('x4')}") == Reply(content=text.rstrip(), requests=(RetrievalRequest(("x4",)),))


# ── blocks that are broken ───────────────────────────────────────────────────────────────────────────

BROKEN = {
    "no JSON": (element("housekeeping", "I did it"), "json"),
    "nothing": (element("request", ""), "json"),
    "half of it": (element("request", '{"conversation_ids": ["x4"'), "json"),
    "too deep": (element("request", "[" * 2000), "json"),
    "not a number": (element("request", "NaN"), "json"),
    "a list": (element("request", '["x4"]'), "schema"),
    "unknown key": (notes({"model": {"orders": "obey"}}), "schema"),
    "unknown side": (notes({"tool": {}}), "schema"),
    "says nothing": (notes({"model": {}}), "schema"),
    "wrong type": (notes({"model": {"key_decisions": "one"}}), "schema"),
    "wrong inner type": (notes({"model": {"key_decisions": [1]}}), "schema"),
    "change without path": (notes({"model": {"code_changes": [{"what": "x"}]}}), "schema"),
    "no id": (asks("the first one"), "schema"),
    "an id with more": (asks("x4</context>"), "schema"),
    "no ids": (asks(), "schema"),
    "unknown format": (asks("x4", format="everything"), "schema"),
    "format of a wrong type": (element("request", '{"conversation_ids": ["x4"], "format": {}}'), "schema"),
    "control characters": (notes({"model": {"response_header": "a\x1b[2Jb"}}), "control"),
    "marks of direction": (notes({"user": {"query_header": "a\u202eb"}}), "control"),
    "a long header": (notes({"model": {"response_header": "x" * 121}}), "too-long"),
    "many ids": (asks(*[f"x{n}" for n in range(21)]), "too-long"),
    "a long block": (notes({"model": {"context_summary": "x" * 9000}}), "too-long"),
    "attributes": ('<clew-request id="1">{"conversation_ids": ["x4"]}</clew-request>', "attributes"),
    "closes itself": ("<clew-request/>", "attributes"),
    "nested": (notes({"model": {"response_header": asks("x4")}}), "nested"),
    "nested in itself": (element("request", asks("x4")), "nested"),
    "unclosed": (notes()[:-22], "unclosed"),
    "cut off in its content": (notes()[:60], "unclosed"),
    "cut off in its closing tag": (notes()[:-3], "unclosed"),
    "cut off after its opening tag": ("<clew-request>", "unclosed"),
    "cut off in its opening tag": ("<clew-hou", "unclosed"),
    "closed by another": (notes()[:-22] + "</clew-request>", "unclosed"),
    "only closed": ("</clew-housekeeping>", "unopened"),
}


@pytest.mark.parametrize("before", ["Done.\n\n", "Done. "], ids=["own line", "same line"])
@pytest.mark.parametrize(("block", "rule"), BROKEN.values(), ids=BROKEN)
def test_a_broken_block_is_taken_out_and_reported(before: str, block: str, rule: str):
    reply = parse_reply(f"{before}{block}\n")
    assert (reply.content, reply.housekeeping, reply.requests) == ("Done.", None, ())
    assert rules(reply) == [(rule, 0)]


def test_a_broken_block_does_not_spoil_the_sound_one_beside_it():
    reply = parse_reply(f"Done.\n{element('housekeeping', '{')}\n{asks('x4')}\n<clew-")
    assert reply.requests == (RetrievalRequest(("x4",)),)
    assert reply.content == "Done."
    assert rules(reply) == [("json", 0), ("unclosed", 2)]


def test_of_several_notes_the_last_counts_and_of_many_requests_the_first_four():
    first = notes({"model": {"response_header": "quoted from a page"}})
    reply = parse_reply(first + notes() + "".join(asks(f"x{n}") for n in range(1, 7)))
    assert reply.housekeeping == NOTED
    assert reply.requests == tuple(RetrievalRequest((f"x{n}",)) for n in range(1, 5))
    assert rules(reply) == [("several", 0), ("several", 6), ("several", 7)]


def test_a_finding_says_what_was_ignored_and_why():
    assert parse_reply("Done.\n" + notes({"orders": 1})).findings == (
        Finding(
            "schema", 0, "housekeeping ignored: the block has an unknown key 'orders' (13 characters were taken out)"
        ),
    )


# ── as it streams ────────────────────────────────────────────────────────────────────────────────────


def test_words_are_shown_as_they_come_and_a_possible_block_waits():
    stripper = Stripper()
    fed = [
        "Hel",
        "lo \n",
        "you <",
        "b> and <cle",
        "f>\n<clew-re",
        'quest>{"conversation_ids"',
        ': ["x4"]}</clew-request>',
    ]
    assert [stripper.feed(delta) for delta in fed] == ["Hel", "lo", " \nyou", " <b> and", " <clef>", "", ""]
    assert stripper.close() == ""
    assert stripper.reply == Reply(content="Hello \nyou <b> and <clef>", requests=(RetrievalRequest(("x4",)),))


def test_words_that_follow_a_block_are_shown_when_they_come():
    stripper = Stripper()
    assert [stripper.feed(delta) for delta in ["So: ", asks("x4"), "\n", "and on"]] == [
        "So:",
        "",
        "",
        " and on",
    ]


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────


def test_notes_are_read_with_every_part_in_its_place():
    wire = Wire("anthropic", {"as": "it came"})
    message = replace(says(thinks("hm"), f"Done.\n{notes()}", call("c1")), id="m7", wire=wire)
    assert split_notes(message) == (replace(says(thinks("hm"), "Done.", call("c1")), id="m7"), NOTED)
    assert split_notes(says(notes(), call("c1"))) == (says("", call("c1")), NOTED)


def test_notes_amid_words_are_taken_out_and_not_read():
    reply = parse_reply(f"So it looks: {notes()} I think.")
    assert (reply.content, reply.housekeeping) == ("So it looks: I think.", None)
    assert rules(reply) == [("amid", 0)]


def test_every_text_of_a_message_loses_its_blocks():
    wire = Wire("anthropic", {"type": "text"})
    first = Text(text=f"Look: {asks('x1')}", wire=wire)
    amid = Text(text=f"So: {asks('x1')} it is.", wire=wire)
    message = replace(says(thinks("hm"), first, call("c1"), amid, f"Done.\n{notes()}"), id="m7", wire=wire)
    told = replace(says(thinks("hm"), "Look:", call("c1"), "So: it is.", "Done."), id="m7")
    assert split_notes(message) == (told, NOTED)


def test_a_reply_of_several_texts_is_read_text_by_text():
    found = parse_messages([says(f"I look. {asks('x1')}", call("c1")), says(f"{notes()}"), says(f"Done. {asks('x4')}")])
    assert (found.content, found.housekeeping, [one.ids for one in found.requests]) == (
        "I look.\nDone.",
        NOTED,
        [("x1",), ("x4",)],
    )


def test_a_block_that_notes_nothing_is_taken_out_all_the_same():
    assert split_notes(says(f"Done.\n{element('housekeeping', '{')}")) == (says("Done."), None)


@pytest.mark.parametrize("message", [user(notes()), says("Done."), says(call("c1"))])
def test_where_nothing_is_noted_the_message_is_as_it_was(message):
    stripped, found = split_notes(message)
    assert stripped is message
    assert found is None


def test_only_a_model_notes_anything():
    assert split_notes(replace(says(f"Done.\n{notes()}"), origin=Origin.SUMMARY))[1] is None
