"""What is sent for a request is the same whether its texts are read or not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.engine.engine import Engine
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
