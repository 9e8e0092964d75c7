"""Requests 9 and 10: the change of mind about times, a compaction by hand, and the office page."""

from __future__ import annotations

from harbor_story.author import Author
from harbor_story.texts import flow

_TIMEUTIL = '''\
"""Time: UTC in the database and on the wire, the harbour's clock only where people read it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

HARBOUR = ZoneInfo("Europe/Zagreb")


def to_text(moment: datetime) -> str:
    """A moment as it is stored and sent: 2026-05-04T14:00:00Z. Such texts sort as the moments do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def harbour_date(moment: datetime) -> date:
    """The day it is at the harbour."""
    return moment.astimezone(HARBOUR).date()
'''

_REMINDERS = '''\
"""Reminders: a mail to the guest two hours before the boat is expected."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from harbor.timeutil import to_text

AHEAD = timedelta(hours=2)


def due(conn: sqlite3.Connection, since: datetime, until: datetime) -> list[int]:
    """Bookings whose reminder falls into since <= t < until; both ends know their zone."""
    rows = conn.execute(
        """
        SELECT id FROM bookings
        WHERE arrives_at >= ? AND arrives_at < ? AND status IN ('held', 'confirmed')
        ORDER BY id
        """,
        (to_text(since + AHEAD), to_text(until + AHEAD)),
    )
    return [row["id"] for row in rows]
'''

_TEST_ARRIVALS = '''\
from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from fastapi.testclient import TestClient

from harbor import bookings, reminders
from harbor.models import NewBooking
from tests.conftest import a_wish


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 5, 4, hour, minute, tzinfo=UTC)


def test_the_harbourmaster_sees_who_comes_today_in_order(client: TestClient) -> None:
    client.post("/bookings", json=a_wish(arrives_at="2026-05-04T16:30:00Z"))
    client.post("/bookings", json=a_wish(berth="D1", arrives_at="2026-05-04T11:15:00+02:00"))
    client.post("/bookings", json=a_wish(berth="A1", length_m=7, first_night="2026-05-05"))
    arrivals = client.get("/arrivals", params={"day": "2026-05-04"}).json()
    assert [(one["berth"], one["arrives_at"]) for one in arrivals] == [
        ("D1", "2026-05-04T09:15:00Z"),
        ("B1", "2026-05-04T16:30:00Z"),
    ]


def test_the_day_of_arrival_is_the_harbours_day(client: TestClient) -> None:
    """Half past midnight at the harbour is still the day before in UTC."""
    answer = client.post("/bookings", json=a_wish(arrives_at="2026-05-03T22:30:00Z"))
    assert answer.status_code == 201


def test_an_arrival_on_another_day_is_refused(client: TestClient) -> None:
    answer = client.post("/bookings", json=a_wish(arrives_at="2026-05-06T09:00:00Z"))
    assert answer.status_code == 422


def test_an_arrival_without_a_zone_is_refused(client: TestClient) -> None:
    answer = client.post("/bookings", json=a_wish(arrives_at="2026-05-04T16:00:00"))
    assert answer.status_code == 422


def test_a_reminder_is_due_two_hours_before_arrival(conn: sqlite3.Connection) -> None:
    bookings.book(conn, NewBooking(**a_wish(arrives_at="2026-05-04T14:00:00Z")))
    assert reminders.due(conn, at(11, 55), at(12, 5)) == [1]
    assert reminders.due(conn, at(12, 5), at(12, 15)) == []
'''

_SUMMARY = flow(
    """
    This session is being continued from a previous conversation that ran out of context. The summary below covers
    the earlier portion of the conversation.

    Summary:
    1. Primary Request and Intent:
       The user (Ana) works on harbor, a FastAPI and SQLite service for booking berths in Zadar. She asked, in order:
       to explain how bookings are stored; to allow same-day turnover; to add arrival times, a list of a day's arrivals
       and due reminders; whether to move to Postgres (decided: no); high season prices; why CI is red; and finally to
       store all times in UTC.

    2. Key Technical Concepts:
       - FastAPI, pydantic, sqlite3 with hand-written SQL, migrations by file name
       - Half-open stays: first_night up to but not including departure
       - Integer cents everywhere, `pricing.percent()` is the only place that rounds
       - UTC in the database and in the API (`2026-05-04T14:00:00Z`), Zagreb time only for people

    3. Files and Code Sections:
       - harbor/timeutil.py: `to_text`, `harbour_date`, `HARBOUR`
       - harbor/bookings.py: `is_free`, `book`, `arriving_on`; column `arrives_at`
       - harbor/reminders.py: `due(conn, since, until)` compares texts in SQL
       - migrations/0003_arrival.sql: rewritten for UTC, was never deployed
       - tests/test_arrivals.py, tests/test_pricing.py, tests/conftest.py (a database per test)
       - docs/decisions.md: 1 SQLite, 2 UTC

    4. Errors and fixes:
       - CI failed on the reminder test. First blamed on the shared test database, which was wrong. The cause was
         `astimezone` on a time without a zone, which uses the zone of the machine. Fixed by storing UTC.
       - High season ended a day early (`<` for `<=`), caught by a test.

    5. Problem Solving:
       The suite passes with TZ=UTC and with the local zone (31 tests).

    6. All user messages: asked for uv instead of pip, for the tests to be run before saying that something is done,
       for local times (later withdrawn in favour of UTC), for prices in whole cents.

    7. Pending Tasks:
       - The office page (web/) does not show arrival times yet.

    8. Current Work:
       The UTC change was committed. Nothing is half done.
    """
)


def change_of_mind(s: Author) -> None:
    s.user(
        """
        Oh, that's embarrassing for the local time idea. OK, let's change what I said: we store all times in UTC, and
        the API speaks UTC as well, with the Z at the end. Turning it into Zagreb time is up to the page and the
        mails. The list for a day is of course still a day at the harbour. 0003 hasn't been deployed anywhere, so
        rewrite it instead of adding another migration. And put it into decisions.md, with the reason.
        """,
        after=356,
    )
    s.plans(
        ("Rewrite migration 0003 and rename the field to arrives_at", "Rewriting migration 0003"),
        ("One module that knows zones: harbor/timeutil.py", "Writing harbor/timeutil.py"),
        ("Bookings, reminders and API in UTC", "Moving bookings and reminders to UTC"),
        ("Tests that also hold with TZ=UTC", "Updating the tests"),
        ("Decision 2 in docs/decisions.md", "Writing down the decision"),
    )
    s.greps("arrival_local")
    with s.together():
        s.writes(
            "migrations/0003_arrival.sql",
            """\
-- When the boat is expected, in UTC: 2026-05-04T14:00:00Z
ALTER TABLE bookings ADD COLUMN arrives_at TEXT;

CREATE INDEX bookings_by_arrival ON bookings (arrives_at);
""",
        )
        s.writes("harbor/timeutil.py", _TIMEUTIL)
    s.thinks(
        """
        zoneinfo needs a time zone database. The production image is python:slim as far as I remember from the
        README... it isn't mentioned. Slim images have no system tzdata, so depending on the tzdata package is the
        safe way. uv add, not pip.
        """
    )
    s.runs("uv add tzdata", "The zone database as a dependency, for slim images", "uv-add", seconds=1.9)
    s.tree.replace("pyproject.toml", '  "fastapi>=0.115",\n', '  "fastapi>=0.115",\n  "tzdata>=2025.3",\n')
    s.reads("harbor/models.py")
    s.edits(
        "harbor/models.py",
        """\
    #: When the boat is expected, on the harbour's clock.
    arrival_local: datetime | None = None

    @model_validator(mode="after")
    def departure_follows_first_night(self) -> NewBooking:
        if self.departure <= self.first_night:
            raise ValueError("departure must be after the first night")
        return self

    @model_validator(mode="after")
    def arrival_is_on_the_first_day(self) -> NewBooking:
        if self.arrival_local is not None and self.arrival_local.date() != self.first_night:
            raise ValueError("arrival must be on the day of the first night")
        return self
""",
        """\
    #: When the boat is expected; any zone is fine, none is not.
    arrives_at: AwareDatetime | None = None

    @model_validator(mode="after")
    def departure_follows_first_night(self) -> NewBooking:
        if self.departure <= self.first_night:
            raise ValueError("departure must be after the first night")
        return self

    @model_validator(mode="after")
    def arrival_is_on_the_first_day(self) -> NewBooking:
        if self.arrives_at is not None and self.arrives_at.date() != self.first_night:
            raise ValueError("arrival must be on the day of the first night")
        return self
""",
    )
    s.edits(
        "harbor/models.py",
        """\
    arrival_local: datetime | None = None
    price_cents: int
""",
        """\
    arrives_at: AwareDatetime | None = None
    price_cents: int
""",
    )
    s.edits(
        "harbor/models.py",
        """\
from datetime import date, datetime

from pydantic import BaseModel, Field, model_validator
""",
        """\
from datetime import date

from pydantic import AwareDatetime, BaseModel, Field, model_validator
""",
    )
    with s.together():
        s.edits(
            "harbor/bookings.py",
            "           arrival_local, price_cents, deposit_cents, status\n",
            "           arrives_at, price_cents, deposit_cents, status\n",
        )
        s.edits(
            "harbor/bookings.py",
            "first_night, departure, arrival_local,\n",
            "first_night, departure, arrives_at,\n",
        )
        s.edits(
            "harbor/bookings.py",
            "                wish.arrival_local.isoformat() if wish.arrival_local else None,\n",
            "                to_text(wish.arrives_at) if wish.arrives_at else None,\n",
        )
        s.edits(
            "harbor/bookings.py",
            "        ORDER BY arrival_local IS NULL, arrival_local, berth_code\n",
            "        ORDER BY arrives_at IS NULL, arrives_at, berth_code\n",
        )
        s.edits(
            "harbor/bookings.py",
            "from harbor.models import Booking, NewBooking\n\n#: Bookings",
            "from harbor.models import Booking, NewBooking\nfrom harbor.timeutil import to_text\n\n#: Bookings",
        )
    s.progress("done", "done", "now", "open", "open")
    s.says("With sortable UTC texts the reminder query can do the comparison in SQL, and the faulty line disappears.")
    s.writes("harbor/reminders.py", _REMINDERS)
    s.edits("tests/test_api.py", '        "arrival_local": None,\n', '        "arrives_at": None,\n')
    s.writes("tests/test_arrivals.py", _TEST_ARRIVALS)
    s.runs("uv run pytest -q", "Run all tests", "pytest-utc-edge", exits=1, seconds=2.6)
    s.thinks(
        """
        The new test for half past midnight fails: my validator takes the date of arrives_at in whatever zone it was
        sent, here UTC, the 3rd. It has to be the harbour's date. That is what harbour_date is for.
        """
    )
    s.says("Good that the midnight case has a test: the validator compared the UTC date. It must be the harbour's day.")
    s.edits(
        "harbor/models.py",
        "        if self.arrives_at is not None and self.arrives_at.date() != self.first_night:\n",
        "        if self.arrives_at is not None and harbour_date(self.arrives_at) != self.first_night:\n",
    )
    s.edits(
        "harbor/models.py",
        "from pydantic import AwareDatetime, BaseModel, Field, model_validator\n",
        "from pydantic import AwareDatetime, BaseModel, Field, model_validator\n\n"
        "from harbor.timeutil import harbour_date\n",
    )
    s.runs(
        "uv run pytest -q && TZ=UTC uv run pytest -q && TZ=Pacific/Auckland uv run pytest -q",
        "Run all tests in three zones",
        "pytest-utc-green",
        seconds=6.8,
    )
    s.progress("done", "done", "done", "done", "now")
    s.reads("docs/decisions.md")
    s.edits(
        "docs/decisions.md",
        """\
`BEGIN IMMEDIATE` in `bookings.book`, and the placeholders (`?`) in all queries.
""",
        """\
`BEGIN IMMEDIATE` in `bookings.book`, and the placeholders (`?`) in all queries.

## 2. Times are UTC (12 March 2026)

All times are stored in UTC and the API takes and gives UTC (`2026-05-04T14:00:00Z`). Only the page and the mails
turn them into Zagreb time. We first stored local time, because that is what the harbourmaster reads. It broke at
once: a time without a zone means something else on every machine (CI and server are on UTC), and on the last
Sunday of October 02:30 comes twice. A *day* is still a day at the harbour: `timeutil.harbour_date`.
""",
    )
    s.runs(
        "git status --short && git add -A && "
        'git commit -qm "times: UTC in the database and the API, harbour time only for people" && git log --oneline -2',
        "Commit",
        "commit-utc",
    )
    s.progress("done", "done", "done", "done", "done")
    s.says(
        """
        Done. The field is now `arrives_at`, in UTC everywhere; a time without a zone is refused, and the day of a
        boat's arrival is decided by the harbour's clock, also at half past midnight. 31 passed in your zone, in UTC
        and in Auckland. The decision with its reason is number 2 in `docs/decisions.md`. Your page does not show the
        time yet; `web/` still knows nothing of the field.
        """
    )


def compaction(s: Author) -> None:
    s.compacts(_SUMMARY, trigger="manual")
    s.injects(
        "<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. "
        "DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks "
        "you to.</local-command-caveat>"
    )
    s.injects(
        "<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n"
        "            <command-args></command-args>",
        meta=False,
    )
    s.injects("<local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>", meta=False)


def office_page(s: Author) -> None:
    s.user(
        """
        CI is green, lovely. I've compacted because we were getting long. Now the page: in the calendar I'd like to
        see the arrival time in the cell of the first night, like "Galeb 16:30", in Zagreb time.
        """,
        after=1935,
    )
    with s.together():
        s.reads("web/src/types.ts")
        s.reads("web/src/calendar.ts")
        s.runs("cat web/package.json web/tsconfig.json", "How the page is checked and built", "web-config")
    s.edits(
        "web/src/types.ts",
        "  departure: string;\n",
        "  departure: string;\n  /** UTC, or null when the guest gave no time. */\n  arrives_at: string | null;\n",
    )
    s.edits(
        "web/src/calendar.ts",
        """\
function cell(booking: Booking | undefined): HTMLTableCellElement {
  const td = document.createElement("td");
  if (booking) {
    td.textContent = booking.boat;
""",
        """\
/** The time of arrival on the harbour's clock. */
export function arrivalTime(booking: Booking): string {
  return CLOCK.format(Date.parse(booking.arrives_at));
}

function cell(booking: Booking | undefined, day: string): HTMLTableCellElement {
  const td = document.createElement("td");
  if (booking) {
    const arrival = day === booking.first_night ? ` ${arrivalTime(booking)}` : "";
    td.textContent = booking.boat + arrival;
""",
    )
    s.edits(
        "web/src/calendar.ts",
        """\
const DAY_MS = 24 * 60 * 60 * 1000;
""",
        """\
const DAY_MS = 24 * 60 * 60 * 1000;
const CLOCK = new Intl.DateTimeFormat("hr-HR", {
  timeZone: "Europe/Zagreb",
  hour: "2-digit",
  minute: "2-digit",
});
""",
    )
    s.runs("cd web && npm run check", "Type check the page", "tsc-red", exits=2, seconds=3.3)
    s.says("Two honest complaints: the time may be missing, and `cell` is still called without the day.")
    with s.together():
        s.edits(
            "web/src/calendar.ts",
            """\
/** The time of arrival on the harbour's clock. */
export function arrivalTime(booking: Booking): string {
  return CLOCK.format(Date.parse(booking.arrives_at));
}
""",
            """\
/** The time of arrival on the harbour's clock; empty when the guest gave none. */
export function arrivalTime(booking: Booking): string {
  return booking.arrives_at === null ? "" : CLOCK.format(Date.parse(booking.arrives_at));
}
""",
        )
        s.edits(
            "web/src/calendar.ts",
            "  tr.append(...days.map((day) => cell(taken.get(day))));\n",
            "  tr.append(...days.map((day) => cell(taken.get(day), day)));\n",
        )
    s.edits(
        "web/src/calendar.ts",
        """\
    const arrival = day === booking.first_night ? ` ${arrivalTime(booking)}` : "";
    td.textContent = booking.boat + arrival;
""",
        """\
    const arrival = day === booking.first_night ? arrivalTime(booking) : "";
    td.textContent = `${booking.boat} ${arrival}`.trim();
""",
    )
    with s.together():
        s.runs("cd web && npm run check", "Type check again", "tsc-green", seconds=3.1)
        s.runs(
            "node -e \"const f = new Intl.DateTimeFormat('hr-HR', {timeZone: 'Europe/Zagreb', hour: '2-digit', "
            "minute: '2-digit'}); for (const t of ['2026-05-04T14:30:00Z', '2026-01-04T14:30:00Z']) "
            'console.log(t, f.format(Date.parse(t)))"',
            "Summer and winter time in the page's format",
            "node-clock",
        )
        s.runs("uv run pytest -q", "Run the tests", "pytest-web", seconds=2.3)
    s.runs('git add -A && git commit -m "web: arrival time in the calendar, in Zagreb time"', "Commit", "commit-web")
    s.says(
        """
        The first cell of a stay now reads "Galeb 16:30", in Zagreb time in summer and winter alike; without a time
        it is just the boat's name. Type check is clean, 31 passed, one commit.
        """
    )
