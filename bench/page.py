"""The page in a real browser: how soon each view of a long session is there, how smoothly it scrolls, and how soon the
slider answers.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import clew
from bench.results import Figure
from bench.warm_packs import grow_session

_LONG, _SHORT = 20_000, 2_000
_VIEWS = {
    "overview": "",
    "thread": "/thread",
    "layers": "/layers",
    "pack": "/pack",
    "critical": "/critical",
    "compaction": "/compaction",
}
_BUDGETS = (6_000, 24_000, 12_000, 48_000, 9_000, 32_000)
#: The longest time between two frames while a list is scrolled from end to end.
_SCROLL = """async () => {
  const list = document.querySelector(".rows");
  let [longest, last] = [0, performance.now()];
  for (let step = 0; step < 90; step += 1) {
    list.scrollTop = (list.scrollHeight * step) / 90;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    longest = step ? Math.max(longest, now - last) : 0;
    last = now;
  }
  return longest;
}"""


def run(long: int = _LONG, short: int = _SHORT) -> list[Figure]:
    """Figures of a long session, and of one of a tenth."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        return []
    with TemporaryDirectory() as home:
        store = Path(home) / "bench.db"
        with clew.open(store) as engine:
            ids = {size: grow_session(engine, size).id for size in (long, short)}
        with _serving(store) as address, _browser(chromium) as page:
            return [*_views(page, address, ids[long]), *_slider(page, address, ids[long], ids[short])]


def _views(page: Any, address: str, id: str) -> Iterator[Figure]:
    for name, path in _VIEWS.items():
        taken = []
        for _ in range(3):
            page.goto("about:blank")
            begin = time.perf_counter()
            page.goto(f"{address}/#/s/{id}{path}")
            page.locator("nav.tabs").wait_for()
            page.locator(".loading, .busy").first.wait_for(state="detached")
            taken.append(time.perf_counter() - begin)
        yield Figure("page", f"{name}, 20,000 messages", median(taken), f"s; first {taken[0]:.1f}", "< 1.5")
        if name == "thread":
            yield Figure("page", "thread, longest frame", page.evaluate(_SCROLL), "ms", "< 50")


def _slider(page: Any, address: str, long: str, short: str) -> Iterator[Figure]:
    for id, size, goal in ((short, "2,000", "< 0.3"), (long, "20,000", "< 1.5")):
        taken = []
        for budget in _BUDGETS:
            begin = time.perf_counter()
            answer = page.request.get(f"{address}/api/sessions/{id}/pack?budget={budget}&target=text")
            assert answer.ok, answer.text()
            taken.append(time.perf_counter() - begin)
        yield Figure("page", f"slider, {size} messages", median(taken), f"s; slowest {max(taken):.1f}", goal)


@contextmanager
def _serving(store: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "clew.cli", "serve", "--port", "0", "--store", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        found = re.search(r"http://[^ ]+", process.stdout.readline().decode())
        assert found
        try:
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)


@contextmanager
def _browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(120_000)
        yield page
        browser.close()
