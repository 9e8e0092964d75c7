"""JSON: its shape with samples, outliers and counts."""

from __future__ import annotations

from clew.curation.reducers import jsons


def test_json_shows_samples_what_is_unlike_the_rest_and_counts() -> None:
    items = ",".join(f'{{"id": {n}, "state": "moored"}}' for n in range(200))
    odd = '{"id": 77, "error": "line snapped"}'

    shown = jsons.reduce(f"[{items},{odd},{items}]", 400) or ""

    assert shown.split("\n")[:2] == ["401 items:", '{id: 0, state: "moored"}']
    assert '{id: 77, error: "line snapped"}' in shown
    assert "more objects {id, state}" in shown


def test_json_that_fits_only_loses_its_blanks() -> None:
    assert jsons.reduce('{\n  "name": "Aurora",\n  "berths": [1, 2],\n  "pilot": null\n}', 400) == (
        'name: "Aurora"\nberths: [1, 2]\npilot: null'
    )


def test_lines_of_json_are_read_as_one_list() -> None:
    assert jsons.reduce('{"a": 1}\n{"a": 2}\n', 400) == "2 items:\n{a: 1}\n{a: 2}"


def test_long_strings_in_json_tell_the_names_in_their_middle() -> None:
    words = "the ship sails at noon and comes back in the evening " * 30
    text = f'{{"id": 7, "body": "{words} HarborMaster.assignBerth in quay_list.go {words}"}}'

    shown = jsons.reduce(text, 900) or ""

    assert shown.startswith('id: 7\nbody: "the ship sails')
    assert "chars: HarborMaster, assignBerth, quay_list.go…" in shown


def test_what_stands_in_json_many_times_is_written_once() -> None:
    told = "The pilot comes aboard at the outer buoy, two hours before high water, and leaves the ship behind the lock."
    text = "[" + ",".join(f'{{"id": {n}, "pilot": {{"name": "Ada", "note": "{told}"}}}}' for n in range(3)) + "]"

    rows = (jsons.reduce(text, 2_000) or "").split("\n")

    assert rows == [
        "3 items:",
        f'{{id: 0, pilot: {{name: "Ada", note: "{told}"}}}}',
        '{id: 1, pilot: {name: "Ada", note: "The pilot comes aboard at the … as above}}',
        '{id: 2, pilot: {name: "Ada", note: "The pilot comes aboard at the … as above}}',
    ]


def test_json_fills_the_room_there_is() -> None:
    words = "the ship sails at noon and comes back in the evening " * 100
    text = "[" + ",".join(f'{{"id": {n}, "body": "{words}{n}"}}' for n in range(6)) + "]"

    assert 2_000 < len(jsons.reduce(text, 4_000) or "") <= 4_000


def test_what_is_no_json_is_not_reduced_as_such() -> None:
    assert jsons.reduce("[1, 2", 400) is None
