"""Names lead to the segments that hold them."""

from __future__ import annotations

from clew.digests.drafts import digest
from clew.digests.names_index import index
from clew.domain import Digest, Fact
from tests.unit.digests.examples import work


def test_files_and_what_they_define_lead_to_their_segment() -> None:
    assert index([digest(work(), "x1")]) == {
        "src/reader.py": ("x1",),
        "parse": ("x1",),
        "tests/test_reader.py": ("x1",),
    }


def test_an_index_grows_by_what_is_new() -> None:
    first = index([Digest(id="x1", names=(Fact(text="LazyReader", source="m1"),))])
    both = index([Digest(id="x2", names=(Fact(text="LazyReader", source="m9"),))], first)
    assert (first, both) == ({"LazyReader": ("x1",)}, {"LazyReader": ("x1", "x2")})
