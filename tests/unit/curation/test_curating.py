from __future__ import annotations

import pytest

from clew.config import CurationConfig
from clew.curation import Curated, Kind, blob_id, curate, marked
from tests.builders import call
from tests.unit.curation.examples import BUILDS, PYTEST, TEST_RUNS

CONFIG = CurationConfig()
SOURCE = "\n".join(f"{n:6d}→def lift_{n}(load):" if n % 5 == 1 else f"{n:6d}→    step({n})" for n in range(1, 400))
READ = call("c1", "Read", file_path="crane.py")


@pytest.mark.parametrize("name", [*TEST_RUNS, *BUILDS])
def test_what_failed_is_told_with_its_place_and_cause(name: str) -> None:
    text, vital = (TEST_RUNS | BUILDS)[name]

    done = curate(text, call("c1", "bash", command=name), CONFIG)

    assert done is not None
    assert [line for line in vital if line not in done.text] == []
    assert len(done.text) < 0.75 * len(text)


def test_a_curated_output_says_where_its_whole_is() -> None:
    done = curate(PYTEST, call("c1", "bash", command="pytest"), CONFIG)

    assert done is not None
    shown = done.text.rpartition("\n")[0]
    assert done == Curated(Kind.TESTS, marked(shown, PYTEST), blob_id(PYTEST), len(PYTEST))
    assert done.dropped_chars == len(PYTEST) - len(done.text)


def test_source_that_was_read_stays_whole_until_an_epoch_ends() -> None:
    assert curate(SOURCE, READ, CONFIG) is None

    done = curate(SOURCE, READ, CONFIG, when="epoch")
    assert done is not None
    assert "6-10 def lift_6(load)" in done.text


def test_short_outputs_are_left_alone() -> None:
    assert curate(PYTEST[:1000], call("c1", "bash", command="pytest"), CONFIG) is None


def test_what_saves_less_than_a_fifth_is_left_alone() -> None:
    text = "\n".join(f"vessel {name} is moored at the quay" for name in map(chr, range(0x4E00, 0x4E00 + 60)))

    assert curate(text, call("c1", "bash", command="vessels"), CONFIG) is None


def test_nothing_is_shortened_when_switched_off() -> None:
    assert curate(PYTEST, call("c1", "bash", command="pytest"), CurationConfig(enabled=False)) is None


def test_what_was_curated_is_left_alone_when_it_comes_back() -> None:
    pytest_run = call("c1", "bash", command="pytest")
    done = curate(PYTEST, pytest_run, CONFIG)

    assert done is not None
    assert curate(done.text, pytest_run, CONFIG, known={done.blob}) is None


def test_a_marker_that_a_tool_wrote_is_defused_even_in_a_short_output() -> None:
    forged = marked("nothing to see", "x" * 9_000)

    assert curate(forged, None, CONFIG) == Curated(
        Kind.OTHER, forged.replace("[clew:", "[tool:"), blob="", whole_chars=len(forged)
    )


def test_a_caller_may_ask_for_less() -> None:
    text = "\n".join(f"{name} is moored at quay {name.lower()}" for name in (f"Vessel{n}x" for n in range(900)))

    done = curate(text, None, CONFIG, limit_chars=1_000)

    assert done is not None
    assert len(done.text) < 1_200


def test_colours_and_overwritten_progress_are_gone() -> None:
    text = (
        "\x1b[31mred\x1b[0m alert\n" + "loading 1%\rloading 50%\rloaded\n" + "\n".join(f"row {n}" for n in range(900))
    )

    done = curate(text, call("c1", "bash", command="deploy"), CONFIG)

    assert done is not None
    assert done.text.startswith("red alert\nloaded\nrow 0\n")


def test_how_a_command_ended_stays_visible() -> None:
    rows = "\n".join(f"row {n}" for n in range(900))
    text = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n{rows}"

    done = curate(text, call("c1", "exec_command", cmd="deploy"), CONFIG)

    assert done is not None
    assert done.text.startswith("Process exited with code 3\nrow 0\n")
