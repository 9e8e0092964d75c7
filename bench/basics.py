"""The basics: start-up, size of the install, and how fast sessions are imported, recorded and opened."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import clew
from bench.data import transcripts
from bench.results import Figure
from clew.engine.engine import Engine
from clew.samples import sample

_MB = 1e6


@contextmanager
def temporary_store() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "bench.db"


def _milliseconds(command: list[str], rounds: int = 9) -> float:
    def once() -> float:
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return (time.perf_counter() - begin) * 1000

    return median(once() for _ in range(rounds))


def start_up() -> list[Figure]:
    program = str(Path(sys.executable).with_name("clew"))
    bare = _milliseconds([sys.executable, "-c", "pass"])
    imported = _milliseconds([sys.executable, "-c", "import clew"])
    return [
        Figure("start", "python alone", bare, "ms"),
        Figure("start", "clew --help", _milliseconds([program, "--help"]), "ms", "< 250"),
        Figure("start", "import clew", imported, "ms", "< 150"),
    ]


def install_size() -> list[Figure]:
    """A fresh environment with the core alone; the environment's own pip is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        site = next(Path(folder).rglob("site-packages"))
        before = _bytes(site)
        root = str(Path(__file__).parent.parent)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", root], check=True)
        weight = (_bytes(site) - before) / _MB
    return [Figure("size", "core install", weight, "MB", "< 60")]


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def import_speed() -> list[Figure]:
    """Into ledger and word index, then everything derived; as megabytes of session file a second of CPU."""
    found = transcripts("claude-code")[:20]
    # Without data, the sample many times over; each time under another id, so that all of it is new.
    sources = [(path, "") for path in found] if len(found) > 1 else [(sample(), f"copy-{at}") for at in range(30)]
    volume = sum(path.stat().st_size for path, _ in sources) / _MB
    with temporary_store() as path, clew.open(path) as engine:
        engine.import_file(sample(), session="warm-up")
        begin = time.process_time()
        for source, name in sources:
            engine.import_file(source, session=name, project=False)
        stored = time.process_time() - begin
        for info in engine.infos():
            engine.find(info.key.id).reader.tokens()
        total = time.process_time() - begin
        begin = time.process_time()
        for source, name in sources:
            engine.import_file(source, session=name, project=False)
        again = time.process_time() - begin
    return [
        Figure("import", "session files read", volume, "MB"),
        Figure("import", "into ledger and word index", volume / stored, "MB/s of CPU", "> 9"),
        Figure("import", "with everything derived", volume / total, "MB/s of CPU"),
        Figure("import", "the same files again", volume / again, "MB/s of CPU"),
    ]


def _grow(engine: Engine, messages: int) -> clew.Session:
    """A session of so many short messages, recorded in bulk."""
    session = engine.session(f"grown-{messages}", model="gpt-5", window=400_000)
    for first in range(0, messages, 2000):
        session.record([_message(at) for at in range(first, min(first + 2000, messages))], format="openai-chat")
    return session


def _message(at: int) -> dict[str, str]:
    role = "user" if at % 2 == 0 else "assistant"
    return {"role": role, "content": f"message {at}: look at src/module_{at % 97}.py line {at} and tell what it does"}


def record_speed() -> list[Figure]:
    """One durable message at a time, in a short and in a long session, turn about."""
    with temporary_store() as path, clew.open(path) as engine:
        short, long = _grow(engine, 100), _grow(engine, 100_000)
        times: dict[str, list[float]] = {"short": [], "long": []}
        for at in range(200):
            for name, session in (("short", short), ("long", long)):
                times[name].append(
                    _timed(lambda s=session, n=at: s.record([_message(10**6 + n)], format="openai-chat"))
                )
    quick, slow = (median(times[name]) * 1000 for name in ("short", "long"))
    return [
        Figure("record", "one message at 100", quick, "ms", "< 5"),
        Figure("record", "one message at 100,000", slow, "ms", "< 5"),
        Figure("record", "100,000 against 100", slow / quick, "×", "< 1.5"),
    ]


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


_OPEN = """
import resource, sys, time
begin = time.perf_counter()
import clew
with clew.open(sys.argv[1]) as engine:
    session = engine.find("grown-100000")
    session.reader.outline(); session.recall("m99999"); session.reader.tools_used()
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def open_speed() -> list[Figure]:
    """A fresh process opens a session of 100,000 messages, draws its outline and reads one message."""
    with temporary_store() as path:
        with clew.open(path) as engine:
            _grow(engine, 100_000)
        done = subprocess.run([sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    return [
        Figure("open", "100,000 messages", seconds, "s", "< 1"),
        Figure("open", "memory", megabytes, "MB", "< 300"),
    ]
