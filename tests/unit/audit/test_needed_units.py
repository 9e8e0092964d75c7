"""What the work after a compaction needed, and whether the summary holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.audit.compactions import compacted_spans
from clew.audit.needed_units import needed_units
from clew.audit.recorded_session import read_sessions
from tests.audited_session import CODE, ROOT, Lines, edit, numbered, shop

Found = list[tuple[str, str, int, int, int, str]]


def found(lines: Lines, folder: Path) -> Found:
    session = read_sessions(str(lines.write(folder / "s.jsonl"))).sessions[0]
    (span,) = compacted_spans(session)
    needed = needed_units(span, root=ROOT, attached=session.attached)
    return [
        (unit.use.kind, unit.use.path or unit.use.text, unit.known, unit.again.asked, unit.use.number, unit.fate)
        for unit in needed
    ]


def begun(summary: str) -> Lines:
    lines = Lines()
    lines.says("Go on.")
    lines.runs("Read", numbered(CODE), file_path=f"{ROOT}/basket.py")
    lines.runs("Bash", "ok", command="git show 3fa9c2d1 --stat")
    lines.runs("Bash", "ok", command="TAX=0.19 pytest tests/test_tax.py")
    lines.compacts(summary)
    return lines


def test_lines_that_an_edit_needs_and_that_were_read_again_are_not_lost(tmp_path: Path) -> None:
    assert found(shop(), tmp_path) == [
        ("file", "basket.py", 2, 0, 9, "held"),
        ("code", "basket.py", 3, 9, 11, "read again"),
        ("command", "pytest tests/test_basket.py -k total", 6, 0, 13, "held"),
    ]


def test_what_is_used_though_nothing_showed_it_again_is_lost_where_the_summary_lacks_it(tmp_path: Path) -> None:
    lines = begun("Taxes are being changed.")
    lines.runs("Bash", "ok", command="git revert 3fa9c2d1")
    lines.runs("Bash", "ok", command="TAX=0.19 pytest tests/test_tax.py | tail -3")
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    assert found(lines, tmp_path) == [
        ("id", "3fa9c2d1", 4, 0, 9, "lost"),
        ("command", "TAX=0.19 pytest tests/test_tax.py", 6, 0, 11, "lost"),
        ("code", "basket.py", 3, 0, 13, "kept"),  # the client had put the file back, or the edit would have failed
    ]


def test_a_file_that_is_read_though_nothing_named_it_is_lost(tmp_path: Path) -> None:
    lines = begun("Taxes are being changed.")
    lines.runs("Read", numbered(CODE), file_path=f"{ROOT}/basket.py")
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    assert found(lines, tmp_path) == [
        ("file", "basket.py", 2, 0, 9, "lost"),
        ("code", "basket.py", 3, 9, 11, "read again"),
    ]


def test_what_the_summary_holds_is_not_lost(tmp_path: Path) -> None:
    lines = begun(f"basket.py:\n{CODE}\nRevert 3fa9c2d.")
    lines.runs("Bash", "ok", command="git revert 3fa9c2d1")
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    assert [one[5] for one in found(lines, tmp_path)] == ["held", "held", "held"]


def test_what_something_else_showed_again_is_neither_needed_nor_lost(tmp_path: Path) -> None:
    lines = begun("Taxes are being changed.")
    lines.says("In basket.py the commit 3fa9c2d1 broke taxes.")
    lines.runs("Bash", "ok", command="git revert 3fa9c2d1")
    lines.runs("Read", numbered(CODE), file_path=f"{ROOT}/basket.py")
    assert found(lines, tmp_path) == []


def test_what_only_comes_close_to_being_shown_is_left_out(tmp_path: Path) -> None:
    lines = Lines()
    lines.says("Go on.")
    text = f'{CODE}    raise TaxError("no rate for this country yet")'
    lines.runs("Read", numbered(text), file_path=f"{ROOT}/basket.py")
    lines.runs("Grep", "tax.py:1:def vat_of_basket(basket):", pattern="vat")
    lines.compacts("basket.py is being changed.")
    lines.runs("Bash", "TaxError: no rate for this country yet, in all_vat_of_baskets", command="make")
    edit(lines, f"{ROOT}/basket.py", text, "pass")
    lines.runs("Grep", "tax.py:1", pattern="vat_of_basket")
    assert found(lines, tmp_path) == [("file", "basket.py", 2, 0, 9, "held")]


def test_a_part_of_the_lines_in_the_summary_is_too_close_to_say(tmp_path: Path) -> None:
    lines = begun("It returns `return sum(prices) - discount(basket)`.")
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    assert [one[0] for one in found(lines, tmp_path)] == ["file"]


def test_what_the_client_attaches_counts_as_shown(tmp_path: Path) -> None:
    lines = begun("Taxes are being changed.")
    attached = {"type": "file", "filename": f"{ROOT}/basket.py", "content": CODE}
    lines.add("user", "", type="attachment", attachment=attached)
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    assert found(lines, tmp_path) == []


def test_a_name_counts_where_the_project_defines_it(tmp_path: Path) -> None:
    lines = Lines()
    lines.says("Go on.")
    lines.runs("Grep", "tax.py:1:def vat_of_basket(basket):\ntax.py:9:    json.dumps(rates)", pattern="vat")
    lines.compacts("Taxes are being changed.")
    lines.runs("Grep", "tax.py:1", pattern="vat_of_basket|json_dumps")
    assert found(lines, tmp_path) == [("name", "vat_of_basket", 3, 0, 5, "lost")]


def test_an_edit_that_failed_or_was_refused_used_no_lines(tmp_path: Path) -> None:
    lines = begun("Taxes are being changed.")
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    lines.lines[-1]["message"]["content"][0] |= {"is_error": True, "content": "String to replace not found in file."}
    assert "code" not in [one[0] for one in found(lines, tmp_path)]


def test_lines_that_were_read_again_in_pieces_are_left_out(tmp_path: Path) -> None:
    lines, (first, *rest) = begun("Taxes are being changed."), CODE.strip("\n").split("\n")
    lines.runs("Read", numbered(first), file_path=f"{ROOT}/basket.py")
    lines.runs("Read", numbered("\n".join(rest), 2), file_path=f"{ROOT}/basket.py")
    edit(lines, f"{ROOT}/basket.py", CODE.strip("\n"), "pass")
    assert "code" not in [one[0] for one in found(lines, tmp_path)]


def linked(summary: str, url: str, output: str = "ok") -> Lines:
    lines = Lines()
    lines.says("Go on.")
    lines.runs("WebFetch", "ok", url=url, prompt="read")
    lines.compacts(summary)
    lines.runs("WebFetch", output, url=url, prompt="read")
    return lines


@pytest.mark.parametrize(
    ("summary", "url", "fate"),
    [
        ("Taxes are being changed.", "http://localhost:5173/", "lost"),
        ("The shop runs at localhost:5173.", "http://localhost:5173/", "held"),
        ("The shop runs on port 5173.", "http://localhost:5173/basket", ""),
        ("See https://example.org/shop/pull/4711.", "http://example.org/shop/pull/4711", "held"),
        ("See #4711.", "https://example.org/shop/pull/4711", ""),
    ],
)
def test_what_the_summary_says_in_another_form_is_not_lost(tmp_path: Path, summary: str, url: str, fate: str) -> None:
    assert [one[5] for one in found(linked(summary, url), tmp_path)] == ([fate] if fate else [])


def test_a_name_that_is_spelled_otherwise_may_be_the_same(tmp_path: Path) -> None:
    for summary, count in (("Taxes are being changed.", 1), ("The vat of a basket is wrong: vatOfBasket.", 0)):
        lines = Lines()
        lines.says("Go on.")
        lines.runs("Grep", "tax.py:1:def vat_of_basket(basket):", pattern="vat")
        lines.compacts(summary)
        lines.runs("Grep", "tax.py:1", pattern="vat_of_basket")
        assert len(found(lines, tmp_path)) == count


def test_a_guess_that_failed_was_no_need(tmp_path: Path) -> None:
    url = "https://example.org/docs/taxes.html"
    for output in ("HTTP/2 404", "Request failed with status code 404", "Not Found"):
        assert found(linked("Taxes are being changed.", url, output), tmp_path) == []
    lines = begun("Taxes are being changed.")
    lines.runs("Read", "File does not exist.", file_path=f"{ROOT}/basket.py")
    lines.runs("Bash", "fatal: bad object, no such file", command="git show 3fa9c2d1")
    assert found(lines, tmp_path) == []
