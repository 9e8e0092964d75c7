"""Parts that are shown by id: runs of messages, sizes that a part does not have, ids that are none."""

from __future__ import annotations

from pathlib import Path

import clew
from tests.builders import says, user
from tests.journeys.program import Program


def test_runs_of_messages_sizes_and_wrong_ids(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.store.parent.mkdir(parents=True)
    with clew.open(program.store) as engine:
        engine.session("talk").record([user("One?"), says("Two."), user("Three?"), says("Four.")])
    for run in ("m2–m3", "m2-m3", "m3–m2"):
        assert program("show", "talk", run).out == "[m2 assistant]\nTwo.\n\n[m3 user]\nThree?\n"
    sized = program("show", "talk", "m2", "--as", "header")
    assert (sized.out, "m2 shown in full" in sized.err) == ("[m2 assistant]\nTwo.\n", True)
    assert program("show", "talk", "x1", "--as", "header").err == ""
    assert "no message m9" in program("show", "talk", "m2–m9").err
    assert "an empty text is no id" in program("show", "talk", "").err
    assert "`clew knowledge list`" in program("knowledge", "show", "deploy#2").err


def test_headers_come_with_their_fields_as_json(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.store.parent.mkdir(parents=True)
    with clew.open(program.store) as engine:
        engine.session("talk").record([user("Why is fetchBerths slow today?"), says("It reads all of it twice.")])
    (item,) = program("show", "talk", "x1", "--as", "header", "--json").json["items"]
    (header,) = item["headers"]
    assert (header["id"], header["line"], header["outcome"]) == ("x1", "Why is fetchBerths slow today?", "completed")
    assert (header["entities"], header["tokens"] > 0, header["at"] > 0) == (["fetchBerths"], True, True)
