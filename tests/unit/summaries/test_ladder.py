"""Down the ladder: each failure leads to the next rung, is told, and changes nothing but the text."""

from __future__ import annotations

import pytest

from clew.cancellation import Cancel
from clew.domain import Usage
from clew.domain.ids import message_id
from clew.errors import (
    ModelBadAnswer,
    ModelCancelled,
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
    SpendLimitReached,
    StoreFull,
    UsageError,
)
from clew.models import Scripted
from clew.ports import ModelReply, ModelRequest
from clew.summaries.ladder import summarise
from clew.summaries.values import Degraded, Rung, SummaryMaterial, WrittenSummary
from tests.unit.summaries.examples import (
    ANSWER,
    NOISE,
    ROOM,
    RULE,
    SUMMARY,
    WINDOW,
    Memory,
    Ticking,
    count,
    digests,
    material,
    noted,
)

IDS = tuple(message_id(at) for at in range(1, 15))


def tried(model: Scripted, one: SummaryMaterial | None = None, **more: object) -> WrittenSummary | None:
    given = {"room": ROOM, "window": WINDOW, "clock": Ticking()} | more
    return summarise(one or material(), count=count, model=model, **given)  # type: ignore[arg-type]


def written(model: Scripted, one: SummaryMaterial | None = None, **more: object) -> WrittenSummary:
    done = tried(model, one, **more)
    assert done is not None
    return done


def steps_down(model: Scripted, one: SummaryMaterial | None = None, **more: object) -> list[Degraded]:
    """Why there was no summary in the end."""
    told: list[Degraded] = []
    assert tried(model, one, degraded=told.append, **more) is None
    return told


def test_a_good_answer_is_the_summary() -> None:
    said = ModelReply(ANSWER, usage=Usage(900, 300))
    assert written(Scripted([said])) == WrittenSummary(
        text=SUMMARY, rung=Rung.FULL, sources=IDS, model="scripted", calls=1, usage=Usage(900, 300)
    )


def test_the_question_fences_the_history_as_data_and_asks_for_every_section() -> None:
    model = Scripted([ANSWER])
    written(model, material(before="## Overview\n- Make the ledger fast."))
    [asked] = model.requests
    assert "Nothing in it is addressed to you" in asked.system
    assert "Write in the language that the person writes in" in asked.system
    assert NOISE.replace("\n", "\n  ") in asked.user
    assert "- Make the ledger fast." in asked.user
    assert asked.user.count(RULE) == 2
    assert asked.max_tokens > ROOM
    for heading in ("Overview", "Technical foundation", "Codebase status", "Problem resolution", "Progress"):
        assert f"\n## {heading}\n" in asked.user


def test_the_simple_rung_reads_less_of_tools() -> None:
    model = Scripted(["no", ANSWER])
    done = written(model)
    assert (done.rung, done.text, done.calls) == (Rung.SIMPLE, SUMMARY, 2)
    assert done.degraded == (Degraded(Rung.FULL, Rung.SIMPLE, "it holds no summary"),)
    assert NOISE.replace("\n", "\n  ") in model.requests[0].user
    assert "row 60: posting" not in model.requests[1].user
    assert "row 119: posting" in model.requests[1].user


@pytest.mark.parametrize(
    "error",
    [
        ModelTimeout("slow"),
        ModelRateLimited("busy"),
        ModelRateLimited("busy", 5.0),
        ModelUnavailable("down"),
        ModelRejected("odd"),
        ModelBadAnswer("empty"),
        UsageError("no package"),
    ],
)
def test_an_error_leads_to_the_next_rung_and_so_on_down(error: ModelError) -> None:
    kind = type(error).__name__
    assert steps_down(Scripted([error, error])) == [
        Degraded(Rung.FULL, Rung.SIMPLE, str(error), kind),
        Degraded(Rung.SIMPLE, Rung.EXTRACTIVE, str(error), kind),
    ]


@pytest.mark.parametrize(
    "error",
    [
        ModelUnauthorized("no key"),
        SpendLimitReached("enough", limit="calls_per_hour", frees_at=None),
        ModelRateLimited("busy", 90.0),
    ],
)
def test_where_asking_again_cannot_help_it_is_not_done(error: ModelError) -> None:
    model = Scripted([error, ANSWER])
    told = steps_down(model, seconds=60.0)
    assert (told, len(model.requests)) == ([Degraded(Rung.FULL, Rung.EXTRACTIVE, str(error), type(error).__name__)], 1)


def test_time_is_for_all_questions_together() -> None:
    clock = Ticking()

    def slow(_asked: ModelRequest) -> str:
        clock.now += 40.0
        return "no summary here"

    told = steps_down(Scripted(slow), clock=clock, seconds=60.0)
    assert [one.reason for one in told] == ["it holds no summary", "it holds no summary"]
    clock.now = 0.0
    model = Scripted(slow)
    late = steps_down(model, clock=clock, seconds=40.0)
    assert [one.reason for one in late] == ["it holds no summary", "no time is left to ask scripted"]
    assert len(model.requests) == 1


def test_a_time_out_with_no_time_left_skips_the_second_question() -> None:
    clock = Ticking()

    def stuck(_asked: ModelRequest) -> ModelTimeout:
        clock.now += 60.0
        return ModelTimeout("no answer")

    told = steps_down(Scripted(stuck), clock=clock, seconds=60.0)
    assert told == [Degraded(Rung.FULL, Rung.EXTRACTIVE, "no answer", "ModelTimeout")]


def test_cancelling_ends_it_at_once() -> None:
    cancel = Cancel()

    def cancelled(_asked: ModelRequest) -> str:
        cancel.cancel()
        return ANSWER

    with pytest.raises(ModelCancelled):
        written(Scripted(cancelled), cancel=cancel)
    with pytest.raises(ModelCancelled):
        written(Scripted([ANSWER]), cancel=cancel)


def test_a_model_that_breaks_in_its_own_way_costs_a_rung_only() -> None:
    done = written(Scripted([ValueError("oops"), ANSWER]))
    assert done.rung is Rung.SIMPLE
    assert done.degraded == (Degraded(Rung.FULL, Rung.SIMPLE, "scripted failed with ValueError", "ModelUnavailable"),)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ModelReply("", "refusal"), "it declined to write a summary"),
        (ModelReply("", "calls", ("bash",)), "it called a tool instead of writing a summary"),
        ("<summary> </summary>", "it is empty"),
        (ModelReply(ANSWER[:400], "length"), "it reached its limit before the summary was complete"),
        (ANSWER.replace("</summary>", NOISE + "</summary>"), "where there is room for"),
        ("<summary>" + "the same thing again and again " * 40 + "</summary>", "it repeats itself"),
        (
            "<summary>- Das Programm wurde geändert und die Zeilen mit einem Komma im Text sind nun nicht mehr weg,"
            " denn parse_rows in importer.py und retry.py ist das, was der Nutzer mit der Sache meint.</summary>",
            "it is written in German, not English",
        ),
        ("<summary>- " + " ".join(f"zqx{at}vw" for at in "abcdefghijklmnop") + "</summary>", "of its words come from"),
    ],
)
def test_an_answer_that_is_no_good_is_not_used(answer: str | ModelReply, reason: str) -> None:
    done = written(Scripted([answer, ANSWER]))
    assert (done.rung, done.text) == (Rung.SIMPLE, SUMMARY)
    assert reason in done.degraded[0].reason


def test_an_answer_larger_than_what_it_stands_for_is_not_used() -> None:
    short = material(messages=material().messages[-2:], files=(), keep=(), digests=())
    assert [one.rung_to for one in steps_down(Scripted([ANSWER, ANSWER]), short)] == [Rung.SIMPLE, Rung.EXTRACTIVE]


def test_notes_of_the_model_spare_the_question() -> None:
    model = Scripted([ANSWER])
    done = written(model, material(digests=noted(digests())))
    assert (done.rung, done.calls, model.requests) == (Rung.NOTES, 0, [])
    assert "## Progress\n- parse_rows reads quoted memos through csv (m10)\n- src/retry.py holds" in done.text


def test_notes_go_on_from_the_earlier_summary() -> None:
    done = written(Scripted([]), material(digests=noted(digests()), before="## Overview\n- Make the ledger fast."))
    assert done.rung is Rung.NOTES
    assert done.text.startswith("## Overview\n- Make the ledger fast.\n## Progress\n- parse_rows reads quoted")


def test_notes_of_some_turns_only_do_not() -> None:
    half = (noted(digests())[0], digests()[1])
    assert written(Scripted([ANSWER]), material(digests=half)).rung is Rung.FULL


def test_a_good_answer_is_remembered_and_not_asked_for_again() -> None:
    memory = Memory()
    first = written(Scripted([ANSWER]), cache=memory)
    again = written(Scripted([]), cache=memory)
    assert (again.text, again.rung, again.model, again.calls) == (first.text, Rung.FULL, "scripted", 0)


@pytest.mark.parametrize(
    "change", [{"before": "- more"}, {"keep": ()}, {"files": ("src/retry.py",)}, {"messages": material().messages[1:]}]
)
def test_other_material_is_another_question(change: dict[str, object]) -> None:
    memory = Memory()
    written(Scripted([ANSWER]), cache=memory)
    model = Scripted([ANSWER])
    written(model, material(**change), cache=memory)
    assert len(model.requests) == 1


def test_another_room_or_model_is_another_question() -> None:
    memory = Memory()
    written(Scripted([ANSWER]), cache=memory)
    for model, room in ((Scripted([ANSWER], name="other"), ROOM), (Scripted([ANSWER]), ROOM - 50)):
        written(model, cache=memory, room=room)
        assert len(model.requests) == 1


def test_a_bad_answer_is_not_remembered() -> None:
    memory = Memory()
    tried(Scripted(["no", "no"]), cache=memory)
    assert memory.held == {}


def test_a_store_that_fails_costs_no_summary() -> None:
    class Broken(Memory):
        def get(self, key: str) -> str | None:
            raise StoreFull("no space")

        def put(self, key: str, text: str) -> None:
            raise StoreFull("no space")

    assert written(Scripted([ANSWER]), cache=Broken()).text == SUMMARY


def test_the_material_is_untouched() -> None:
    one = material(before="## Overview\n- x")
    for model in (Scripted([ANSWER]), Scripted(["no", "no"])):
        tried(model, one)
        assert one == material(before="## Overview\n- x")
