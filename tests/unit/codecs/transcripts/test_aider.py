from io import BytesIO

import orjson
import pytest

from clew.codecs.transcripts.aider import Aider
from clew.domain import Message, Origin, Record, Role, SessionFacts, Text
from clew.ports import RawRecord

codec = Aider()
START = "\n# aider chat started at 2026-03-04 05:06:07\n\n> Main model: some/model-1 with diff edit format  \n"


def raw(text: str) -> list[RawRecord]:
    found = list(codec.split(BytesIO(text.encode())))
    assert all(isinstance(one, RawRecord) for one in found)
    return [one for one in found if isinstance(one, RawRecord)]


def records(text: str) -> list[Record]:
    return [codec.read(one.body) for one in raw(text)]


def said(text: str) -> list[tuple[str, str]]:
    """(whose, words) of each message."""
    return [(one.message.origin, one.message.text) for one in records(text) if one.message]


def test_a_chat_is_cut_by_speaker() -> None:
    text = (
        START
        + "\n#### fix the bug  \n#### in login  \n\nLooking at it.\n\nDone.\n\n> Tokens: 1k sent  \n> Applied edit  \n"
    )
    assert said(text) == [
        ("client", "Main model: some/model-1 with diff edit format"),
        ("person", "fix the bug\nin login"),
        ("model", "Looking at it.\n\nDone."),
        ("client", "Tokens: 1k sent\nApplied edit"),
    ]


def test_a_reply_knows_the_model_and_when_the_chat_started() -> None:
    reply = records(START + "\n#### hi  \n\nHello.\n")[-1]
    assert reply.message == Message(
        role=Role.ASSISTANT,
        origin=Origin.MODEL,
        parts=(Text(text="Hello."),),
        at=1772600767.0,
        model="some/model-1",
    )
    assert reply.facts == SessionFacts(client="aider", model="some/model-1")


def test_each_start_begins_a_session_named_by_its_time() -> None:
    text = START + "#### a  \n" + START.replace("05:06:07", "08:00:00") + "#### b  \n" + START + "#### c  \n"
    assert list(dict.fromkeys(one.session for one in raw(text))) == [
        "2026-03-04T05-06-07",
        "2026-03-04T08-00-00",
        "2026-03-04T05-06-07-2",
    ]


def test_the_blocks_of_a_file_hold_all_of_its_text() -> None:
    text = START + "\n#### hi  \n\n\nHello.\n\n\n> Tokens: 1  \n"
    assert "".join(orjson.loads(one.body)["text"] for one in raw(text)) == text


def test_two_inputs_with_a_gap_between_them_are_two_messages() -> None:
    assert said(START + "\n#### /drop  \n\n#### fix it  \n")[1:] == [("client", "/drop"), ("person", "fix it")]


@pytest.mark.parametrize(
    ("typed", "whose"),
    [
        ("/add src/login.py", "client"),
        ("/clear", "client"),
        ("!pytest -q", "client"),
        ("/ask", "client"),
        ("/ask why does login fail?", "person"),
        ("/etc/hosts is wrong, fix it", "person"),
        ("use 1/2 of it", "person"),
    ],
)
def test_commands_are_the_clients_and_requests_are_a_persons(typed: str, whose: str) -> None:
    assert said(START + f"\n#### {typed}  \n")[1:] == [(whose, typed)]


def test_headings_and_quotations_in_a_reply_stay_in_the_reply() -> None:
    reply = "Two steps:\n\n#### Delete everything\n\n> quoted\n\nThat is all."
    assert said(START + f"\n#### plan  \n\n{reply}\n")[1:] == [("person", "plan"), ("model", reply)]


def test_a_file_whose_line_ends_were_trimmed_is_read_all_the_same() -> None:
    text = "# aider chat started at 2026-03-04 05:06:07\r\n\r\n> Aider v1\r\n\r\n#### fix it\r\n\r\nDone.\r\n"
    assert said(text) == [("client", "Aider v1"), ("person", "fix it"), ("model", "Done.")]


def test_a_file_read_again_has_the_same_keys_and_one_that_grew_has_them_too() -> None:
    before = START + "\n#### hi  \n\nHello.\n"
    after = before + "\n\n> Tokens: 1  \n\n#### bye  \n"
    keys = [one.key for one in records(before)]
    assert [one.key for one in records(after)][: len(keys)] == keys


def test_a_last_block_that_grew_is_a_new_version_of_its_message() -> None:
    torn, whole = (records(START + text)[-1] for text in ("\n#### fix the b", "\n#### fix the bug  \n"))
    assert torn.key != whole.key
    assert (torn.group, torn.revises) == (whole.group, whole.revises) == ("2026-03-04T05-06-07#2", True)


def test_equal_blocks_of_one_chat_are_told_apart() -> None:
    found = records(START + "\n#### go on  \n\nDone.\n\n> Tokens: 1  \n\n#### go on  \n\nDone.\n\n> Tokens: 1  \n")
    assert len({one.key for one in found}) == len(found)


def test_a_start_without_anything_after_it_is_bookkeeping() -> None:
    (record,) = records("# aider chat started at 2026-03-04 05:06:07\n")
    assert (record.message, record.at) == (None, 1772600767.0)


def test_bytes_that_are_no_text_do_not_stop_the_rest() -> None:
    found = list(codec.split(BytesIO(START.encode() + b"\n#### caf\xe9 \x00  \n")))
    assert isinstance(found[-1], RawRecord)
    message = codec.read(found[-1].body).message
    assert message is not None
    assert message.text == "caf\ufffd \x00"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"speaker":7}', b'{"speaker":"user","n":"x"}', b'{"speaker":'])
def test_what_is_no_block_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        codec.read(body)


def test_a_history_is_known_by_its_first_heading() -> None:
    assert codec.sniff(START.encode())
    assert not codec.sniff(b"# Notes\n\n# aider chat started at noon\n")
