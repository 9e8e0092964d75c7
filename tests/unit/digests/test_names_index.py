"""Names lead to the segments that hold them."""

from __future__ import annotations

from clew.digests.draft import digest
from clew.digests.names_index import append_id, names_of
from tests.unit.digests.examples import work


def test_files_and_what_they_define_are_names_of_their_segment() -> None:
    assert sorted(names_of(digest(work(), "x1"))) == ["parse", "src/reader.py", "tests/test_reader.py"]


def test_the_ids_of_a_name_grow_by_what_is_new() -> None:
    assert append_id(append_id(("x1",), "x2"), "x2") == ("x1", "x2")
