"""Every promise of the Model protocol, held against every adapter.

Those that ask over HTTP do so over a real connection, to a server on this machine that misbehaves when told to.
"""

from __future__ import annotations

import logging
import traceback
from ast import literal_eval
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import Any

import pytest

import clew.models
from clew.cancellation import Cancel
from clew.config import ModelsConfig
from clew.domain import Usage
from clew.errors import (
    ModelBadAnswer,
    ModelCancelled,
    ModelError,
    ModelOverflow,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
    UsageError,
)
from clew.models import Scripted, model_for, registry
from clew.models.callables import ScriptedAnswer
from clew.ports import Model, ModelReply, ModelRequest
from tests.model_dialects import ALL, ASKED, KEY, Dialect, model_at
from tests.model_server import PATIENCE_SECONDS, FaultyServer, HandRequestClock, answers, hangs_up, resets

FOUR = "Four."
USAGE = Usage(15, 5, 3)


@pytest.fixture(params=ALL, ids=lambda dialect: dialect.maker)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """An adapter that asks over HTTP, by how its provider speaks."""
    found: Dialect = request.param
    return found


@dataclass
class HttpSubject:
    """A model behind a server that answers as it is told to."""

    dialect: Dialect
    server: FaultyServer
    hand: HandRequestClock

    @property
    def usage(self) -> Usage:
        return self.dialect.usage

    @property
    def seen(self) -> int:
        """How many questions have reached the model."""
        return len(self.server.requests)

    def model(self, *outcomes: str) -> Model:
        """A model that gives these, one after the other: fields of ``Dialect``."""
        for outcome in outcomes:
            given = getattr(self.dialect, outcome)
            self.server.then(answers(*given) if isinstance(given, tuple) else answers(200, given))
        return model_at(self.dialect, self.server, self.hand)

    def cancelled_at_work(self, cancel: Cancel) -> Model:
        """A model that is cancelled while it works on its answer."""
        self.server.then(self.server.hangs)
        Thread(target=lambda: self.server.arrived.wait(PATIENCE_SECONDS) and cancel.cancel(), daemon=True).start()
        return model_at(self.dialect, self.server, self.hand)


@dataclass
class ScriptedSubject:
    usage: Usage = USAGE
    scripted: Scripted = field(default_factory=lambda: Scripted([]))

    @property
    def seen(self) -> int:
        return len(self.scripted.requests)

    def model(self, *outcomes: str) -> Model:
        script: dict[str, ScriptedAnswer] = {
            "answer": ModelReply(FOUR, usage=self.usage),
            "calling": ModelReply("", "calls", ("calculator",)),
            "declining": ModelReply("", "refusal"),
            "cut": ModelReply("Fo", "length"),
            "overflow": ModelOverflow("too long"),
            "bad_key": ModelUnauthorized("no such key"),
        }
        self.scripted = Scripted([script[outcome] for outcome in outcomes])
        return self.scripted

    def cancelled_at_work(self, cancel: Cancel) -> Model:
        def answer(_request: ModelRequest) -> str:
            cancel.cancel()
            return "too late"

        self.scripted = Scripted(answer)
        return self.scripted


Subject = HttpSubject | ScriptedSubject


@pytest.fixture(params=[*ALL, None], ids=lambda dialect: dialect.maker if dialect else "scripted")
def subject(request: pytest.FixtureRequest, server: FaultyServer, hand: HandRequestClock) -> Subject:
    return HttpSubject(request.param, server, hand) if request.param else ScriptedSubject()


def answered(dialect: Dialect) -> ModelReply:
    return ModelReply(FOUR, "end", (), dialect.usage)


def secret(dialect: Dialect) -> str:
    """A key that stands in no request of this provider is none to look for."""
    return KEY if dialect.variables else "no such key"


def test_every_adapter_is_held_against_this_suite() -> None:
    adapters = {value for value in vars(clew.models).values() if isinstance(value, type) and hasattr(value, "ask")}
    by_name = {type(model_for(one.name, ModelsConfig(base_url="http://127.0.0.1:1"), env={})) for one in ALL}
    assert {*by_name, Scripted} == adapters
    assert {one.maker for one in ALL} == set(registry._PROVIDERS)


# ── any model ────────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_comes_with_what_it_cost(subject: Subject) -> None:
    assert subject.model("answer").ask(ASKED, seconds=30) == ModelReply(FOUR, "end", (), subject.usage)


def test_an_answer_that_is_a_tool_call_is_told_as_one(subject: Subject) -> None:
    reply = subject.model("calling").ask(ASKED, seconds=30)
    assert (reply.text, reply.stop, reply.calls) == ("", "calls", ("calculator",))


def test_a_refusal_is_told_as_one(subject: Subject) -> None:
    reply = subject.model("declining").ask(ASKED, seconds=30)
    assert (reply.text, reply.stop, reply.calls) == ("", "refusal", ())


def test_an_answer_that_was_cut_says_so(subject: Subject) -> None:
    reply = subject.model("cut").ask(ASKED, seconds=30)
    assert (reply.text, reply.stop) == ("Fo", "length")


@pytest.mark.parametrize(("outcome", "error"), [("overflow", ModelOverflow), ("bad_key", ModelUnauthorized)])
def test_what_cannot_be_answered_is_told_apart_and_not_asked_again(
    subject: Subject, outcome: str, error: type[ModelError]
) -> None:
    model = subject.model(outcome)
    with pytest.raises(ModelError) as raised:
        model.ask(ASKED, seconds=30)
    assert (type(raised.value), subject.seen) == (error, 1)


def test_no_time_at_all_is_a_time_out(subject: Subject) -> None:
    model = subject.model("answer")
    with pytest.raises(ModelTimeout):
        model.ask(ASKED, seconds=0)


def test_what_is_cancelled_beforehand_is_never_asked(subject: Subject) -> None:
    model, cancel = subject.model("answer"), Cancel()
    cancel.cancel()
    with pytest.raises(ModelCancelled):
        model.ask(ASKED, seconds=30, cancel=cancel)
    assert subject.seen == 0


def test_cancelling_ends_a_question_in_flight(subject: Subject) -> None:
    cancel = Cancel()
    model = subject.cancelled_at_work(cancel)
    with pytest.raises(ModelCancelled):
        model.ask(ASKED, seconds=600, cancel=cancel)
    assert subject.seen == 1


def test_a_model_that_failed_answers_the_next_question(subject: Subject) -> None:
    model = subject.model("overflow", "answer")
    with pytest.raises(ModelOverflow):
        model.ask(ASKED, seconds=30)
    assert model.ask(ASKED, seconds=30).text == FOUR


def test_one_model_answers_several_threads(subject: Subject) -> None:
    model, replies = subject.model(*["answer"] * 4), []
    threads = [Thread(target=lambda: replies.append(model.ask(ASKED, seconds=30))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert replies == [ModelReply(FOUR, "end", (), subject.usage)] * 4


# ── over HTTP ────────────────────────────────────────────────────────────────────────────────────────


def test_every_reason_to_stop_is_told_in_our_words(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(*(answers(200, dialect.stopped(reason)) for reason in dialect.stops))
    model = model_at(dialect, server, hand)
    assert {reason: model.ask(ASKED, seconds=30).stop for reason in dialect.stops} == dialect.stops


def test_a_question_is_sent_as_the_provider_wants_it_and_nothing_else(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, dialect.answer))
    assert model_at(dialect, server, hand).ask(ASKED, seconds=30) == answered(dialect)
    (seen,) = server.requests
    assert (seen.path, seen.body) == (dialect.path, dialect.body)
    assert list(seen.body) == list(dialect.body)
    name, value = dialect.header
    assert seen.headers.get(name, "") == value
    assert seen.headers["accept-encoding"] == "identity"
    assert [name for name, value in seen.headers.items() if KEY in value] == ([name] if name else [])


def test_no_system_prompt_is_sent_where_there_is_none(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, dialect.answer))
    model_at(dialect, server, hand).ask(ModelRequest("", ASKED.user, ASKED.max_tokens), seconds=30)
    assert server.requests[0].body == dialect.bare_body


def test_half_a_letter_does_not_stop_a_question(dialect: Dialect, server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(answers(200, dialect.answer))
    said = model_at(dialect, server, hand).ask(ModelRequest("", "broken \ud83d here", 64), seconds=30)
    assert said == answered(dialect)
    assert "\ud83d" not in str(server.requests[0].body)


GARBAGE: list[Any] = [
    b"",
    b"   ",
    b"not JSON",
    b"<html>busy</html>",
    b'"text"',
    b"[1, 2]",
    b'{"choices": [{"message"',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    {},
    {"choices": {"a": 1}, "content": "x", "candidates": [7], "usage": [], "usageMetadata": 3},
    {"choices": [{"message": {"content": 5}}], "content": [None, 3], "candidates": [{"content": {"parts": {"a": 1}}}]},
    {"choices": [{"message": {"content": " \n "}}], "content": [{"type": "text", "text": "\t"}]},
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_an_answer_that_is_none_is_a_bad_answer(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, garbage: object
) -> None:
    server.then(answers(200, garbage))
    with pytest.raises(ModelBadAnswer):
        model_at(dialect, server, hand).ask(ASKED, seconds=30)
    assert len(server.requests) == 1


def test_an_empty_answer_is_a_bad_answer(dialect: Dialect, server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(answers(200, dialect.empty))
    with pytest.raises(ModelBadAnswer, match="empty answer"):
        model_at(dialect, server, hand).ask(ASKED, seconds=30)


def test_an_answer_without_end_is_not_read_to_the_end(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, b'{"text": "' + b"x" * 9_000_000 + b'"}'))
    with pytest.raises(ModelBadAnswer, match="larger than"):
        model_at(dialect, server, hand).ask(ASKED, seconds=30)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_busy_or_failing_provider_is_asked_again(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, status: int
) -> None:
    server.then(answers(status, {"error": {"message": "later"}}), answers(200, dialect.answer))
    assert model_at(dialect, server, hand).ask(ASKED, seconds=30) == answered(dialect)
    assert [seen.body for seen in server.requests] == [dialect.body] * 2
    assert hand.waits == [0.5]


@pytest.mark.parametrize("breaks", [resets, hangs_up])
def test_a_broken_connection_is_tried_again(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, breaks: Any
) -> None:
    server.then(breaks, answers(200, dialect.answer))
    assert model_at(dialect, server, hand).ask(ASKED, seconds=30) == answered(dialect)


@pytest.mark.parametrize(
    ("status", "error"), [(429, ModelRateLimited), (500, ModelUnavailable), (529, ModelUnavailable)]
)
def test_retries_come_to_an_end_and_the_waits_double(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, status: int, error: type[ModelError]
) -> None:
    server.then(*[answers(status, {"error": {"message": "later"}})] * 4)
    with pytest.raises(error, match=f"answered {status}: later"):
        model_at(dialect, server, hand, max_retries=3).ask(ASKED, seconds=30)
    assert (len(server.requests), hand.waits) == (4, [0.5, 1.0, 2.0])


@pytest.mark.parametrize("status", [400, 402, 404, 405, 409, 422, 451])
def test_a_request_that_is_refused_is_not_sent_again(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, status: int
) -> None:
    server.then(answers(status, {"error": {"message": "no such model"}}))
    with pytest.raises(ModelRejected, match=f"answered {status}: no such model"):
        model_at(dialect, server, hand).ask(ASKED, seconds=30)
    assert (len(server.requests), hand.waits) == (1, [])


def test_a_server_that_says_nothing_is_a_time_out(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(server.hangs)
    with pytest.raises(ModelTimeout):
        model_at(dialect, server, hand).ask(ASKED, seconds=0.1)


@pytest.mark.parametrize("slow", ["trickles", "trickles_headers"])
def test_a_server_that_never_comes_to_an_end_is_a_time_out(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, slow: str
) -> None:
    server.then(getattr(server, slow))
    with pytest.raises(ModelTimeout):
        model_at(dialect, server, hand).ask(ASKED, seconds=0.2)


@pytest.mark.parametrize("when", ["hangs", "stops_half_way"])
def test_cancelling_ends_a_request_in_flight_and_its_connection(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, when: str
) -> None:
    server.then(getattr(server, when))
    cancel = Cancel()
    Thread(target=lambda: server.arrived.wait(PATIENCE_SECONDS) and cancel.cancel(), daemon=True).start()
    with pytest.raises(ModelCancelled):
        model_at(dialect, server, hand).ask(ASKED, seconds=600, cancel=cancel)
    assert server.left.wait(PATIENCE_SECONDS)


def test_cancelling_between_two_attempts_ends_them(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(503, {}))
    hand.cancels = True
    with pytest.raises(ModelCancelled):
        model_at(dialect, server, hand).ask(ASKED, seconds=30, cancel=Cancel())
    assert len(server.requests) == 1


def test_a_model_without_its_key_is_not_asked(dialect: Dialect, server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(answers(200, dialect.answer))
    model = model_at(dialect, server, hand, key="  ")
    if not dialect.variables:
        assert model.ask(ASKED, seconds=30) == answered(dialect)
        return
    with pytest.raises(ModelUnauthorized, match=f"no key: set {' or '.join(dialect.variables)}"):
        model.ask(ASKED, seconds=30)
    assert server.requests == []


def test_a_key_that_is_refused_is_not_told_again(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(*dialect.bad_key))
    with pytest.raises(ModelUnauthorized) as raised:
        model_at(dialect, server, hand).ask(ASKED, seconds=30)
    assert len(server.requests) == 1
    assert secret(dialect) not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_so_that_no_key_goes_astray(
    dialect: Dialect, server: FaultyServer, elsewhere: FaultyServer, hand: HandRequestClock, status: int
) -> None:
    server.then(answers(status, b"", location=elsewhere.url.replace("127.0.0.1", "localhost") + "/v1/messages"))
    with pytest.raises(ModelRejected, match=r"sends on to localhost:\d+, which is not followed"):
        model_at(dialect, server, hand).ask(ASKED, seconds=30)
    assert elsewhere.requests == []


def test_a_key_is_in_no_log_no_error_no_name_and_no_answer(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = {"error": {"message": f"who is {KEY}?"}}
    told = str(dialect.answer).replace(FOUR, KEY).replace("'Fo'", f"'{KEY}'")
    server.then(resets, answers(503, echo), answers(403, echo), answers(200, literal_eval(told)))
    model = model_at(dialect, server, hand)
    with pytest.raises(ModelUnauthorized) as raised:
        model.ask(ASKED, seconds=30)
    error: BaseException | None = raised.value
    frames = [
        frame.f_locals for frame, _line in traceback.walk_tb(raised.tb) if "clew/models" in frame.f_code.co_filename
    ]
    assert frames
    shown = [
        repr(model),
        str(vars(model)),
        str(error),
        repr(error),
        caplog.text,
        *traceback.format_exception(error),
        str(frames),
    ]
    while error is not None:  # whatever the error came from is part of what others may print
        shown += [str(vars(error)), repr(error.__cause__), repr(error.__context__)]
        error = error.__context__
    if dialect.variables:
        assert KEY in str(server.requests[0].headers)
        assert [text for text in shown if KEY in text] == []
        assert KEY not in model.ask(ASKED, seconds=30).text


@pytest.mark.parametrize("location", ["http://[broken", "", "x" * 9_000, "https://user:pass@"])
def test_a_redirect_to_nowhere_is_told_in_a_line(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock, location: str
) -> None:
    server.then(answers(302, b"", location=location))
    with pytest.raises(ModelRejected, match="sends on to elsewhere, which is not followed"):
        model_at(dialect, server, hand).ask(ASKED, seconds=30)


def test_a_key_that_comes_back_in_a_header_is_not_told(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(302, b"", location=f"https://host-{KEY}/v1"))
    with pytest.raises(ModelRejected, match="sends on to") as raised:
        model_at(dialect, server, hand).ask(ASKED, seconds=30)
    assert secret(dialect) not in str(raised.value)


def test_the_one_who_asks_already_may_lend_its_credentials(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, dialect.answer))
    lent = "sk-lent-9876543210zyxwvutsrq"
    env = dict.fromkeys(dialect.variables, KEY)
    config = ModelsConfig(base_url=server.url)
    model = model_for(dialect.name, config, env=env, keys=lambda: {"authorization": f"Bearer {lent}"})
    assert model.ask(ASKED, seconds=30) == answered(dialect)
    (seen,) = server.requests
    assert {name: value for name, value in seen.headers.items() if lent in value or KEY in value} == {
        "authorization": f"Bearer {lent}"
    }
    assert lent not in f"{model!r} {vars(model)}"


def test_lent_credentials_go_over_tls_or_stay_on_this_machine(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    with pytest.raises(UsageError, match="unencrypted"):
        model_for(dialect.name, ModelsConfig(base_url="http://example.com"), keys=lambda: {"authorization": KEY})


def test_a_key_with_letters_that_no_header_holds_is_not_told(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, dialect.answer))
    model = model_at(dialect, server, hand, key=f"{KEY}\u00e9\nx-evil: 1")
    if not dialect.variables:
        assert model.ask(ASKED, seconds=30) == answered(dialect)
        return
    with pytest.raises(ModelUnauthorized, match="no key has") as raised:
        model.ask(ASKED, seconds=30)
    assert KEY not in str(raised.value)
    assert server.requests == []


def test_the_name_is_the_models_own(dialect: Dialect, server: FaultyServer, hand: HandRequestClock) -> None:
    assert model_at(dialect, server, hand).name == dialect.name.partition("/")[2]


def test_a_name_that_is_part_of_an_address_cannot_change_it(
    dialect: Dialect, server: FaultyServer, hand: HandRequestClock
) -> None:
    server.then(answers(200, dialect.answer))
    odd = replace(dialect, name=f"{dialect.maker}/../../admin?x=1#y")
    model_at(odd, server, hand).ask(ASKED, seconds=30)
    expected = {"gemini": "/v1beta/models/..%2F..%2Fadmin%3Fx%3D1%23y:generateContent"}
    assert server.requests[0].path == expected.get(dialect.maker, dialect.path)
