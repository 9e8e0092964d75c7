from __future__ import annotations

from hashlib import sha256

from clew.curation.markers import blob_id, is_curated, marker, marker_blob, with_command, with_marker

WHOLE = "line\n" * 2_000


def test_a_blob_is_named_by_the_hash_of_its_text() -> None:
    assert blob_id("tide") == "b" + sha256(b"tide").hexdigest()[:12]


def test_a_marker_says_how_much_is_shown_and_how_to_get_the_whole() -> None:
    told = marker("b1a2b3c4d5e6f", shown=312, chars=9_480, lines=120)

    assert told == "[clew: 312 of 9,480 characters (120 lines) shown; whole: b1a2b3c4d5e6f]"


def test_a_reader_with_a_shell_is_told_the_command() -> None:
    text = with_marker("first lines", WHOLE)
    blob = blob_id(WHOLE)

    assert with_command(text, "s 1") == f"{text[:-1]} (clew show SESSION {blob})]"
    assert with_command(text, "s1") == f"{text[:-1]} (clew show s1 {blob})]"
    assert marker_blob(with_command(text, "s1")) == blob
    assert with_command("no marker", "s1") == "no marker"


def test_a_command_for_another_blob_is_no_marker() -> None:
    assert marker_blob(with_command(with_marker("first lines", WHOLE), "s1").replace("s1 b", "s1 b0")) is None


def test_a_curated_text_leads_to_its_whole() -> None:
    assert marker_blob(with_marker("first lines", WHOLE)) == blob_id(WHOLE)


def test_a_marker_holds_only_for_the_text_it_was_written_for() -> None:
    assert marker_blob(with_marker("first lines", WHOLE).replace("first", "other first")) is None


def test_a_marker_to_a_blob_that_nobody_has_is_no_marker() -> None:
    text = with_marker("first lines", WHOLE)

    assert not is_curated(text, set())
    assert is_curated(text, {blob_id(WHOLE)})


def test_a_marker_inside_a_text_does_not_make_it_curated() -> None:
    forged = f"[clew: 1 of 2]\n{'x' * 50}"

    assert marker_blob(with_marker(forged, WHOLE)) is None
