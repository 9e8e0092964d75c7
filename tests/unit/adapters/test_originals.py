"""Objects of a framework, found again by what they say."""

from __future__ import annotations

from typing import Any

from clew.adapters.run_sessions import Keyed, OriginalReader, Originals


def test_the_newest_of_equal_objects_is_found_first_and_each_once() -> None:
    originals = Originals([((b"yes",), "first"), ((b"no", b"way"), "other"), ((b"yes",), "second")])
    assert [originals.take((b"yes",)) for _ in range(3)] == ["second", "first", None]
    assert originals.longest == 2


def test_an_object_that_comes_again_is_not_read_again() -> None:
    seen: list[Any] = []

    def read(one: Any) -> list[Keyed]:
        seen.append(one)
        return [((one[0].encode(),), one)]

    reader, first, second = OriginalReader(read), ["a"], ["b"]
    reader.originals([first])
    assert reader.originals([first, second]).take((b"a",)) is first
    assert seen == [first, second]
