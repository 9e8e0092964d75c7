"""What people said stands in their words, with what it replies to; the oldest shrink first."""

from __future__ import annotations

from clew.history.person_words import PersonStatement, StatementKind
from clew.units.outline import outline
from clew.units.person_lines import StatementInContext, person_line, person_lines, request_line
from tests.builders import call


def message(text: str, source: str = "m7", before: str = "") -> StatementInContext:
    return StatementInContext(PersonStatement(StatementKind.MESSAGE, text, source), before)


def words(text: str) -> int:
    return len(text.split())


def test_a_refusal_names_what_was_refused() -> None:
    commit = call("c", "Bash", command="git commit -m x")
    said = StatementInContext(PersonStatement(StatementKind.REFUSAL, "not yet", "m7", call=commit))
    assert person_line(said, 100, "") == "m7 user (refusing `git commit -m x`): not yet"


def test_an_answer_comes_with_its_question() -> None:
    said = StatementInContext(PersonStatement(StatementKind.ANSWER, "8080", "m7", about="Which port?"))
    assert person_line(said, 100, "") == 'm7 user (asked "Which port?"): 8080'


def test_a_brief_reply_comes_with_the_option_it_names() -> None:
    before = "Two ways:\n1. Drop the column\n2. Keep it and warn\nWhich one?"
    assert person_line(message("2", before=before), 100, "") == 'm7 user: 2 [to the agent\'s "Keep it and warn"]'


def test_a_brief_reply_comes_with_the_question_it_answers() -> None:
    line = person_line(message("yes please", before="It is done. Shall I push it? Tests pass."), 100, "")
    assert line == 'm7 user: yes please [to the agent\'s "Shall I push it?"]'


def test_a_brief_newest_request_stands_with_all_that_it_replies_to() -> None:
    request = message("yes please", before="It is done. Shall I push it to the branch of the harbour office?")
    line = request_line(request, most=100, count=words, root="")
    assert line == 'm7 user: yes please [to the agent\'s "Shall I push it to the branch of the harbour office?"]'


def test_an_exchange_is_named_with_the_words_that_began_it() -> None:
    said = StatementInContext(PersonStatement(StatementKind.MESSAGE, "fix the login of the shop", "m7"), exchange=3)
    assert person_line(said, 100, "").startswith("m7 (x3) user: ")


def test_a_plan_in_outline_keeps_its_headings_items_and_limits() -> None:
    plan = (
        "# Move it\n" + "Long words. " * 80 + "\n\n## Limits\n- never touch the table\n\n```sql\n" + "x\n" * 90 + "```"
    )
    found = outline(plan, 300)
    assert found.split("\n") == ["# Move it", "Long words.", "## Limits", "- never touch the table"]


def test_the_newest_words_come_first_into_the_room_and_the_oldest_shrink() -> None:
    said = [message("old words " * 60, "m1"), message("newest words of all", "m9")]
    lines = person_lines(said, room=40, count=words, chars=200, root="")
    assert [id for id, _ in lines] == ["m1", "m9"]
    assert lines[1][1] == "m9 user: newest words of all"
    assert "[…]" in lines[0][1]
    assert sum(words(line) + 1 for _, line in lines) <= 40


def test_others_are_shortened_alike_so_that_all_have_a_place() -> None:
    said = [message(f"part {at} " + "of the long tale " * 30, f"m{at}") for at in range(4)]
    lines = person_lines([*said, message("and now?", "m9")], room=400, count=words, chars=1_400, root="")
    assert [id for id, _ in lines] == ["m0", "m1", "m2", "m3", "m9"]
    assert max(len(line) for _, line in lines) <= 360


def test_of_far_too_many_words_the_telling_sentences_are_kept() -> None:
    idle = [
        message(f"Yeah, that sounds fine to me. Thanks a lot for number {at}, really!", f"m{at}") for at in range(40)
    ]
    fact = message("So, well, what can I say about it. We moved the deadline to May 15 with Kevin. Anyway.", "m50")
    lines = person_lines([fact, *idle, message("and now?", "m60")], room=400, count=words, chars=500, root="")
    assert lines[0] == ("m50", "m50 user: We moved the deadline to May 15 with Kevin. […]")
    assert len(lines) < 20


def test_a_plan_leaves_room_for_other_words_and_a_paste_is_no_plan() -> None:
    plan = message("# Plan\n## Limits\n" + "- never touch the table of prices\n" * 60, "m1")
    paste = message("look at this\n" + "- 12:01 started worker\n" * 90, "m2")
    asked = message("what if the review takes longer than the thirty seconds that it is given, " * 2, "m3")
    lines = dict(person_lines([plan, paste, asked, message("yes", "m9")], room=900, count=words, chars=1_600, root=""))
    assert lines["m3"].endswith(asked.statement.text.strip())
    assert len(lines["m2"]) < 470 < len(lines["m1"])


def test_of_words_with_a_pasted_terminal_the_words_are_kept() -> None:
    said = message("It does not clear the review file. The transcript: \n" + "⏺ Read 2 files (ctrl+o to expand)\n" * 40)
    assert (
        person_line(said, 300, "") == "m7 user: It does not clear the review file. The transcript: [pasted output […]]"
    )


def test_brief_words_come_before_a_plan() -> None:
    plan = StatementInContext(
        PersonStatement(StatementKind.PLAN, "# Move it\n" + "- one more step of the plan\n" * 90, "m5")
    )
    said = [message("make it fast", "m1"), message("never on a Friday", "m3"), plan, message("go", "m9")]
    lines = person_lines(said, room=60, count=words, chars=300, root="")
    assert [id for id, _ in lines] == ["m1", "m3", "m5", "m9"]


def test_plain_words_are_shown_while_there_is_room() -> None:
    said = [
        message(f"please {what} the window of the harbour office", f"m{at}") for at, what in enumerate(["open"] * 30, 1)
    ]
    lines = person_lines(said, room=150, count=words, chars=900, root="")
    assert len(lines) > 10


def test_the_newest_request_is_told_before_older_words_whatever_was_refused_since() -> None:
    task = "Now I want tests from the outside, in Go: build the program, make a repository and call it. " * 5
    older = [
        message(f"Look at part {at}. " + "CLAUDE.md still names Phase 3 of 2026. " * 12, f"m{at}") for at in range(30)
    ]
    plan = call("c", "ExitPlanMode", plan="# Tests")
    refused = StatementInContext(PersonStatement(StatementKind.REFUSAL, "", "m99", call=plan))
    lines = dict(person_lines([*older, message(task, "m90"), refused], room=260, count=words, chars=1_000, root=""))
    assert task.strip() in lines["m90"]
    assert "m99" not in lines
