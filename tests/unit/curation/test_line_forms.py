"""Forms of log lines: names and numbers come and go, the form stays."""

from __future__ import annotations

import pytest

from clew.curation.reducers import logs
from clew.curation.reducers.logs import LineForms


def forms_of(lines: list[str]) -> dict[str, int]:
    forms = LineForms()
    for line in lines:
        forms.count(line)
    return {forms.text(form): count for form, count in forms.counts.items()}


def test_lines_that_differ_in_a_name_are_of_one_form() -> None:
    names = ["ada", "bo", "cy", "di"]
    assert forms_of([f"INFO crane {name} moved to berth {at}" for at, name in enumerate(names)]) == {
        "INFO crane <*> moved to berth <*>": 4
    }


def test_lines_that_share_less_than_half_of_their_words_are_not() -> None:
    lines = [
        "WARN pump slow: oil at the limit",
        "WARN pump stopped after two failed starts",
        "WARN pump slow: oil at the end",
    ]
    assert forms_of(lines) == {
        "WARN pump slow: oil at the <*>": 2,
        "WARN pump stopped after two failed starts": 1,
    }


def test_a_number_at_the_beginning_parts_no_forms() -> None:
    assert forms_of([f"gate[{n}]: opened for {who}" for n, who in enumerate(["ada", "bo", "cy"])]) == {
        "gate[<*>]: opened for <*>": 3
    }


@pytest.mark.parametrize("line", ["one", "two words", "\t three  of them "])
def test_a_line_of_few_words_is_a_form(line: str) -> None:
    assert forms_of([line]) == {" ".join(line.split()): 1}


def test_every_line_of_a_log_of_many_ids_is_counted() -> None:
    """However many lines differ, none goes uncounted."""
    ids = [f"{n * 7919 % 65536:04x}x" for n in range(3_000)]
    assert forms_of([f"INFO lease {id} renewed" for id in ids]) == {"INFO lease <*> renewed": 3_000}


def test_twice_the_lines_take_twice_the_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no two lines have a form in common, and all begin alike."""
    compared: list[str] = []
    monkeypatch.setattr(logs, "eq", lambda one, other: compared.append(one) or one == other)
    lines = [f"the log {' '.join(chr(97 + (n >> shift) % 26) * 9 for shift in range(12))}" for n in range(0, 8_000, 13)]

    forms_of(lines[: len(lines) // 2])
    half = len(compared)
    forms_of(lines)

    assert half
    assert len(compared) - half <= 2.5 * half
