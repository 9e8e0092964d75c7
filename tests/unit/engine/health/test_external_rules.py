"""What holds in a session without being said in it: the user's profile, and rule files of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.domain import Message
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound, UsageError
from tests.builders import call, gives, output, says, user
from tests.lines import jsonl, line

pytestmark = pytest.mark.person

WISH = "In all my projects I prefer tabs over spaces."
BUN = "Always use bun instead of npm."


def told(session: Session) -> list[tuple[str, str, str]]:
    return [(item.text, item.by, item.source) for item in session.pins() if item.is_in_force]


def packed(session: Session) -> str:
    return session.pack(None, budget=2_000, target="text").text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "harbor"
    (folder / ".git").mkdir(parents=True)
    return folder


def recorded(engine: Engine, folder: Path, *messages: Message) -> Session:
    session = engine.session("s", model="gpt-5", cwd=str(folder))
    session.record(messages)
    return session


# ── the profile ──────────────────────────────────────────────────────────────────────────────────────


def test_what_is_pinned_for_the_user_holds_in_their_other_sessions(engine: Engine) -> None:
    first = engine.session("one")
    first.record([user("Hello."), says("Hi.")])
    item = first.pin(WISH, kind="preference", scope="user")
    assert told(first) == [(WISH, "person", "")]
    second = engine.session("two")
    second.record([user("Good morning."), says("Hi.")])
    assert told(second) == [(WISH, "profile", "profile p1")]
    assert WISH in packed(second)
    assert item.scope == "user"
    engine.profile().forget("p1")
    second.record([user("Go on."), says("Yes.")])
    assert told(second) == []


def test_what_a_user_says_of_themselves_joins_the_profile(engine: Engine) -> None:
    session = engine.session("one")
    session.record([user(f"Please sort the list. {WISH}"), says("Done.")])
    assert [(one.text, one.source) for one in engine.profile().show()] == [(WISH, "one m1")]


def test_a_rule_for_this_conversation_is_no_part_of_the_profile(engine: Engine) -> None:
    session = engine.session("one")
    session.record([user("Always answer in English. Do not add markdown or explanation."), says("Yes.")])
    assert len(session.pins()) == 2
    assert engine.profile().show() == []


def test_what_is_forgotten_does_not_come_back(engine: Engine) -> None:
    session = engine.session("one")
    session.record([user(f"Please sort the list. {WISH}"), says("Done.")])
    engine.profile().forget("p1")
    session.record([user("Go on."), says("Yes.")])
    assert engine.profile().show() == []


def test_neither_a_system_prompt_nor_an_import_makes_a_profile(engine: Engine, tmp_path: Path) -> None:
    session = engine.session("one")
    session.record([user("Hello."), says("Hi.")], format="clew", system=f"You are kind. {WISH}")
    path = tmp_path / "s.jsonl"
    path.write_bytes(jsonl([line(1, "user", f"Sort the list. {WISH}")]))
    imported = engine.find(engine.import_file(path)[0].session)
    imported.record([user("Go on."), says("Yes.")])
    assert engine.profile().show() == []


def test_what_was_said_in_a_purged_session_is_gone_from_the_profile(engine: Engine) -> None:
    session = engine.session("one")
    session.record([user(f"Please sort the list. {WISH}"), says("Done.")])
    engine.purge(session.key)
    assert engine.profile().show() == []


def test_profiles_are_of_one_user_alone(engine: Engine) -> None:
    engine.profile(user="ana").set(WISH)
    other = engine.session("two", user="ben")
    other.record([user("Hello."), says("Hi.")])
    assert told(other) == []
    own = engine.session("three", user="ana")
    own.record([user("Hello."), says("Hi.")])
    assert [text for text, _, _ in told(own)] == [WISH]


def test_another_choice_takes_the_place_of_the_earlier_one(engine: Engine) -> None:
    profile = engine.profile()
    profile.set("Always answer in English.", kind="instruction")
    profile.set("Always answer in German.", kind="instruction")
    profile.set("Always answer in German.", kind="instruction")
    assert [item.text for item in profile.show()] == ["Always answer in German."]


def test_what_cannot_be_is_said(engine: Engine) -> None:
    with pytest.raises(UsageError):
        engine.profile().set("  ")
    with pytest.raises(UsageError):
        engine.profile().set("x", kind="law")
    with pytest.raises(NotFound):
        engine.profile().forget("p1")


# ── rule files ───────────────────────────────────────────────────────────────────────────────────────


def test_rules_of_a_file_are_watched_and_not_sent_again(engine: Engine, project: Path) -> None:
    (project / "CLAUDE.md").write_text(f"# Rules\n\n- {BUN}\n")
    session = recorded(engine, project, user("Hello."), says("Hi."))
    assert told(session) == []
    session.channels.load_rule_files()
    assert told(session) == [(BUN, "file", "CLAUDE.md")]
    assert BUN not in packed(session)
    npm = call("c1", "Bash", command="npm install left-pad")
    session.record([user("Add left-pad."), says("Adding.", npm), gives(output("c1", "added 1 package"))])
    (rule,) = session.drift().requirements
    assert (rule.state, rule.evidence) == ("broken", "m4")


def test_what_a_file_says_is_no_second_item(engine: Engine, project: Path) -> None:
    (project / "AGENTS.md").write_text(f"- {BUN}\n")
    session = recorded(engine, project, user(f"Hello. {BUN}"), says("Hi."))
    assert told(session) == [(BUN, "person", "m1")]
    session.channels.load_rule_files()
    assert told(session) == [(BUN, "file", "AGENTS.md")]
    session.record([user(f"As I said: {BUN}"), says("Yes.")])
    assert told(session) == [(BUN, "file", "AGENTS.md")]
    (item,) = [item for item in session.pins() if item.is_in_force]
    assert item.supersedes == "p1"


def test_a_file_that_changes_changes_its_rules(engine: Engine, project: Path) -> None:
    rules, session = project / "CLAUDE.md", recorded(engine, project, user("Hello."), says("Hi."))
    rules.write_text(f"- {BUN}\n- Never commit to main.\n")
    session.channels.load_rule_files()
    entries = session.info.entries
    session.channels.load_rule_files()
    assert session.info.entries == entries
    rules.write_text("- Never commit to main.\n")
    session.channels.load_rule_files()
    assert [text for text, _, _ in told(session)] == ["Never commit to main."]
    rules.write_text(f"- {BUN}\n- Never commit to main.\n")
    session.channels.load_rule_files()
    assert {text for text, _, _ in told(session)} == {BUN, "Never commit to main."}


def test_what_somebody_unpinned_stays_so(engine: Engine, project: Path) -> None:
    rules, session = project / "CLAUDE.md", recorded(engine, project, user("Hello."), says("Hi."))
    rules.write_text(f"- {BUN}\n")
    session.channels.load_rule_files()
    session.unpin("p1")
    rules.write_text(f"- {BUN}\n- Never commit to main.\n")
    session.channels.load_rule_files()
    assert [text for text, _, _ in told(session)] == ["Never commit to main."]


def test_rebuilt_without_the_file_all_is_the_same(engine: Engine, project: Path) -> None:
    (project / "CLAUDE.md").write_text(f"- {BUN}\n")
    session = recorded(engine, project, user("Hello."), says("Hi."))
    session.channels.load_rule_files()
    before = session.pins()
    (project / "CLAUDE.md").unlink()
    engine.rebuild(session.info)
    assert session.pins() == before
