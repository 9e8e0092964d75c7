"""Branches of a session."""

from __future__ import annotations

from clew.domain import user
from clew.engine.engine import Engine
from clew.engine.session_branches import branches_of, has_branch, is_in_use, named_branch, new_branch, note_use


def test_a_branch_has_the_system_prompt_of_its_session(engine: Engine) -> None:
    session, asked = engine.session("s"), list[str]()
    session.record([user("Hello.")])
    session.system(lambda: asked.append("") or "Be brief.")
    made = [new_branch(session, with_history=with_history) for with_history in (True, False)]
    assert (asked, [one.system_prompt.is_set for one in made]) == ([], [True, True])
    made[0].pack(budget=4_000)
    assert (len(asked), made[0].system_prompt.text) == (1, "Be brief.")


def test_branches_are_numbered_and_found_again(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    session.record([user("Hello.")])
    assert branches_of(session) == []
    copied = new_branch(session, with_history=True)
    empty = new_branch(session, with_history=False)
    empty.record([user("Else.")])
    assert [one.id for one in branches_of(session)] == ["s.2", "s.3"]
    assert [one.text for one in copied.messages()] == ["Hello."]
    assert ([one.text for one in empty.messages()], empty.info.model) == (["Else."], "gpt-5")


def test_a_branch_with_a_name_is_found_again_and_is_none_of_the_numbered(engine: Engine) -> None:
    told: list[str] = []
    engine.on("session.branched", lambda event: told.append(event.data["branch"]))
    session = engine.session("s", model="gpt-5")
    session.record([user("Hello.")])
    named_branch(session, "handoff").record([user("Else.")])
    found = named_branch(session, "handoff")
    assert ([one.text for one in found.messages()], found.info.model) == (["Else."], "gpt-5")
    assert (told, branches_of(session)) == (["s.handoff"], [])


def test_a_branch_with_a_name_has_the_system_prompt(engine: Engine) -> None:
    session = engine.session("s")
    session.system("Be brief.")
    assert not has_branch(session, "side")
    named_branch(session, "side").record([user("Else.")])
    assert has_branch(session, "side")
    assert named_branch(session, "side").system_prompt.text == "Be brief."


def test_a_session_is_in_use_once_noted_and_no_longer_when_it_is_purged(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("Hello.")])
    assert not is_in_use(session)
    note_use(session)
    assert is_in_use(engine.session("s"))
    engine.purge(session.info.key)
    assert not is_in_use(engine.session("s"))
