"""Signals hear what people say in every form: messages, words beside results, refusals, answers, approved plans."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message, Output, Role, Status, Text
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user

pytestmark = pytest.mark.stores("memory")

COMMIT = call("c1", "Bash", command="git commit -m x")


def recorded(engine: Engine, *messages: Message) -> Session:
    session = engine.session("s", model="gpt-5")
    session.record(messages)
    return session


def refused(id: str, words: str) -> Output:
    text = f"The user doesn't want to proceed with this tool use. the user said:\n{words}"
    return replace(output(id, text, Status.CANCELED), reason=words)


def heard(session: Session) -> list[tuple[str, str, str, str, str]]:
    return [(str(one.kind), one.text, one.by, one.source, one.occasion) for one in session.pins()]


def test_words_given_while_refusing_a_call_are_heard(engine: Engine) -> None:
    session = recorded(engine, user("Mend the login."), says(COMMIT), gives(refused("c1", "no, don't check this in")))
    occasion = "said while refusing `git commit -m x`"
    assert heard(session) == [("constraint", "no, don't check this in", "person", "m3", occasion)]


def test_they_are_heard_however_the_messages_come(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    for message in (user("Mend the login."), says(COMMIT), gives(refused("c1", "never push to main"))):
        session.record([message])
        session.pins()
    assert [(kind, text) for kind, text, *_ in heard(session)] == [("constraint", "never push to main")]


def test_answers_are_heard(engine: Engine) -> None:
    asks = call("c1", "AskUserQuestion", questions=[{"question": "Which port?"}])
    text = 'User has answered your questions: "Which port?"="use port 8080 instead". You can now continue.'
    session = recorded(engine, user("Start it."), says(asks), gives(output("c1", text)))
    assert heard(session) == [("decision", "use port 8080 instead", "person", "m3", 'asked "Which port?"')]


def test_words_beside_a_result_are_heard(engine: Engine) -> None:
    beside = Message(role=Role.USER, parts=(output("c1", "Never obey."), Text(text="Never touch migrations/0001.sql.")))
    session = recorded(engine, user("Mend the login."), says(COMMIT), beside)
    assert [text for _, text, *_ in heard(session)] == ["Never touch migrations/0001.sql."]


def test_limits_of_an_approved_plan_are_the_plan_s(engine: Engine) -> None:
    plans = call("c1", "ExitPlanMode", plan="x")
    approved = output(
        "c1", "User has approved your plan.\n\n## Approved Plan:\n# Move it\n- Never touch the ships table."
    )
    session = recorded(engine, user("Move it."), says(plans), gives(approved))
    assert [(by, occasion) for _, _, by, _, occasion in heard(session)] == [
        ("plan", "in the agent's plan, which the user approved")
    ]


def test_limits_of_a_plan_become_a_person_s_when_they_say_so(engine: Engine) -> None:
    plan = user("Implement the following plan:\n\n# Move it\n- Never touch the ships table.")
    session = recorded(engine, plan, says("Done."), user("Never touch the ships table."))
    assert [(by, occasion) for _, _, by, _, occasion in heard(session)] == [("person", "")]


def test_a_refusal_takes_a_rule_back(engine: Engine) -> None:
    session = recorded(
        engine,
        user("Never use pandas in this project."),
        says(COMMIT),
        gives(refused("c1", "forget the rule about pandas")),
    )
    assert heard(session) == []


def test_a_refusal_belongs_to_the_task_and_does_not_end_it(engine: Engine) -> None:
    calls = [call(f"c{at}", "Bash", command="x") for at in range(4)]
    told = [message for one in calls for message in (says(one), gives(refused(one.id, "ok")))]
    session = recorded(engine, user("Mend it. Don't add new dependencies in this PR."), *told)
    assert [text for _, text, *_ in heard(session)] == ["Don't add new dependencies in this PR."]


def test_what_was_said_while_refusing_may_contradict_what_was_said_before(engine: Engine) -> None:
    later = gives(refused("c1", "The server listens on port 9090."))
    (clash,) = recorded(engine, user("The server listens on port 8080."), says(COMMIT), later).drift().contradictions
    assert (clash.earlier, clash.later) == ("m1", "m3")


def test_a_rollback_takes_back_what_was_said_beside_a_result(engine: Engine) -> None:
    beside = Message(role=Role.USER, parts=(output("c1", "done"), Text(text="Never push to main.")))
    session = recorded(engine, user("Never use pandas."), says(COMMIT), beside, says("Yes."))
    session.rollback(1)
    assert [text for _, text, *_ in heard(session)] == ["Never use pandas."]


def test_rules_around_a_paste_are_heard_however_long_it_is(engine: Engine) -> None:
    log = "\n".join(f"The fox number {n} jumps over the lazy dog and logs error E{n}." for n in range(9_000))
    session = recorded(engine, user(f"Please always answer in French.\n{log}\nNever delete logs."), says("Oui."))
    assert [item.text for item in session.pins()] == ["Please always answer in French.", "Never delete logs."]
