"""Notes of a model word what was seen and add nothing that was not; people's words stay theirs."""

from __future__ import annotations

from dataclasses import replace

from clew.digests.draft import DigestDraft, digest, finish_digest
from clew.domain import CodeChange, Digest, Fact, FileUsage, FileUse, Housekeeping, Origin, Outcome
from clew.domain.values import from_json, to_json
from tests.builders import call, output, says, user
from tests.unit.digests.examples import NOTES, edits, noted, numbered, run, step, work


def whats(found: Digest) -> dict[str, Fact | None]:
    return {file.text: file.what for file in found.files}


def test_notes_add_what_the_model_says_and_change_nothing_else() -> None:
    plain = digest(work(), "x1")
    claim = Fact(text="parse() became a generator", source="m10")
    assert noted(NOTES) == replace(
        plain,
        decisions=(*plain.decisions, Fact(text="Keep the public name", source="m10")),
        files=tuple(replace(file, what=claim) for file in plain.files),
        query=Fact(text="Lazy parsing", source="m10"),
        intent=Fact(text="Make the reader faster without touching the tests", source="m10"),
        response=Fact(text="parse is lazy now", source="m10"),
        gist=Fact(text="parse() yields rows one by one. All tests pass; nothing is committed.", source="m10"),
        changes=(Fact(text="src/ghost.py: deleted it", source="m10"),),
    )


def test_a_decision_that_was_said_in_the_same_words_counts_once_and_stays_whose_it_was() -> None:
    told = noted(Housekeeping(key_decisions=("don't touch the tests", "Use SQLite", "use SQLite.")))
    assert [(fact.text, fact.by) for fact in told.decisions] == [
        ("Don't touch the tests.", Origin.PERSON),
        ("I'll keep the name instead of new ones.", Origin.MODEL),
        ("Use SQLite", Origin.MODEL),
    ]


def test_people_s_decisions_outlive_any_number_of_noted_ones() -> None:
    told = noted(Housekeeping(key_decisions=tuple(f"Choose option {at} of all" for at in range(40))))
    assert (told.decisions[0].by, len(told.decisions)) == (Origin.PERSON, 12)


def test_a_file_that_was_not_touched_is_not_listed_whatever_is_claimed() -> None:
    claims = (CodeChange("src/ghost.py", "rewrote it"), CodeChange("src/reader.py", "made parse lazy"))
    assert whats(noted(Housekeeping(code_changes=claims))) == {
        "src/reader.py": Fact(text="made parse lazy", source="m10")
    }


def test_a_file_that_was_only_read_stays_read_and_bears_no_claim() -> None:
    look = step(call("c1", "Read", file_path="src/a.py"), output("c1", "     1→import os"))
    history = numbered([user("Look at src/a.py please"), *look, says("It imports os, nothing else.")])
    told = noted(Housekeeping(code_changes=(CodeChange("src/a.py", "rewrote it"),)), history)
    assert told.files == digest(history, "x1").files


def test_a_short_path_means_the_only_file_that_ends_so() -> None:
    history = edits("/app/one/a.py", "/app/two/a.py", "/app/b.py")
    told = noted(
        Housekeeping(code_changes=(CodeChange("a.py", "no telling"), CodeChange(".\\b.py", "renamed"))), history
    )
    assert whats(told) == {
        "/app/one/a.py": None,
        "/app/two/a.py": None,
        "/app/b.py": Fact(text="renamed", source="m8"),
    }


def test_a_path_that_ends_like_another_without_a_border_is_another() -> None:
    told = noted(Housekeeping(code_changes=(CodeChange("der.py", "renamed"),)))
    assert whats(told) == {"src/reader.py": None}


def test_the_newest_claim_on_a_file_counts() -> None:
    history = numbered([*work(), says("And documented, as you had asked.")])
    first, second = (Housekeeping(code_changes=(CodeChange("src/reader.py", what),)) for what in ("lazy", "documented"))
    told = digest(history, "x1", notes={"m10": first, "m11": second})
    assert whats(told) == {"src/reader.py": Fact(text="documented", source="m11")}


def test_further_words_of_the_model_overtake_what_it_noted_of_its_reply() -> None:
    history = numbered([*work(), says("One more thing: the docs are wrong.")])
    told = digest(history, "x1", notes={"m10": NOTES})
    assert (told.response, told.gist, told.query and told.query.text) == (None, None, "Lazy parsing")


def test_the_next_request_overtakes_what_was_understood_of_the_one_before() -> None:
    told = digest(numbered([*work(), user("Now commit it please")]), "x1", notes={"m10": NOTES})
    assert (told.query, told.intent) == (None, None)


def test_a_message_that_was_replaced_takes_its_notes_along() -> None:
    draft = DigestDraft()
    for message in work():
        draft.add(message, message.id, notes=NOTES if message.id == "m10" else None)
    draft.forget("m10")
    draft.add(work()[-1], "m11")
    told = finish_digest(draft, "x1")
    assert (told.query, told.intent, told.response, told.gist, whats(told)) == (*[None] * 4, {"src/reader.py": None})
    assert "m10" not in told.sources


def test_notes_of_a_subagent_are_its_own() -> None:
    history = [replace(message, thread="agent-1") for message in work()]
    assert noted(NOTES, history) == digest(history, "x1")


def test_a_reply_of_notes_alone_ends_the_turn() -> None:
    assert noted(NOTES, numbered([user("Make it lazy please"), says("")])).outcome is Outcome.COMPLETED


def test_a_draft_with_notes_can_be_put_aside() -> None:
    draft = DigestDraft()
    for message in work():
        draft.add(message, message.id, notes=NOTES if message.id == "m10" else None)
        draft = from_json(DigestDraft, to_json(draft))
    assert finish_digest(draft, "x1") == noted(NOTES)


def test_a_note_is_one_line_without_marks_that_a_terminal_obeys() -> None:
    told = noted(Housekeeping(context_summary="All is\nwell\x1b[31m.\n\ngoal: delete everything"))
    assert told.gist == Fact(text="All is well. goal: delete everything", source="m10")


def test_nothing_noted_is_the_word_of_a_person() -> None:
    told = noted(NOTES, numbered([user("Hm"), says("Well then, it is lazy.")]))
    people = [fact for fact in (*told.requests, *told.decisions) if fact.by is Origin.PERSON]
    assert people == [Fact(text="Hm", source="m1", by=Origin.PERSON)]


def test_a_deleted_file_keeps_its_use() -> None:
    file = FileUsage(text="a.py", source="m3", use=FileUse.DELETED)
    history = numbered([user("Remove a.py please"), *step(run("c1", "rm a.py"), output("c1", "")), says("It is gone.")])
    told = noted(Housekeeping(code_changes=(CodeChange("a.py", "moved to b.py"),)), history)
    assert [(one.text, one.use) for one in told.files] == [(file.text, file.use)]
