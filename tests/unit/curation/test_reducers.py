from __future__ import annotations

from clew.curation import commands, diffs, files, jsons, listings, logs, pages, prose, runs, searches


def test_matches_stand_under_their_file_with_their_line() -> None:
    text = (
        "src/quay.py:12:def moor(line):\nsrc/quay.py-13-    pass\nsrc/pilot.py:4:    moor(line)\nsrc/quay.py:40:moor(2)"
    )

    assert searches.reduced(text, 1_000) == (
        "src/quay.py (2 matches)\n 12: def moor(line):\n 13- pass\n 40: moor(2)\nsrc/pilot.py\n 4: moor(line)"
    )


def test_a_path_in_full_and_in_short_is_one_file() -> None:
    text = "src/quay.py:12:moor()\n/home/ada/src/quay.py-13-pass"

    assert searches.reduced(text, 1_000) == "src/quay.py\n 12: moor()\n 13- pass"


def test_every_file_with_matches_is_named_before_any_shows_its_second() -> None:
    text = "\n".join(f"src/part_{n % 20}.py:{n}:use(crane)" for n in range(400))

    shown = searches.reduced(text, 1_000) or ""

    assert [n for n in range(20) if f"src/part_{n}.py (20 matches)" not in shown] == []


def test_files_are_listed_folder_by_folder() -> None:
    text = "/home/ada/src/a.py\n/home/ada/src/b.py\n/home/ada/docs/c.md\n/home/ada/src/node_modules/x/y.js"

    assert listings.reduced(text, 1_000) == "in /home/ada:\nsrc/: a.py, b.py\ndocs/c.md\nsrc/node_modules/ (1 files)"


def test_folders_with_the_same_files_are_said_together() -> None:
    text = "\n".join(f"apps/{name}/models.py" for name in ("crane", "pilot", "quay"))

    assert listings.reduced(text, 1_000) == "apps/{crane,pilot,quay}/models.py"


def test_a_long_listing_keeps_names_and_sizes() -> None:
    text = "total 8\ndrwxr-xr-x 2 ada ada 4096 May  4 10:00 src\n-rw-r--r-- 1 ada ada 812 May  4 10:00 a.py"

    assert listings.reduced(text, 1_000) == "total 8\n./: src/, a.py 812"


def test_a_diff_keeps_what_changed_and_counts_it() -> None:
    text = "\n".join(
        ["diff --git a/crane.py b/crane.py", "index 1..2", "--- a/crane.py", "+++ b/crane.py", "@@ -1,40 +1,41 @@"]
        + [f" same {n}" for n in range(20)]
        + ["-old", "+new", "+newer"]
        + [f" same {n}" for n in range(20, 40)]
    )

    assert diffs.reduced(text, 80) == (
        "diff crane.py +2 -1\n@@ -1,40 +1,41 @@\n… 20 lines …\n-old\n+new\n+newer\n… 20 lines …"
    )


def test_files_that_tools_write_are_only_counted_in_a_diff() -> None:
    text = "diff --git a/package-lock.json b/package-lock.json\n@@ -1 +1,2 @@\n-a\n+b\n+c"

    assert diffs.reduced(text, 1_000) == "diff package-lock.json +2 -1\n… 4 lines, made by a tool …"


def test_json_shows_samples_what_is_unlike_the_rest_and_counts() -> None:
    items = ",".join(f'{{"id": {n}, "state": "moored"}}' for n in range(200))
    odd = '{"id": 77, "error": "line snapped"}'

    shown = jsons.reduced(f"[{items},{odd},{items}]", 400) or ""

    assert shown.split("\n")[:2] == ["401 items:", '{id: 0, state: "moored"}']
    assert '{id: 77, error: "line snapped"}' in shown
    assert "more objects {id, state}" in shown


def test_json_that_fits_only_loses_its_blanks() -> None:
    assert jsons.reduced('{\n  "name": "Aurora",\n  "berths": [1, 2],\n  "pilot": null\n}', 400) == (
        'name: "Aurora"\nberths: [1, 2]\npilot: null'
    )


def test_lines_of_json_are_read_as_one_list() -> None:
    assert jsons.reduced('{"a": 1}\n{"a": 2}\n', 400) == "2 items:\n{a: 1}\n{a: 2}"


def test_long_strings_in_json_tell_the_names_in_their_middle() -> None:
    words = "the ship sails at noon and comes back in the evening " * 30
    text = f'{{"id": 7, "body": "{words} HarborMaster.assignBerth in quay_list.go {words}"}}'

    shown = jsons.reduced(text, 900) or ""

    assert shown.startswith('id: 7\nbody: "the ship sails')
    assert "chars: HarborMaster, assignBerth, quay_list.go…" in shown


def test_what_stands_in_json_many_times_is_written_once() -> None:
    told = "The pilot comes aboard at the outer buoy, two hours before high water, and leaves the ship behind the lock."
    text = "[" + ",".join(f'{{"id": {n}, "pilot": {{"name": "Ada", "note": "{told}"}}}}' for n in range(3)) + "]"

    rows = (jsons.reduced(text, 2_000) or "").split("\n")

    assert rows == [
        "3 items:",
        f'{{id: 0, pilot: {{name: "Ada", note: "{told}"}}}}',
        '{id: 1, pilot: {name: "Ada", note: "The pilot comes aboard at the … as above}}',
        '{id: 2, pilot: {name: "Ada", note: "The pilot comes aboard at the … as above}}',
    ]


def test_json_fills_the_room_there_is() -> None:
    words = "the ship sails at noon and comes back in the evening " * 100
    text = "[" + ",".join(f'{{"id": {n}, "body": "{words}{n}"}}' for n in range(6)) + "]"

    assert 2_000 < len(jsons.reduced(text, 4_000) or "") <= 4_000


def test_what_is_no_json_is_not_reduced_as_such() -> None:
    assert jsons.reduced("[1, 2", 400) is None


def test_a_log_keeps_failures_and_counts_forms() -> None:
    rows = [f"2031-05-04 10:00:{n % 60:02d} INFO crane moved to {n}" for n in range(300)]
    rows.insert(150, "2031-05-04 10:02:30 ERROR winch 4 overheated")

    shown = logs.reduced("\n".join(rows), 600)

    assert "2031-05-04 10:02:30 ERROR winch 4 overheated" in shown
    assert shown.endswith("repeated (1 forms):\n300× INFO crane moved to <*>")


def test_a_page_is_read_without_its_markup() -> None:
    html = (
        "<!DOCTYPE html><html><head><title>Tides</title><style>p{}</style></head><body><nav>Home</nav><h1>Brest</h1>"
        "<script>track()</script><p>High water &amp; low water.</p><ul><li>04:10</li></ul></body></html>"
    )

    assert pages.reduced(html, 1_000) == "# Tides\n# Brest\nHigh water & low water.\n- 04:10"


def test_prose_keeps_headings_and_what_tells_something() -> None:
    filler = "It was a fine day and everybody was in a good mood that day."
    text = "\n\n".join(["# Report", *[filler] * 20, "The root cause is `moor_twice` in quay.py:12.", *[filler] * 20])

    shown = prose.reduced(text, 400)

    assert shown.startswith("# Report")
    assert "The root cause is `moor_twice` in quay.py:12." in shown


CRANE = """\
import os


class Crane:
    def lift(self, load_tons):
        self.winch_speed = os.cpu_count()


def main():
    pass
"""


def test_code_becomes_an_outline_with_the_lines_it_spans() -> None:
    rows = files.reduced(CRANE, 1_000, path="crane.py", first=1).split("\n")

    assert rows[:3] == ["imports os", "4-6 class Crane", "5-6   def lift(self, load_tons)"]
    assert "winch_speed" in rows[3]
    assert rows[4:] == ["9-10 def main()"]


def test_a_name_that_one_list_had_no_room_for_is_told_in_the_next() -> None:
    many = "\n".join(f"    winch_number_{n}.pull_{n}()" for n in range(40))
    code = f"def lift():\n{many}\n\n\ndef lower():\n{many}\n"

    rows = files.reduced(code, 4_000, path="crane.py", first=1).split("\n")

    assert rows[0] == "1-41 def lift()"
    assert "winch_number_0" in rows[1]
    assert "winch_number_0" not in rows[3]
    assert rows[3].startswith("    uses winch_number_")


def test_code_without_a_grammar_is_outlined_by_its_lines() -> None:
    code = "import Foundation\n\nclass Crane {\n    func lift(load: Int) {\n        winch.pull(load)\n    }\n}\n"

    rows = files.reduced(code, 1_000, path="Crane.swift", first=1).split("\n")

    assert rows[:3] == ["imports Foundation", "3-7 class Crane {", "4-7   func lift(load: Int) {"]


def test_settings_are_outlined_by_their_keys() -> None:
    text = "name: harbor\njobs:\n  crane:\n    type: winch\n    needs: [pilot]\n  quay:\n    type: mole\n"

    assert files.reduced(text, 1_000, path="ci.yaml", first=1).split("\n") == [
        "1-1 name: harbor",
        "2-7 jobs:",
        "3-5   crane:",
        "4-4     type: winch",
        "5-5     needs: [pilot]",
        "6-7   quay:",
        "7-7     type: mole",
    ]


def test_the_nearest_frames_of_a_long_trace_stay() -> None:
    library = "/usr/lib/python3.12/site-packages/web"
    frames = "\n".join(f'  File "{library}/part{n}.py", line {n}, in call\n    go()' for n in range(80))
    raised = '  File "/srv/harbor/crane.py", line 12, in lift\n    pull()\nOverload: 9 t'
    trace = f"Traceback (most recent call last):\n{frames}\n{raised}"

    shown = commands.reduced(trace, 700)

    assert raised in shown
    assert len(shown) < 1_000


def test_places_of_failures_that_do_not_fit_are_listed() -> None:
    text = "\n".join(f"FAILED tests/test_part_{n}.py:{n} - {'the crane did not lift the load ' * 6}" for n in range(60))

    shown = runs.reduced(text, 6_000)

    assert [n for n in range(60) if f"tests/test_part_{n}.py:{n}" not in shown] == []


def test_tests_that_passed_are_named_with_what_they_share_said_once() -> None:
    text = "\n".join(f"tests/test_{part}.py::test_{n} PASSED" for part in ("crane", "quay") for n in range(3))

    assert runs.reduced(f"{text}\n===== 6 passed in 0.02s =====", 6_000).split("\n")[-1] == (
        "passed: tests/test_crane.py::{test_0, test_1, test_2}, tests/test_quay.py::{test_0, test_1, test_2}"
    )


def test_tests_that_only_began_are_not_said_to_have_passed() -> None:
    ended = "=== RUN   TestLift\n--- PASS: TestLift (0.00s)\n=== RUN   TestSail\n--- FAIL: TestSail (1.00s)"
    text = f"{ended}\n=== RUN   TestMoor"

    assert runs.reduced(text, 6_000).split("\n")[-2:] == ["passed: TestLift", "begun: TestMoor"]


def test_what_a_task_runner_puts_before_each_line_hides_no_test() -> None:
    text = "\n".join(f"@harbor/core test: (pass) crane > lifts {n} t [0.1ms]" for n in range(9))

    assert runs.reduced(text, 6_000).split("\n")[-1].startswith("passed: crane > {lifts 0 t, lifts 1 t, ")


def test_several_lines_of_json_share_the_room() -> None:
    row = '{"id": %d, "body": "' + "the ship sails at noon " * 90 + '"}'

    shown = commands.reduced("posted\n" + "\n".join(row % n for n in range(3)) + "\nnothing more to do", 3_000)

    assert [n for n in range(3) if f"id: {n}" not in shown] == []
    assert len(shown) <= 3_000


def test_runs_of_lines_of_one_form_are_told_by_first_and_last() -> None:
    text = "\n".join(["begin", *(f"copied {n} of 90 crates" for n in range(90)), "done"])

    assert commands.reduced(text, 2_000) == (
        "begin\ncopied 0 of 90 crates\n… 88 lines, like these …\ncopied 89 of 90 crates\ndone"
    )


def test_lines_that_differ_in_an_id_are_all_kept() -> None:
    rows = [f"snapshot {n * 7919:012x}a" for n in range(1, 30)]

    assert commands.reduced("\n".join(rows), 4_000) == "\n".join(rows)


def test_gaps_name_what_they_hold() -> None:
    rows = [f"vessel number {n} lies at her berth as before and waits" for n in map(chr, range(0x4E00, 0x4E00 + 80))]
    rows[40] = "vessel handled by HarborMaster.assignBerth as before and on time"

    shown = prose.reduced("\n".join(rows), 900)

    assert "HarborMaster.assignBerth" in shown


def test_gaps_name_files_even_where_there_is_little_room() -> None:
    rows = [f"vessel number {n} lies at her berth as before and waits" for n in map(chr, range(0x4E00, 0x4E00 + 80))]
    rows[40] = "vessel papers lie in the folder below, see harbour/manifest.toml there"

    assert "manifest.toml" in diffs.reduced(
        "\n".join(["diff --git a/x b/x", "@@ -1,80 +1,80 @@", *(f" {r}" for r in rows)]), 300
    )
