"""Outlines: what a file defines, with the lines it spans."""

from __future__ import annotations

from clew.curation.reducers import files

CRANE = """\
import os


class Crane:
    def lift(self, load_tons):
        self.winch_speed = os.cpu_count()


def main():
    pass
"""


def test_code_becomes_an_outline_with_the_lines_it_spans() -> None:
    rows = files.reduce(CRANE, 1_000, path="crane.py", first=1).split("\n")

    assert rows[:3] == ["imports os", "4-6 class Crane", "5-6   def lift(self, load_tons)"]
    assert "winch_speed" in rows[3]
    assert rows[4:] == ["9-10 def main()"]


def test_a_name_that_one_list_had_no_room_for_is_told_in_the_next() -> None:
    many = "\n".join(f"    winch_number_{n}.pull_{n}()" for n in range(40))
    code = f"def lift():\n{many}\n\n\ndef lower():\n{many}\n"

    rows = files.reduce(code, 4_000, path="crane.py", first=1).split("\n")

    assert rows[0] == "1-41 def lift()"
    assert "winch_number_0" in rows[1]
    assert "winch_number_0" not in rows[3]
    assert rows[3].startswith("    uses winch_number_")


def test_code_without_a_grammar_is_outlined_by_its_lines() -> None:
    code = "import Foundation\n\nclass Crane {\n    func lift(load: Int) {\n        winch.pull(load)\n    }\n}\n"

    rows = files.reduce(code, 1_000, path="Crane.swift", first=1).split("\n")

    assert rows[:3] == ["imports Foundation", "3-7 class Crane {", "4-7   func lift(load: Int) {"]


def test_settings_are_outlined_by_their_keys() -> None:
    text = "name: harbor\njobs:\n  crane:\n    type: winch\n    needs: [pilot]\n  quay:\n    type: mole\n"

    assert files.reduce(text, 1_000, path="ci.yaml", first=1).split("\n") == [
        "1-1 name: harbor",
        "2-7 jobs:",
        "3-5   crane:",
        "4-4     type: winch",
        "5-5     needs: [pilot]",
        "6-7   quay:",
        "7-7     type: mole",
    ]
