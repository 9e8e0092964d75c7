"""The cache of answers: off unless asked for; the same question of the same user is answered without the model."""

from __future__ import annotations

from clew.codecs import jsonio
from clew.domain import EntryKind
from clew.domain.modules import Module
from clew.engine.session import Session
from tests.provider_replies import Says
from tests.scripted_turns import engine_with, saying, texts

QUESTION = "what is 2+3?"


def cached(session: Session) -> list[object]:
    return [jsonio.loads(one.body) for one in session.reader.entries() if one.kind is EntryKind.CACHED]


def test_without_the_setting_every_question_is_asked() -> None:
    with saying(Says("5"), Says("five")) as served, engine_with(served.url) as engine:
        said = [engine.session(id).ask(QUESTION, model="local/qwen").text for id in ("a", "b")]
        assert said == ["5", "five"]
        assert engine.answers().counts().asked == 0


def test_the_same_question_again_is_answered_from_the_cache_and_the_ledger_says_so() -> None:
    with (
        saying(Says("5"), Says("five")) as served,
        engine_with(served.url, cached_answers=10, person="default") as engine,
    ):
        first, second = engine.session("a"), engine.session("b")
        assert first.ask(QUESTION, model="local/qwen").text == "5"
        answer = second.ask(QUESTION, model="local/qwen")
        assert (answer.text, answer.end, answer.usage) == ("5", "answered", None)
        assert texts(second) == [QUESTION, "5"]
        assert (len(cached(first)), len(cached(second))) == (0, 1)
        assert second.messages()[-1].usage is None
        counts = engine.answers().counts()
        assert (counts.asked, counts.hits, counts.hit_rate) == (2, 1, 0.5)
        assert first.ask(QUESTION, model="local/qwen").text == "five"  # something was said before it now


def test_another_user_model_profile_or_knowledge_asks_again() -> None:
    script = [Says(str(number)) for number in range(6)]
    with saying(*script) as served, engine_with(served.url, cached_answers=10, person="default") as engine:
        said = [engine.session("a").ask(QUESTION, model="local/qwen").text]
        said.append(engine.session("b", user="ben").ask(QUESTION, model="local/qwen").text)
        said.append(engine.session("c").ask(QUESTION, model="local/other").text)
        engine.profile().set("Call me Ana.")
        said.append(engine.session("d").ask(QUESTION, model="local/qwen").text)
        engine.knowledge.add(Module(id="law", name="Law", content="Stamps.", usage_scope="on request"))
        said.append(engine.session("e").ask(QUESTION, model="local/qwen").text)
        assert said == ["0", "1", "2", "3", "4"]
        assert engine.session("f").ask(QUESTION, model="local/qwen").text == "4"


def test_calls_are_not_kept_and_the_oldest_answers_go() -> None:
    call = Says(tool="add", arguments={"a": 1}, id="c1")
    script = [call, Says("2"), Says("x"), Says("y")]
    with saying(*script) as served, engine_with(served.url, cached_answers=1, person="default") as engine:
        tools = {"add": lambda a: a + 1}
        assert engine.session("a").ask(QUESTION, model="local/qwen", tools=tools).text == "2"
        assert engine.session("b").ask("why?", model="local/qwen").text == "x"
        assert engine.session("c").ask("who?", model="local/qwen").text == "y"
        assert engine.session("d").ask("who?", model="local/qwen").text == "y"
        engine.answers().clear()
        assert engine.answers().counts().asked == 0


def test_what_was_said_in_a_purged_session_is_gone_from_the_cache() -> None:
    with (
        saying(Says("5"), Says("five")) as served,
        engine_with(served.url, cached_answers=10, person="default") as engine,
    ):
        engine.session("a").ask(QUESTION, model="local/qwen")
        engine.purge(engine.key("a"))
        assert engine.session("b").ask(QUESTION, model="local/qwen").text == "five"


def test_what_nobody_was_named_for_is_answered_anew_in_every_session() -> None:
    with saying(Says("5"), Says("five")) as served, engine_with(served.url, cached_answers=10) as engine:
        assert [engine.session(id).ask(QUESTION, model="local/qwen").text for id in ("a", "b")] == ["5", "five"]
