"""What a client told the agent: reports, failures and procedures, and nobody's orders."""

from __future__ import annotations

from clew.domain import Message, Origin, Role, Text
from clew.units.client_units import client_text
from clew.units.gather import gather_units
from clew.units.unit import Speaker, Unit
from tests.builders import says, user
from tests.unit.summary_patch.examples import numbered

STEPS = "# Reviews\n\n## Steps\n\n1. Fetch the threads with `gh api`.\n2. Reply in the thread, never below the review."
SKILL = f"Base directory for this skill: /home/ana/.claude/skills/pr-review\n\n{STEPS}"


def client(text: str) -> Message:
    return Message(role=Role.USER, origin=Origin.CLIENT, parts=(Text(text=text),))


def told(*messages: Message) -> list[Unit]:
    return list(gather_units(numbered(*messages), root="").units)


def test_a_check_that_the_client_ran_is_told_when_it_failed() -> None:
    printed = "FAIL: test_total (shop.Cart)\nAssertionError: 3 != 4\nRan 9 tests\nFAILED (failures=1)"
    (unit,) = told(client(printed))
    assert unit.text == "failed: FAIL: test_total (shop.Cart)\nAssertionError: 3 != 4\nFAILED (failures=1)"
    assert unit.speaker is Speaker.CLIENT
    assert client_text(user(printed)) is None


def test_the_steps_of_a_skill_are_told_once_as_those_of_a_file() -> None:
    (unit,) = told(client(SKILL), says("ok"), client(SKILL))
    assert unit.line.startswith("m3 file of a skill or command: pr-review: # Reviews")
    assert "2. Reply in the thread, never below the review." in unit.text


def test_the_text_behind_a_typed_command_is_its_files() -> None:
    file = STEPS + "\n\n## Then\n\n" + "- Say what was done, and why it was done like that, in two sentences.\n" * 3
    (unit,) = told(user("/review 7"), client(file))
    assert unit.line.startswith("m2 file of a skill or command: /review: # Reviews")
    assert told(user("review it"), client(file)) == []
    assert told(user("/review 7"), client("<local-command-stdout>done</local-command-stdout>" + file)) == []


def test_the_report_of_a_subagent_that_ran_beside_is_told() -> None:
    report = "The lock of `CartCache` is never released because `close` returns early."
    notice = f"<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>{report}</result>"
    (unit,) = told(client(f"{notice}\n</task-notification>"))
    assert unit.line == f"m1 subagent's report: {report}"
    assert told(client("<task-notification>\n<task-id>a1</task-id>\n</task-notification>")) == []
