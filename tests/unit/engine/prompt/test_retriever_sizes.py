"""What is sent for a request is the same whether its texts are read or not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.builders import call, gives, output, says, user

pytestmark = pytest.mark.stores("memory")


@pytest.mark.parametrize("format", ["header", "summary", "full", "mixed"])
def test_sizes_choose_what_texts_would(engine: Engine, format: str) -> None:
    session = engine.session("s1")
    for turn in range(4):
        text = "\n".join(f"line {line} of file {turn}" for line in range(200 * turn + 1))
        session.record(
            [user(f"Read file {turn}"), says(call(f"c{turn}")), gives(output(f"c{turn}", text)), says("Ok.")]
        )
    pinned = session.pin("Use tabs")
    ids = ["x4", "x1", "x9", "x2.7", "m3", "m99", "x3", pinned.id]
    whole = session.retrieve(ids, format=format, quota=2_000)
    sizes = session.retrieve(ids, format=format, quota=2_000, texts=False)
    assert [replace(one, text="") for one in whole.sent] == list(sizes.sent)
    assert (whole.left_out, whole.unknown, whole.notes) == (sizes.left_out, sizes.unknown, sizes.notes)


def test_a_part_larger_than_the_quota_is_read_in_pieces(engine: Engine) -> None:
    session = engine.session("s1")
    text = "\n".join(f"line {line} of the log" for line in range(2_000))
    session.record([user("Read the log"), says(call("c1")), gives(output("c1", text)), says("Ok.")])
    whole, offset, read = session.recall("x1", "full")[0].text, 0, ""
    while offset < len(whole):
        answer = session.retrieve(["x1"], format="full", offset=offset, quota=2_000)
        (piece,) = answer.sent
        assert 1_500 < piece.tokens <= 2_000 or piece.end == len(whole)
        assert bool(answer.notes) is (piece.end < len(whole))
        read, offset = read + piece.text, piece.end
    assert read == whole
    assert session.retrieve(["m3"], offset=5, limit=20, quota=2_000).sent[0].text == session.recall("m3")[0].text[5:25]
    with pytest.raises(UsageError, match="offset and limit are of one part"):
        session.retrieve(["x1", "m3"], offset=5, quota=2_000)
    with pytest.raises(UsageError, match="limit must be a whole number"):
        session.retrieve(["x1"], limit=-5, quota=2_000)
