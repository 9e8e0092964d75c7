"""Search over all sessions and over documents: each by its own figures, with its source."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.retrieval.documents import Document, DocumentKind
from tests.builders import call, gives, output, says, user

LOG = "\n".join(f"line {number}: the crane swings at {number * 37}" for number in range(400))


@pytest.fixture(autouse=True)
def _recorded(engine: Engine) -> None:
    engine.session("ferry", client="cli").record([user("When does the ferry leave?"), says("At nine from pier four.")])
    crane = [user("Look at the log of the crane."), says("Reading.", call("c1", "read")), gives(output("c1", LOG))]
    engine.session("crane").record([*crane, says("It swings.")])
    engine.session("empty")
    about = {"category": "ops"}
    retry = Document(id="retry", kind=DocumentKind.MODULE, text="A pier call is repeated.", metadata=about)
    engine.documents("knowledge").put([retry])


def found(engine: Engine, query: str, **asked: object) -> list[tuple[str, str, str]]:
    return [(one.kind, one.session, one.id) for one in engine.search(query, **asked)]  # type: ignore[arg-type]


def test_the_session_that_holds_the_words_comes_first_with_its_source(engine: Engine) -> None:
    first = engine.search("when does the ferry leave")[0]
    assert (first.kind, first.session, first.id, first.source) == ("segment", "ferry", "x1", "ferry#m1")
    assert found(engine, "crane swings")[0] == ("segment", "crane", "x1")
    assert found(engine, "zebra") == []


def test_kinds_and_filters_narrow_what_is_found(engine: Engine) -> None:
    assert found(engine, "pier repeated", kind="module") == [("module", "", "retry")]
    assert found(engine, "pier", kind="module", filters={"category": "dev"}) == []
    assert found(engine, "pier", kind="message")[0][2] == "m2"
    assert found(engine, "pier crane", kind="segment", filters={"client": "cli"}) == [("segment", "ferry", "x1")]
    kinds = {kind for kind, _, _ in found(engine, "pier")}
    assert kinds == {"segment", "module"}


def test_a_blob_is_an_output_that_is_kept_whole(engine: Engine) -> None:
    [(kind, session, id)] = found(engine, "crane swings", kind="blob")
    assert (kind, session) == ("blob", "crane")
    assert engine.find("crane").recall(id)[0].text == LOG


def test_a_word_in_the_middle_of_a_long_output_is_found_with_the_lines_around_it(engine: Engine) -> None:
    lines = [f"line {at}: step{at} of the crane took {at * 37} ms" for at in range(3_000)]
    lines[1_500] = "line 1500: the zeppelin was moored"
    asked = [
        user("Look at the second log."),
        says("Reading.", call("c2", "read")),
        gives(output("c2", "\n".join(lines))),
    ]
    engine.session("mooring").record(asked)
    for kind in ("blob", "segment", "message"):
        [one] = engine.search("zeppelin", kind=kind, limit=1)
        assert one.session == "mooring"
        assert "line 1500: the zeppelin was moored / line 1501" in one.text
    before = engine.session("ferry").search("ferry")
    assert engine.search("ferry", filters={"session": "ferry"}) == before


def test_what_sessions_have_in_common_is_found_once(engine: Engine) -> None:
    for name in ("one", "two", "three"):
        engine.session(name).record([user("The lighthouse blinks twice a minute, and never on Sundays.")])
    [found] = engine.search("lighthouse blinks")
    assert {found.session, *(one.partition("#")[0] for one in found.alike)} == {"one", "two", "three"}


def test_an_unknown_kind_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="cannot search for 'story'"):
        engine.search("ferry", kind="story")


def test_secrets_are_masked_in_what_is_shown(engine: Engine) -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 10
    engine.session("keys").record([user(f"The lighthouse key is {secret}")])
    [one] = [one for one in engine.search("lighthouse key") if one.session == "keys"]
    assert secret not in one.text


@pytest.mark.parametrize("query", ['"', "*", "NEAR(", "-ferry", 'ferry" OR "crane', "ferry*", "the of", "x " * 50_000])
def test_no_query_breaks_a_search(engine: Engine, query: str) -> None:
    engine.search(query)
    engine.session("ferry").search(query)


def test_one_sessions_words_never_move_the_order_in_another(engine: Engine) -> None:
    before = engine.session("ferry").search("ferry pier")
    engine.session("other").record([user("ferry ferry ferry pier pier")])
    assert engine.session("ferry").search("ferry pier") == before
