from __future__ import annotations

from clew.knowledge.code_sections import code_sections

CODE = '''import os
import re

LIMIT = 3


@cached
def load(path):
    """Reads it."""
    if path:
        return path

    return None


class Basket:
    """Holds things."""

    def add(self, thing):
        self.things.append(thing)

    def total(self):
        return sum(self.things)
'''


def words(text: str) -> int:
    return len(text.split())


def test_definitions_stay_whole_with_what_leads_into_them() -> None:
    found = [CODE[one.start : one.end].strip() for one in code_sections(CODE, size=100, count=words)]
    assert [one.splitlines()[0] for one in found] == ["import os", "LIMIT = 3", "@cached", "class Basket:"]
    assert found[2].endswith("return None")


def test_a_large_class_falls_into_methods_under_its_name() -> None:
    found = code_sections(CODE, size=8, count=words)
    methods = [CODE[one.start : one.end].strip() for one in found if one.headings == ("class Basket",)]
    assert [one.splitlines()[0] for one in methods] == [
        '"""Holds things."""',
        "def add(self, thing):",
        "def total(self):",
    ]


def test_braces_close_what_they_opened() -> None:
    code = "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 2\n}\n"
    found = [code[one.start : one.end] for one in code_sections(code, size=100, count=words)]
    assert [one.strip() for one in found] == ["func a() {\n\treturn 1\n}", "func b() {\n\treturn 2\n}"]


def test_nothing_of_a_file_is_left_out() -> None:
    for size in (3, 10, 1000):
        assert "".join(CODE[one.start : one.end] for one in code_sections(CODE, size=size, count=words)) == CODE
