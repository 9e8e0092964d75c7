"""However a store is damaged, every command works around what is lost, doctor names it, an import brings it back."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result
from typer.testing import CliRunner

import clew
from clew.cli.app import app
from clew.config import Config
from clew.errors import ClewError, StoreDamaged
from clew.storage.schema import is_store_file
from tests.effort import first
from tests.lines import call, line, result
from tests.unit.storage.filled_stores import PAGE, spoil

SESSIONS = ("quay", "pier")
STEPS = 6


def conversation(id: str) -> bytes:
    """A request now and then, long outputs of which none is like another, and words that are said again and again."""
    lines: list[Any] = []
    for at in range(STEPS):
        numbers = random.Random(f"{id} {at}")
        text = "\n".join(f"{n} {id}_{at}_{n} = {numbers.random()}" for n in range(60 if at % 2 else 200))
        lines.append(line(4 * at, "user", "Go on." if at % 3 else f"Task {at}: look at {id}_{at}.py, never rename it."))
        lines.append(call(4 * at + 1, f"{id}_{at}", file_path=f"{id}_{at}.py"))
        lines.append(result(4 * at + 2, f"{id}_{at}", text))
        lines.append(line(4 * at + 3, "assistant", [{"type": "text", "text": f"{id} {at} is read."}]))
    times = [one | {"sessionId": id, "timestamp": f"2026-03-01T10:{n:02d}:00.000Z"} for n, one in enumerate(lines)]
    return b"".join(orjson.dumps(one) + b"\n" for one in times)


def told(path: Path) -> dict[str, Any]:
    """What a store tells of each session: every message with its parts, and the ids of its segments."""
    with clew.open(path, config=Config()) as engine:
        found = [engine.session(id) for id in SESSIONS]
        return {
            one.id: (
                [(m.id, m.role, m.parts) for m in one.messages()],
                [segment.id for segment in one.reader.segments()],
            )
            for one in found
        }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("transcripts")
    for id in SESSIONS:
        (folder / f"{id}.jsonl").write_bytes(conversation(id))
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def sound(files: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of several sessions, with packs, a compaction and pins."""
    path = tmp_path_factory.mktemp("sound") / "clew.db"
    with clew.open(path, config=Config()) as engine:
        for file in files:
            engine.import_file(file)
        for id in SESSIONS:
            engine.session(id).pack("go on", budget=8_000)
            engine.session(id).pin(f"{id} stays as it is", kind="decision")
        engine.session(SESSIONS[0]).compact()
    return path


def clew_command(*arguments: str | Path) -> Result:
    """Runs a command in this process. It may fail in Clew's own words, and in no others."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    if done.exception is not None and not isinstance(done.exception, SystemExit | ClewError):
        raise done.exception
    return done


def read_everything(path: Path) -> list[BaseException | None]:
    """Runs every command that looks at sessions, and what changes them without deleting; returns how they failed."""
    store = ("--store", path)
    done = [clew_command("sessions", *store), clew_command("rebuild", *store)]
    for id in SESSIONS:
        done += [
            clew_command(*arguments, *store)
            for arguments in (
                ("show", id),
                ("show", id, "--as", "full"),
                ("pack", id, "--budget", "6000", "--query", "what is read?", "--for", "anthropic"),
                ("export", id, "--to", "openai-chat"),
                ("export", id, "--to", "clew"),
                ("check", id, "--for", "gemini"),
                ("health", id),
                ("drift", id),
                ("pins", id),
                ("compact", id, "--budget", "5000"),
            )
        ]
    with clew.open(path, config=Config()) as engine:
        for id in SESSIONS:
            engine.session(id).search("quay task", kind="message")
    return [one.exception for one in done if isinstance(one.exception, ClewError)]


def damage(sound: Path, path: Path, seed: int, share: float) -> None:
    shutil.copyfile(sound, path)
    path.chmod(0o600)
    count = path.stat().st_size // PAGE
    spoil(path, *random.Random(seed).sample(range(1, count + 1), max(1, int(count * share))))


@pytest.mark.parametrize(("seed", "share"), first([(2, 0.1), (1, 0.04), (3, 0.3)]))
def test_a_damaged_store_is_repaired_worked_around_and_filled_again(
    sound: Path, files: Sequence[Path], tmp_path: Path, seed: int, share: float
) -> None:
    path = tmp_path / "clew.db"
    damage(sound, path, seed, share)
    assert clew_command("doctor", "--store", path).exit_code == 1
    clew_command("doctor", "--repair", "--store", path)
    checks = json.loads(clew_command("doctor", "--json", "--store", path).stdout)["checks"]
    bad = {check["check"]: check for check in checks if not check["ok"]}
    assert bad.keys() <= {"entries complete", "blobs complete"}
    assert all(check["next"] and check["next"][0].endswith(f"--store {path}") for check in bad.values())
    known = {one["id"] for one in json.loads(clew_command("sessions", "--json", "--store", path).stdout)["sessions"]}
    if known == set(SESSIONS):
        assert read_everything(path) == []
    for file in files:
        assert clew_command("import", file, "--store", path).exit_code == 0
    assert told(path) == told(sound)
    assert clew_command("doctor", "--store", path).exit_code == 0
    assert clew_command("purge", "--all", "--yes", "--store", path).exit_code == 0


def test_a_store_that_is_not_repaired_yet_fails_in_one_line_that_says_how(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "clew.db"
    damage(sound, path, 4, 0.2)
    failures = read_everything_damaged(path)
    assert failures
    assert all(isinstance(error, StoreDamaged) and error.about == "damage" for error in failures)


def read_everything_damaged(path: Path) -> list[BaseException | None]:
    try:
        return read_everything(path)
    except StoreDamaged as error:
        return [error]


def test_a_store_whose_first_page_is_garbage_is_still_known_as_one(sound: Path, tmp_path: Path) -> None:
    for seed in range(20):
        path = tmp_path / f"{seed}.db"
        path.write_bytes(random.Random(seed).randbytes(PAGE) + sound.read_bytes()[PAGE:])
        assert is_store_file(path)
    path.write_bytes(b"A text whose length is that of pages.\n" * PAGE)
    assert not is_store_file(path)
