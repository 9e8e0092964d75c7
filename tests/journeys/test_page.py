"""The page in a real browser, before the real program: what each view shows, does and refuses to run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import clew
from clew.config import Config
from clew.domain.sessions import DEFAULT_USER
from clew.samples import sample
from tests.builders import call, gives, output, says, user
from tests.effort import first
from tests.journeys.browser import chromium, open_page
from tests.journeys.program import Program
from tests.journeys.test_serve import serving

pytestmark = pytest.mark.skipif(
    not chromium(), reason="there is no Chromium on this machine (apt-get install chromium)"
)

#: Text that would run, load or hide something if any of it were read as markup.
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "<style>body{display:none}</style>",
    "javascript:alert(4)",
    "<a href='javascript:alert(5)'>click</a>",
    "<iframe src='data:text/html,<script>alert(6)</script>'></iframe>",
    "<img src='http://127.0.0.1:9/leak.png'>",
    "${alert(7)} {{alert(8)}} `${alert(9)}`",
    "\u202etxt.exe\u202c \u0007\u001b[31mred\u001b[0m \ufeff",
    "y" * 100_000,
)


@pytest.fixture
def page(clew_program: Program) -> Iterator[tuple[Page, Program]]:
    """A page on a store with the sample in it; at the end, nothing may have gone wrong in it."""
    clew_program.keep(sample())
    with serving(clew_program) as address, open_page(address) as (opened, faults):
        yield opened, clew_program
        assert faults == []


def record(program: Program, id: str, *messages: clew.Message) -> None:
    """Another process writes to the store."""
    with clew.open(program.store, config=Config(), person=DEFAULT_USER) as engine:
        engine.session(id, cwd="/home/ana/shop", client="codex").record(list(messages))


def harbor(page: Page, view: str = "") -> None:
    """Opens the sample, and one of its views."""
    page.get_by_role("row").nth(1).get_by_role("link").click()
    if view:
        page.get_by_role("navigation", name="Views of the session").get_by_role("link", name=view, exact=True).click()


def test_every_view_of_a_session_shows_what_it_should(page: tuple[Page, Program]) -> None:
    shown, _ = page
    expect(shown.get_by_role("heading", name="Sessions")).to_be_visible()
    harbor(shown)
    expect(shown.get_by_role("heading", name="Where it stands")).to_be_visible()
    expect(shown.get_by_text("Objective")).to_be_visible()
    expect(shown.locator(".window-bar")).to_have_attribute("aria-label", re.compile("live tail"))
    expect(shown.locator(".chart canvas")).to_be_visible()
    expect(shown.get_by_text("claude --resume")).to_be_visible()

    shown.get_by_role("link", name="Thread", exact=True).click()
    expect(shown.get_by_role("option", selected=True)).to_be_visible()
    shown.get_by_label("Filter segments").fill("x1")
    shown.get_by_role("listbox").press("Home")
    expect(shown.locator("article").first).to_contain_text("m1")
    shown.get_by_role("listbox").press("ArrowDown")
    expect(shown.get_by_role("option", selected=True)).to_have_count(1)

    shown.get_by_role("link", name="Layers").click()
    shown.locator(".block").first.click()
    for size in ("header", "summary", "digest", "full"):
        expect(shown.get_by_role("heading", name=size)).to_be_visible()
    shown.locator(".block").first.press("ArrowRight")
    expect(shown.locator(".block").nth(1)).to_be_focused()
    expect(shown.locator('.block[tabindex="0"]')).to_have_count(1)

    shown.get_by_role("link", name="Critical and drift").click()
    expect(shown.get_by_role("heading", name="Rules")).to_be_visible()
    shown.get_by_label("Pin", exact=True).fill("Berths are numbered from 1")
    shown.get_by_role("button", name="Pin", exact=True).click()
    pinned = shown.get_by_role("row").filter(has_text="Berths are numbered from 1")
    expect(pinned).to_contain_text("pinned")
    pinned.get_by_role("button", name="Unpin").click()
    expect(pinned).to_contain_text("unpinned")


def test_the_slider_replays_and_commits_nothing_and_its_last_place_wins(page: tuple[Page, Program]) -> None:
    shown, program = page
    with clew.open(program.store, config=Config(), person=DEFAULT_USER) as engine:
        before = [info.entries for info in engine.infos()]
    harbor(shown, "Pack")
    slider = shown.get_by_role("slider")
    for value in ("80", "10", "55", "30"):
        slider.fill(value)
    wanted = shown.locator("output").inner_text().partition(" ")[0]  # such as 6.2k
    thousands, _, hundreds = wanted.removesuffix("k").partition(".")
    expect(shown.locator("main")).to_contain_text(f"of {thousands}{hundreds}00 tokens for text")
    expect(shown.locator(".prompt")).to_contain_text("clew")
    shown.get_by_role("button", name="Compare others with this").click()
    slider.fill("70")
    expect(shown.get_by_text("parts change their size")).to_be_visible()
    with clew.open(program.store, config=Config(), person=DEFAULT_USER) as engine:
        assert [info.entries for info in engine.infos()] == before


def test_a_compaction_is_made_and_taken_back(page: tuple[Page, Program]) -> None:
    shown, _ = page
    harbor(shown, "Compaction")
    shown.get_by_label("Budget").fill("6000")
    expect(shown.locator(".change.removed").first).to_contain_text("m1–m15")
    expect(shown.locator(".change.added").first).to_contain_text("m1")
    shown.get_by_role("button", name="Compact", exact=True).click()
    expect(shown.get_by_text("Compacted from")).to_be_visible()
    expect(shown.locator(".changes .added").first).to_be_visible()
    shown.get_by_role("button", name="Undo the last").click()
    expect(shown.get_by_text("the last compaction is taken back")).to_be_visible()


def test_a_session_that_grows_elsewhere_is_shown_without_reload(page: tuple[Page, Program]) -> None:
    shown, program = page
    expect(shown.get_by_text("live", exact=True)).to_be_visible()
    record(program, "grown", user("Why does the login fail?"))
    expect(shown.get_by_role("link", name="Why does the login fail?")).to_be_visible()
    shown.get_by_role("link", name="Why does the login fail?").click()
    shown.get_by_role("link", name="Thread", exact=True).click()
    expect(shown.locator("article")).to_have_count(1)
    record(program, "grown", says("The token expired."))
    expect(shown.locator("article")).to_have_count(2)


def test_a_session_that_is_deleted_while_it_is_open_says_so(clew_program: Program) -> None:
    record(clew_program, "short", user("Why does the login fail?"), says("The token expired."))
    with serving(clew_program) as address, open_page(f"{address}/#/s/short/thread") as (shown, faults):
        expect(shown.locator("article")).to_have_count(2)
        expect(shown.get_by_text("live", exact=True)).to_be_visible()
        with clew.open(clew_program.store, config=Config(), person=DEFAULT_USER) as engine:
            engine.purge(engine.find("short").key)
        expect(shown.get_by_text("It may have been deleted")).to_be_visible()
        expect(shown.locator("article")).to_have_count(0)
        assert [one for one in faults if "404" not in one and not one.startswith(address)] == []


def test_a_transcript_is_imported_and_found(clew_program: Program, tmp_path: Path) -> None:
    with serving(clew_program) as address, open_page(address) as (shown, faults):
        expect(shown.get_by_text("No sessions yet")).to_be_visible()
        shown.get_by_label("Import transcripts").set_input_files(sample())
        expect(shown.get_by_text("messages are new")).to_be_visible()
        expect(shown.get_by_role("row")).to_have_count(2)
        broken = tmp_path / "broken.jsonl"
        broken.write_text("nothing")
        shown.get_by_label("Import transcripts").set_input_files(broken)
        expect(shown.get_by_text("broken.jsonl is in no format known here")).to_be_visible()
        shown.get_by_role("link", name="Search", exact=True).click()
        shown.get_by_label("Words").fill("berth")
        shown.get_by_role("button", name="Search").click()
        expect(shown.locator("mark").first).to_have_text("berth")
        assert [one for one in faults if "400" not in one] == []


def test_hostile_text_is_shown_as_text_and_runs_nothing(page: tuple[Page, Program]) -> None:
    shown, program = page
    record(program, "hostile", *(user(text) for text in HOSTILE[:-1]))
    record(program, "hostile", says(*HOSTILE, call("c1", command=HOSTILE[0])), gives(output("c1", "\n".join(HOSTILE))))
    link = shown.get_by_role("link", name=HOSTILE[0])
    expect(link).to_be_visible()
    link.click()
    for view in ("Thread", "Layers", "Pack", "Critical and drift", "Compaction"):
        shown.get_by_role("navigation", name="Views of the session").get_by_role("link", name=view, exact=True).click()
        expect(shown.locator(".loading, .busy")).to_have_count(0)
        if view == "Thread":
            expect(shown.locator("article").first).to_contain_text("<")
            for summary in shown.locator("summary").all():
                summary.click()
        assert shown.locator("main script, main iframe, main svg, main style, main a[href^=javascript]").count() == 0
    shown.get_by_role("link", name="Search", exact=True).click()
    shown.get_by_label("Words").fill("alert onerror script")
    shown.get_by_role("button", name="Search").click()
    expect(shown.locator(".results li").first).to_be_visible()
    assert shown.locator("main img, main script, main iframe").count() == 0


@pytest.mark.parametrize(
    "address", ["#/s/50%", "#/s/%F0%9F%9A%A2/thread", "#/nowhere", "#/s/a%2Fb", "#/s/__proto__/x?y"]
)
def test_an_odd_address_is_answered_with_words(clew_program: Program, address: str) -> None:
    with serving(clew_program) as root, open_page(f"{root}/{address}") as (shown, faults):
        expect(shown.locator("main .error, main .empty").first).to_be_visible()
        expect(shown.get_by_role("navigation", name="Main")).to_be_visible()
        assert [one for one in faults if "404" not in one and not one.startswith(root)] == []


def test_what_is_kept_of_a_message_is_shown_below_it_and_sources_jump_to_theirs(page: tuple[Page, Program]) -> None:
    shown, program = page
    with clew.open(program.store, config=Config(), person=DEFAULT_USER) as engine:
        engine.find("latest").compact("auto", budget=6_000)
    harbor(shown, "Thread")
    shown.get_by_label("Filter segments").fill("x1")
    shown.get_by_role("listbox").press("Home")
    expect(shown.locator("article .kept").first).to_contain_text("m1")
    shown.get_by_role("link", name="Overview").click()
    shown.locator(".current .source").first.click()
    expect(shown.locator("article.target")).to_be_in_viewport()
    expect(shown).to_have_title(re.compile("Thread · Clew"))
    shown.get_by_role("button", name="Skip to content").press("Enter")
    expect(shown.locator("main")).to_be_focused()


@pytest.mark.parametrize("mode", first(("light", "dark")))
def test_a_phone_can_read_it_too(clew_program: Program, mode: str) -> None:
    clew_program.keep(sample())
    phone = {"viewport": {"width": 390, "height": 800}, "color_scheme": mode}
    with serving(clew_program) as address, open_page(address, **phone) as (shown, faults):
        harbor(shown)
        expect(shown.get_by_role("heading", name="Where it stands")).to_be_visible()
        wide = shown.locator("main").evaluate("main => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        assert faults == []
