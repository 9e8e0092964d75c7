"""A history larger than the model's window is read in parts, and the parts' summaries are merged in rounds."""

from __future__ import annotations

import re

import pytest

from clew.domain import Message
from clew.errors import ModelOverflow, ModelUnavailable
from clew.models import Scripted
from clew.ports import ModelRequest
from clew.summaries.ladder import summarise
from clew.summaries.model_attempt import MAX_CALLS
from clew.summaries.values import Degraded, Rung, SummaryMaterial, WrittenSummary
from tests.builders import says, user
from tests.unit.digests.examples import numbered
from tests.unit.summaries.examples import RULE, Memory, Ticking, count, is_merge

ROOM = 200
_NUMBER = re.compile(r"topic(\d+)x")


def talk(exchanges: int, words: int = 60) -> tuple[Message, ...]:
    """Each exchange has a topic of its own."""
    asked = (
        f"Please explain topic{at}x of the ledger to me in some detail, as you did before." for at in range(exchanges)
    )
    answer = "The postings of the account are booked by day and then by number, so the order is stable. " * (
        words // 16
    )
    return tuple(
        numbered([one for at, text in enumerate(asked) for one in (user(text), says(f"On topic{at}x: {answer}"))])
    )


def faithful(asked: ModelRequest) -> str:
    """Names the topics that it read of, the first and the last of each run of them."""
    text = asked.user.split("<history-" if "<history-" in asked.user else "<summaries-", 1)[1]
    found = sorted({int(number) for number in _NUMBER.findall(text)})
    ends = f"topic{found[0]}x to topic{found[-1]}x" if found else "nothing"
    told = f"## Overview\n- The person asked to explain {ends} of the ledger.\n## Progress\n- explained"
    return f"<summary>\n{told}\n</summary>"


def written(model: Scripted, messages: tuple[Message, ...], *, window: int, **more: object) -> WrittenSummary:
    material = SummaryMaterial(messages=messages, keep=(RULE,), **more)  # type: ignore[arg-type]
    done = summarise(material, room=ROOM, count=count, model=model, window=window, clock=Ticking())
    assert done is not None
    return done


def steps_down(model: Scripted, messages: tuple[Message, ...], *, window: int) -> list[Degraded]:
    """Why there was no summary in the end."""
    told: list[Degraded] = []
    material = SummaryMaterial(messages=messages, keep=(RULE,))
    given = {"room": ROOM, "count": count, "window": window, "clock": Ticking(), "degraded": told.append}
    assert summarise(material, model=model, **given) is None  # type: ignore[arg-type]
    return told


def parts_of(model: Scripted) -> list[str]:
    found = (re.search(r"It is part (\d+) of (\d+)", asked.user) for asked in model.requests if not is_merge(asked))
    return [f"{one[1]}/{one[2]}" for one in found if one]


def test_what_fits_is_read_at_once() -> None:
    model = Scripted(faithful)
    assert written(model, talk(4), window=20_000).rung is Rung.FULL
    assert (len(model.requests), parts_of(model)) == (1, [])


def test_what_does_not_fit_is_read_in_parts_and_merged() -> None:
    model = Scripted(faithful)
    done = written(model, talk(60), window=4_500)
    assert (done.rung, done.degraded) == (Rung.FULL, ())
    assert "topic0x to topic59x" in done.text
    assert parts_of(model) == ["1/4", "2/4", "3/4", "4/4"]
    assert [is_merge(asked) for asked in model.requests] == [False] * 4 + [True]
    assert max(count(asked.system) + count(asked.user) + asked.max_tokens for asked in model.requests) <= 4_500


def test_items_to_keep_go_with_every_question_and_the_earlier_summary_with_the_last() -> None:
    model = Scripted(faithful)
    done = written(model, talk(60), window=4_500, before="## Overview\n- They began with topic7x of BOOK-12 instead.")
    assert all(RULE in asked.user for asked in model.requests)
    assert [("BOOK-12" in asked.user) for asked in model.requests] == [False] * 3 + [True]
    assert f"## Kept verbatim\n- {RULE}" in done.text
    assert "BOOK-12" in done.text


def test_many_parts_take_several_rounds() -> None:
    def wordy(asked: ModelRequest) -> str:
        lines = "\n".join(
            f"- The account is booked by day {at} and by number {at + 7}, the order is stable" for at in range(12)
        )
        return faithful(asked).replace("</summary>", f"{lines}\n</summary>")

    model = Scripted(wordy)
    done = written(model, talk(100), window=3_800)
    assert "topic0x to topic99x" in done.text
    assert (done.rung, sum(map(is_merge, model.requests))) == (Rung.FULL, 3)


def test_a_giant_message_is_cut_as_well() -> None:
    model = Scripted(faithful)
    done = written(model, talk(1, words=8_000), window=6_000)
    assert (done.rung, parts_of(model)[0]) == (Rung.FULL, "1/4")


def test_too_many_parts_are_not_even_begun() -> None:
    model = Scripted(faithful)
    told = steps_down(model, talk(700), window=3_800)
    assert model.requests == []
    reason = f"it would take more than {MAX_CALLS} questions"
    assert told == [Degraded(Rung.FULL, Rung.SIMPLE, reason), Degraded(Rung.SIMPLE, Rung.EXTRACTIVE, reason)]


def test_a_window_too_small_is_told() -> None:
    told = steps_down(Scripted(faithful), talk(20), window=1_500)
    assert told[0].reason == "a window of 1500 tokens is too small for a summary of 200"


def test_a_provider_that_counts_more_gets_smaller_parts() -> None:
    """It can read only half of what its window is said to be."""

    def strict(asked: ModelRequest) -> str | ModelOverflow:
        is_large = count(asked.system) + count(asked.user) > 2_800
        return ModelOverflow("too long") if is_large else faithful(asked)

    model = Scripted(strict)
    done = written(model, talk(60), window=6_000)
    assert (done.rung, done.degraded) == (Rung.FULL, ())
    assert "topic0x to topic59x" in done.text


def test_a_single_question_that_is_too_large_is_asked_in_parts() -> None:
    refused = [ModelOverflow("too long")]
    model = Scripted(lambda asked: refused.pop() if refused else faithful(asked))
    done = written(model, talk(60), window=30_000)
    assert (done.rung, done.degraded) == (Rung.FULL, ())
    assert len(parts_of(model)) > 1


def test_one_that_is_always_too_large_is_given_up() -> None:
    model = Scripted(lambda _asked: ModelOverflow("too long"))
    told = steps_down(model, talk(30), window=30_000)
    assert [one.kind for one in told] == ["ModelOverflow", "ModelOverflow"]
    assert len(model.requests) <= 2 * MAX_CALLS


def test_what_broke_off_goes_on_from_the_parts_that_are_done() -> None:
    memory, talked = Memory(), talk(60)
    material = SummaryMaterial(messages=talked)
    answers = [0]

    def fails_at_the_third(asked: ModelRequest) -> str | ModelUnavailable:
        answers[0] += 1
        return faithful(asked) if answers[0] < 3 else ModelUnavailable("down")

    def run(model: Scripted) -> WrittenSummary | None:
        return summarise(material, room=ROOM, count=count, model=model, window=4_500, cache=memory, clock=Ticking())

    assert run(Scripted(fails_at_the_third)) is None
    model = Scripted(faithful)
    done = run(model)
    assert (done and done.rung, parts_of(model)) == (Rung.FULL, ["3/4", "4/4"])


@pytest.mark.parametrize("bad", ["", "no", "<summary></summary>"])
def test_one_bad_part_spoils_the_attempt(bad: str) -> None:
    model = Scripted(lambda asked: bad if "part 2 of" in asked.user else faithful(asked))
    assert len(steps_down(model, talk(60), window=4_500)) == 2
