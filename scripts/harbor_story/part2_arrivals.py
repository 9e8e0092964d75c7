"""Requests 3 to 5: arrival times on the harbour's clock, and a database that stays what it is."""

from __future__ import annotations

from harbor_story.author import Author

_REMINDERS = '''\
"""Reminders: a mail to the guest two hours before the boat is expected."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

AHEAD = timedelta(hours=2)


def due(conn: sqlite3.Connection, since: datetime, until: datetime) -> list[int]:
    """Bookings whose reminder falls into since <= t < until; both ends know their zone."""
    rows = conn.execute(
        """
        SELECT id, arrival_local FROM bookings
        WHERE arrival_local IS NOT NULL AND status IN ('held', 'confirmed')
        ORDER BY id
        """
    )
    return [row["id"] for row in rows if since <= _remind_at(row["arrival_local"]) < until]


def _remind_at(arrival_local: str) -> datetime:
    return datetime.fromisoformat(arrival_local).astimezone(UTC) - AHEAD
'''

_TEST_ARRIVALS = """\
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
    client.post("/bookings", json=a_wish(arrival_local="2026-05-04T18:30"))
    client.post("/bookings", json=a_wish(berth="D1", arrival_local="2026-05-04T11:15"))
    client.post("/bookings", json=a_wish(berth="A1", length_m=7, first_night="2026-05-05"))
    arrivals = client.get("/arrivals", params={"day": "2026-05-04"}).json()
    assert [(one["berth"], one["arrival_local"]) for one in arrivals] == [
        ("D1", "2026-05-04T11:15:00"),
        ("B1", "2026-05-04T18:30:00"),
    ]


def test_an_arrival_on_another_day_is_refused(client: TestClient) -> None:
    answer = client.post("/bookings", json=a_wish(arrival_local="2026-05-06T09:00"))
    assert answer.status_code == 422


def test_a_reminder_is_due_two_hours_before_arrival(conn: sqlite3.Connection) -> None:
    bookings.book(conn, NewBooking(**a_wish(arrival_local="2026-05-04T16:00")))
    # 16:00 on the harbour's clock is 14:00 UTC in May, so the mail goes out at 12:00 UTC
    assert reminders.due(conn, at(11, 55), at(12, 5)) == [1]
    assert reminders.due(conn, at(12, 5), at(12, 15)) == []
"""

_DECISIONS = """\
# Decisions

## 1. We stay on SQLite (12 March 2026)

We looked at moving to PostgreSQL and decided against it, because

- one process writes, and 42 berths bring a few dozen bookings on the busiest day;
- the nightly backup is a copy of one file to the town's disk, and restoring it is copying it back;
- nobody at the marina can look after a database server.

Look at it again if the service ever runs on two machines. What would have to change then: `harbor/db.py`,
`BEGIN IMMEDIATE` in `bookings.book`, and the placeholders (`?`) in all queries.
"""


def arrival_times(s: Author) -> None:
    s.user(
        """
        Great. Next thing: Stipe (our harbourmaster) wants to know what time a boat will come in, not only the day.
        Guests should be able to give an arrival time with the booking (optional), he needs a list of the day's
        arrivals in order, and guests get a reminder mail two hours before. Only work out which reminders are due
        for now, sending comes later. Please store the times as local time, that's what he reads off the page.
        """,
        after=733,
    )
    s.says("That has a few parts, so I'll keep a list.")
    s.plans(
        ("Migration 0003: arrival time of a booking", "Adding migration 0003"),
        ("Take and return the arrival time in the API", "Adding the arrival time to the API"),
        ("GET /arrivals for one day, in order", "Adding GET /arrivals"),
        ("Work out which reminders are due", "Working out due reminders"),
    )
    with s.together():
        s.reads("harbor/models.py")
        s.reads("tests/conftest.py")
        s.reads("tests/test_api.py")
    s.thinks(
        """
        One nullable column. Local time as the user wants: a naive ISO text, and I'll say so in the name,
        arrival_local, so nobody mistakes it for UTC. The arrival has to be on the first night's date, otherwise the
        day's list and the calendar would disagree. SQLite can ADD COLUMN without touching 0001.
        """
    )
    s.writes(
        "migrations/0003_arrival.sql",
        """\
-- When the boat is expected, on the harbour's clock: 2026-05-04T16:00:00
ALTER TABLE bookings ADD COLUMN arrival_local TEXT;

CREATE INDEX bookings_by_arrival ON bookings (arrival_local);
""",
    )
    s.edits(
        "harbor/models.py",
        """\
from datetime import date

from pydantic import BaseModel, Field, model_validator
""",
        """\
from datetime import date, datetime

from pydantic import BaseModel, Field, model_validator
""",
    )
    s.edits(
        "harbor/models.py",
        """\
    first_night: date
    departure: date

    @model_validator(mode="after")
    def departure_follows_first_night(self) -> NewBooking:
        if self.departure <= self.first_night:
            raise ValueError("departure must be after the first night")
        return self
""",
        """\
    first_night: date
    departure: date
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
    )
    s.edits(
        "harbor/models.py",
        """\
    departure: date
    price_cents: int
""",
        """\
    departure: date
    arrival_local: datetime | None = None
    price_cents: int
""",
    )
    s.says("Now the insert and the select.")
    s.edits(
        "harbor/bookings.py",
        """\
    SELECT bookings.id, berth_code AS berth, guests.name AS guest_name, boat, first_night, departure,
           price_cents, deposit_cents, status
""",
        """\
    SELECT bookings.id, berth_code AS berth, guests.name AS guest_name, boat, first_night, departure,
           arrival_local, price_cents, deposit_cents, status
""",
    )
    s.edits(
        "harbor/bookings.py",
        """\
                (berth_code, guest_id, boat, length_m, first_night, departure,
                 price_cents, deposit_cents)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
""",
        """\
                (berth_code, guest_id, boat, length_m, first_night, departure, arrival_local,
                 price_cents, deposit_cents)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
""",
    )
    s.edits(
        "harbor/bookings.py",
        """\
                wish.departure.isoformat(),
                price,
""",
        """\
                wish.departure.isoformat(),
                wish.arrival_local.isoformat() if wish.arrival_local else None,
                price,
""",
    )
    s.runs("uv run pytest -q", "Run all tests", "pytest-arrival-red", exits=1, seconds=2.4)
    s.says("Only the exact answer of the API differs, which is right: it has a new field. I'll put it in the test.")
    s.edits(
        "tests/test_api.py",
        """\
        "departure": "2026-05-08",
        "price_cents": 15200,
""",
        """\
        "departure": "2026-05-08",
        "arrival_local": None,
        "price_cents": 15200,
""",
    )
    s.progress("done", "done", "now", "open")
    s.reads("harbor/bookings.py", offset=74, limit=32)
    s.edits(
        "harbor/bookings.py",
        """\
def cancel(conn: sqlite3.Connection, booking_id: int) -> Booking | None:
""",
        '''\
def arriving_on(conn: sqlite3.Connection, day: date) -> list[Booking]:
    """Boats expected on a day, by time; those that gave no time come last."""
    rows = conn.execute(
        f"""
        {_SELECT}
        WHERE first_night = ? AND status IN (?, ?)
        ORDER BY arrival_local IS NULL, arrival_local, berth_code
        """,
        (day.isoformat(), *TAKEN),
    )
    return [Booking(**dict(row)) for row in rows]


def cancel(conn: sqlite3.Connection, booking_id: int) -> Booking | None:
''',
    )
    s.edits(
        "harbor/app.py",
        """\
    @app.post("/bookings", status_code=201)
""",
        """\
    @app.get("/arrivals")
    def arrivals(day: date) -> list[Booking]:
        return bookings.arriving_on(conn, day)

    @app.post("/bookings", status_code=201)
""",
    )
    s.progress("done", "done", "done", "now")
    with s.together():
        s.writes("harbor/reminders.py", _REMINDERS)
        s.writes("tests/test_arrivals.py", _TEST_ARRIVALS)
    s.runs("uv run pytest -q", "Run all tests", "pytest-arrival-green", seconds=2.6)
    s.runs(
        "git add migrations harbor/models.py harbor/bookings.py harbor/app.py tests/test_api.py && "
        'git commit -qm "bookings: a booking may say when the boat arrives" && '
        'git add -A && git commit -qm "reminders: which are due two hours before arrival" && git log --oneline -3',
        "Commit in two steps",
        "commit-arrivals",
    )
    s.progress("done", "done", "done", "done")
    s.says(
        """
        Arrival times are in: 22 passed, two commits. `arrival_local` is optional and stored as local time without a
        zone, as you asked; `GET /arrivals?day=…` lists the boats of a day by time, those without a time last; and
        `reminders.due(conn, since, until)` says whose mail is due in a span. A time on any other day than the first
        night is refused with 422.
        """
    )


def postgres_question(s: Author) -> None:
    s.user(
        """
        Before we go on: Ivan from the town's IT keeps asking whether we shouldn't move to Postgres before the
        season. What would that take here, and what's your honest opinion? No changes please, just look.
        """,
        after=1108,
        beside=(
            "<system-reminder>\nThe user opened the file /home/ana/harbor/harbor/db.py in the IDE. This may or may "
            "not be related to the current task.\n</system-reminder>",
        ),
    )
    with s.together():
        s.greps(r"sqlite3|PRAGMA|BEGIN|ON CONFLICT|RETURNING|OR IGNORE|rowcount|lastrowid")
        s.reads("harbor/db.py")
        s.runs("wc -l harbor/*.py migrations/*.sql tests/*.py", "How much code is there", "wc")
    s.says("Most of it is plain SQL. Let me put a number on the one thing Postgres is usually wanted for, writing.")
    s.runs(
        "uv run python - <<'PY'\n"
        "import tempfile, time\n"
        "from datetime import date, timedelta\n"
        "from harbor import bookings, db\n"
        "from harbor.models import NewBooking\n"
        "conn = db.connect(tempfile.mkdtemp() + '/t.db'); db.migrate(conn)\n"
        "conn.execute(\"INSERT INTO berths VALUES ('D1', 'D', 20)\")\n"
        "day, began = date(2026, 1, 1), time.perf_counter()\n"
        "for n in range(2000):\n"
        "    bookings.book(conn, NewBooking(berth='D1', guest_name='x', guest_email=f'g{n}@example.org', boat='x',\n"
        "        length_m=9, first_night=day + timedelta(n), departure=day + timedelta(n + 1)))\n"
        "print(f'{2000 / (time.perf_counter() - began):.0f} bookings a second')\n"
        "PY",
        "Measure booking throughput on a fresh file",
        "throughput",
        seconds=3.1,
    )
    s.says(
        """
        About two days of work, and I would not do it.

        What would change: `db.py` (connection, migrations, the PRAGMAs), the `?` placeholders in every query,
        `lastrowid`, `INSERT OR IGNORE` in the seed script, and above all the lock in `bookings.book`. `BEGIN
        IMMEDIATE` is what keeps two guests from getting one berth; in Postgres that needs an exclusion constraint on
        a date range, or serializable transactions with retries. The tests would need a server too.

        What you would gain: several machines writing at once. You have one process, 42 berths, and this machine
        takes well over a thousand bookings a second into SQLite. What you would lose is the simple backup: today it
        is one file.
        """
    )


def sqlite_decision(s: Author) -> None:
    s.user(
        """
        Thanks, that's what I thought but better put. Decision: we stay on SQLite. One process writes, the nightly
        backup is just copying one file to the town's disk, and nobody here can look after a database server. We look
        at it again if we ever run on two machines. Can you write that down in docs/decisions.md so I can point
        Ivan at it?
        """,
        after=412,
    )
    s.globs("docs/*")
    s.writes("docs/decisions.md", _DECISIONS)
    s.runs("uv run pytest -q", "Run the tests before finishing", "pytest-decision", seconds=2.2)
    s.runs('git add docs && git commit -m "docs: why we stay on SQLite"', "Commit the note", "commit-decision")
    s.says("Written as decision 1 in `docs/decisions.md`, with your three reasons and when to look again. 22 passed.")
