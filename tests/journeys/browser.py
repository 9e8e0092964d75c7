"""A real browser, where this machine has one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect, sync_playwright

#: Long for a busy machine; nothing waits so long on a quiet one.
_MILLISECONDS = 60_000
expect.set_options(timeout=_MILLISECONDS)


def chromium() -> str:
    """The path of a Chromium, empty where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((path for name in names if (path := shutil.which(name))), "")


@contextmanager
def open_page(address: str, **options: object) -> Iterator[tuple[Page, list[str]]]:
    """A page of its own at an address, and the list that whatever goes wrong in it is put on."""
    path = chromium()
    if not path:
        pytest.skip("there is no Chromium on this machine (apt-get install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(**options)  # type: ignore[arg-type]
        page.set_default_timeout(_MILLISECONDS)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda asked: None if asked.url.startswith(address) else faults.append(asked.url))
        page.goto(address)
        try:
            yield page, faults
        finally:
            browser.close()
