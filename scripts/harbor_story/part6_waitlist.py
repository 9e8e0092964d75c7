"""Requests 14 to 18: masked secrets, a run that is stopped, a waiting list, and an end with work left over."""

from __future__ import annotations

from harbor_story.author import Author
from harbor_story.transcript import SESSION

_TEST_SETTINGS = """\
from __future__ import annotations

from harbor.settings import Settings, shown


def test_secrets_are_masked_when_settings_are_shown() -> None:
    lines = shown(Settings(quaypay_secret="sk-test-0123456789abcdef"))
    assert lines[1] == "quaypay_secret = sk-test-…"
    assert "0123456789abcdef" not in "".join(lines)


def test_a_missing_secret_is_shown_as_missing() -> None:
    assert shown(Settings())[1] == "quaypay_secret = (not set)"
"""

_MIGRATION = """\
-- Guests who want a berth that is taken, in the order in which they asked.
CREATE TABLE waitlist (
    id           INTEGER PRIMARY KEY,
    berth_code   TEXT NOT NULL REFERENCES berths(code),
    guest_id     INTEGER NOT NULL REFERENCES guests(id),
    boat         TEXT NOT NULL,
    length_m     REAL NOT NULL,
    first_night  TEXT NOT NULL,
    departure    TEXT NOT NULL,
    asked_at     TEXT NOT NULL,
    status       TEXT NOT NULL DEFAULT 'waiting',
    offer_ends   TEXT,
    UNIQUE (berth_code, guest_id, first_night, departure)
);
"""

_WAITLIST = '''\
"""The waiting list: who wants a berth that is taken, in the order in which they asked."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, timedelta

from harbor import bookings
from harbor.models import NewBooking, Waiting
from harbor.timeutil import to_text

#: How long an offer is good.
OFFER = timedelta(hours=24)

_SELECT = """
    SELECT waitlist.id, berth_code AS berth, guests.name AS guest_name, boat, first_night, departure,
           status, offer_ends
    FROM waitlist JOIN guests ON guests.id = guest_id
"""


class AlreadyWaiting(Exception):
    pass


class BerthIsFree(Exception):
    """Nobody has to wait for it."""


def join(conn: sqlite3.Connection, wish: NewBooking, now: datetime) -> Waiting:
    bookings.ensure_bookable(conn, wish)
    if bookings.is_free(conn, wish.berth, wish.first_night, wish.departure):
        raise BerthIsFree(wish.berth)
    guest = bookings.guest_id(conn, wish.guest_name, wish.guest_email)
    stay = (wish.first_night.isoformat(), wish.departure.isoformat())
    try:
        cursor = conn.execute(
            """
            INSERT INTO waitlist
                (berth_code, guest_id, boat, length_m, first_night, departure, asked_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            (wish.berth, guest, wish.boat, wish.length_m, *stay, to_text(now)),
        )
    except sqlite3.IntegrityError as error:
        raise AlreadyWaiting(wish.berth) from error
    return get(conn, cursor.lastrowid or 0)


def get(conn: sqlite3.Connection, waiting_id: int) -> Waiting:
    row = conn.execute(f"{_SELECT} WHERE waitlist.id = ?", (waiting_id,)).fetchone()
    return Waiting(**dict(row))


def offer_next(
    conn: sqlite3.Connection, berth: str, first_night: date, departure: date, now: datetime
) -> Waiting | None:
    """Offers a stay that came free to the first in line whom it helps; None when it helps nobody."""
    rows = conn.execute(
        f"""
        {_SELECT}
        WHERE berth_code = ? AND status = 'waiting' AND first_night < ? AND departure > ?
        ORDER BY waitlist.id
        """,
        (berth, departure.isoformat(), first_night.isoformat()),
    ).fetchall()
    for waiting in (Waiting(**dict(row)) for row in rows):
        if bookings.is_free(conn, berth, waiting.first_night, waiting.departure):
            conn.execute(
                "UPDATE waitlist SET status = 'offered', offer_ends = ? WHERE id = ?",
                (to_text(now + OFFER), waiting.id),
            )
            return get(conn, waiting.id)
    return None
'''

_TEST_WAITLIST = """\
from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from fastapi.testclient import TestClient

from tests.conftest import Clock, a_wish

ASKED = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)


def wait(client: TestClient, name: str, **changes: object) -> int:
    wish = a_wish(guest_name=name, guest_email=f"{name.lower()}@example.org", **changes)
    return client.post("/waitlist", json=wish).status_code


def statuses(conn: sqlite3.Connection) -> dict[str, str]:
    rows = conn.execute(
        "SELECT name, status FROM waitlist JOIN guests ON guests.id = guest_id ORDER BY waitlist.id"
    )
    return {row["name"]: row["status"] for row in rows}


def test_a_free_berth_needs_no_waiting(client: TestClient) -> None:
    assert wait(client, "Petra") == 409


def test_one_waits_once_for_the_same_stay(client: TestClient) -> None:
    client.post("/bookings", json=a_wish())
    assert [wait(client, "Petra"), wait(client, "Petra")] == [201, 409]


def test_the_first_in_line_gets_an_offer_for_24_hours(
    client: TestClient, conn: sqlite3.Connection, clock: Clock
) -> None:
    client.post("/bookings", json=a_wish())
    wait(client, "Petra")
    wait(client, "Owen")
    clock.now = ASKED
    client.delete("/bookings/1")
    assert statuses(conn) == {"Petra": "offered", "Owen": "waiting"}
    ends = conn.execute("SELECT offer_ends FROM waitlist WHERE id = 1").fetchone()[0]
    assert ends == "2026-04-02T09:00:00Z"


def test_a_stay_that_does_not_fit_is_passed_over(client: TestClient, conn: sqlite3.Connection) -> None:
    client.post("/bookings", json=a_wish())
    client.post("/bookings", json=a_wish(first_night="2026-05-08", departure="2026-05-11"))
    wait(client, "Petra", first_night="2026-05-06", departure="2026-05-10")
    wait(client, "Owen", first_night="2026-05-05", departure="2026-05-07")
    client.delete("/bookings/1")
    assert statuses(conn) == {"Petra": "waiting", "Owen": "offered"}
"""

_TEST_EXPIRY = '''\


def offered(client: TestClient, clock: Clock) -> None:
    """Petra has an offer made at ASKED, Owen is next."""
    client.post("/bookings", json=a_wish())
    wait(client, "Petra")
    wait(client, "Owen")
    clock.now = ASKED
    client.delete("/bookings/1")


def test_an_offer_stands_for_24_hours(client: TestClient, conn: sqlite3.Connection, clock: Clock) -> None:
    offered(client, clock)
    assert waitlist.expire_offers(conn, ASKED + timedelta(hours=23, minutes=59)) == []
    assert statuses(conn) == {"Petra": "offered", "Owen": "waiting"}


def test_an_expired_offer_moves_to_the_next_in_line(
    client: TestClient, conn: sqlite3.Connection, clock: Clock
) -> None:
    offered(client, clock)
    made = waitlist.expire_offers(conn, ASKED + timedelta(hours=24))
    assert statuses(conn) == {"Petra": "expired", "Owen": "offered"}
    assert [waiting.guest_name for waiting in made] == ["Owen"]


def test_nobody_left_in_line_is_fine(client: TestClient, conn: sqlite3.Connection, clock: Clock) -> None:
    offered(client, clock)
    waitlist.expire_offers(conn, ASKED + timedelta(hours=25))
    assert waitlist.expire_offers(conn, ASKED + timedelta(hours=50)) == []
    assert statuses(conn) == {"Petra": "expired", "Owen": "expired"}
'''


def masked_secrets(s: Author) -> None:
    s.user(
        """
        Phew, thank you, and well spotted with that page. Please don't print secrets again, not even the test ones,
        and make that settings command mask them. After that I'd like to know whether availability is quick enough
        for the season, scripts/load.py measures it.
        """,
        after=524,
    )
    s.reads(
        "harbor/settings.py",
        note="All todos are completed. If the task at hand has several steps, consider a new list.",
    )
    s.edits(
        "harbor/settings.py",
        """\
if __name__ == "__main__":
    for name, value in asdict(load()).items():
        print(f"{name} = {value}")
""",
        '''\
def shown(settings: Settings) -> list[str]:
    """The settings for people to read, secrets masked but for their prefix."""
    return [f"{name} = {_masked(name, value)}" for name, value in asdict(settings).items()]


def _masked(name: str, value: str) -> str:
    if not name.endswith("_secret"):
        return value
    return f"{value[:8]}…" if value else "(not set)"


if __name__ == "__main__":
    print("\\n".join(shown(load())))
''',
    )
    s.writes("tests/test_settings.py", _TEST_SETTINGS)
    with s.together():
        s.runs("uv run python -m harbor.settings", "The command as it shows now", "settings-masked")
        s.runs("uv run pytest -q", "Run all tests", "pytest-masked", seconds=2.7)
    s.runs('git add -A && git commit -m "settings: secrets are masked when shown"', "Commit", "commit-masked")
    s.says("Masked and committed, 42 passed. Now the measurement.")
    s.reads("scripts/load.py")
    s.thinks("Staging is closest to what the office will see: same machine type, real data. 5000 requests should do.")
    s.runs_until_stopped(
        "uv run python scripts/load.py --host staging --requests 5000",
        "Measure availability on staging",
        "load-staging",
        seconds=14,
    )
    s.interrupts(tool=True)


def not_staging(s: Author) -> None:
    s.user(
        """
        Stop, not against staging! The office shows it to visitors during the day. Nothing runs against staging before
        20:00, please. Locally is fine.
        """,
        after=11,
    )
    s.says("Sorry, I should have asked. Nothing against staging before 20:00; I'll use the local smoke script instead.")
    s.runs_for_ever("./scripts/smoke.sh 3000 2>&1 | tail -20", "Measure availability on a local copy")
    s.crashes()


def waiting_list(s: Author) -> None:
    s.user(
        """
        Sorry, my terminal died in the middle of that. Leave the measuring, I'll do it tonight. Let's start the
        waiting list instead: if a berth is taken, a guest can get in line for that berth and those dates, once. When
        a booking is cancelled, the first in line whose stay fits gets an offer that is good for 24 hours. If they
        accept, it becomes a booking, if not, the next one gets it. And the office should see who is waiting.
        """,
        after=2191,
        beside=(
            "<system-reminder>\nThe session was resumed. A command may have been running when it ended.\n"
            "</system-reminder>",
        ),
    )
    s.thinks(
        """
        The smoke run never came back; nothing to clean up, its database was in a temporary folder. Plan the list:
        table, join, offer on cancel, accept, expiry, page. Work in that order and commit after each. Migration 0004,
        0003 may have been deployed by now. Everything in UTC via to_text. bookings._ensure_bookable and _guest_id
        are needed from outside, so they lose the underscore.
        """
    )
    s.plans(
        ("Migration 0004: table waitlist", "Adding migration 0004"),
        ("Get in line: POST /waitlist", "Adding POST /waitlist"),
        ("Offer to the first in line when a booking is cancelled", "Offering on cancellation"),
        ("Offers end after 24 hours, then the next in line", "Letting offers expire"),
        ("Accept an offer: POST /waitlist/{id}/accept", "Adding acceptance of offers"),
        ("Office page shows who is waiting", "Showing the waiting list on the page"),
    )
    with s.together():
        s.globs("migrations/*.sql")
        s.greps(r"_ensure_bookable|_guest_id")
        s.reads("harbor/models.py")
    with s.together():
        s.writes("migrations/0004_waitlist.sql", _MIGRATION)
        s.writes("harbor/waitlist.py", _WAITLIST)
    s.edits(
        "harbor/models.py",
        """\
    #: Only in the answer to a cancellation.
    deposit: Literal["refunded", "kept"] | None = None
""",
        """\
    #: Only in the answer to a cancellation.
    deposit: Literal["refunded", "kept"] | None = None


class Waiting(BaseModel):
    id: int
    berth: str
    guest_name: str
    boat: str
    first_night: date
    departure: date
    status: Literal["waiting", "offered", "accepted", "expired"]
    offer_ends: AwareDatetime | None = None
""",
    )
    with s.together():
        s.edits(
            "harbor/bookings.py",
            "def _ensure_bookable(conn: sqlite3.Connection, wish: NewBooking) -> None:\n",
            "def ensure_bookable(conn: sqlite3.Connection, wish: NewBooking) -> None:\n",
        )
        s.edits(
            "harbor/bookings.py",
            "def _guest_id(conn: sqlite3.Connection, name: str, email: str) -> int:\n",
            "def guest_id(conn: sqlite3.Connection, name: str, email: str) -> int:\n",
        )
        s.edits(
            "harbor/bookings.py",
            "                _guest_id(conn, wish.guest_name, wish.guest_email),\n",
            "                guest_id(conn, wish.guest_name, wish.guest_email),\n",
        )
    s.reads("harbor/app.py", offset=56, limit=50)
    with s.together():
        s.edits(
            "harbor/app.py",
            """\
        if cancelled is None:
            raise HTTPException(404, "no such booking")
        return cancelled
""",
            """\
        if cancelled is None:
            raise HTTPException(404, "no such booking")
        waitlist.offer_next(
            conn, cancelled.berth, cancelled.first_night, cancelled.departure, clock()
        )
        return cancelled

    @app.post("/waitlist", status_code=201)
    def wait(wish: NewBooking) -> Waiting:
        try:
            return waitlist.join(conn, wish, clock())
        except waitlist.AlreadyWaiting as error:
            raise HTTPException(409, "already waiting for this stay") from error
        except waitlist.BerthIsFree as error:
            raise HTTPException(409, f"berth {error} is free, it can be booked") from error
        except bookings.NotBookable as error:
            raise HTTPException(422, str(error)) from error
""",
        )
        s.edits(
            "harbor/app.py",
            """\
from harbor import bookings, payments
from harbor.models import Berth, Booking, NewBooking
""",
            """\
from harbor import bookings, payments, waitlist
from harbor.models import Berth, Booking, NewBooking, Waiting
""",
        )
        s.writes("tests/test_waitlist.py", _TEST_WAITLIST)
    s.runs("uv run pytest -q --tb=line", "Run all tests", "pytest-waitlist-red", exits=1, seconds=3.4)
    s.says("A name I missed: `book` still calls `_ensure_bookable`, so everything that books fails alike.")
    s.greps("_ensure_bookable", "harbor")
    s.edits("harbor/bookings.py", "    _ensure_bookable(conn, wish)\n", "    ensure_bookable(conn, wish)\n")
    s.runs("uv run pytest -q", "Run all tests", "pytest-waitlist-green", seconds=3.3)
    s.runs(
        "git add migrations harbor/models.py harbor/bookings.py harbor/waitlist.py && "
        'git commit -qm "waitlist: guests can get in line for a berth" && git add -A && '
        'git commit -qm "waitlist: a cancelled stay is offered to the first in line" && git log --oneline -3',
        "Commit in two steps",
        "commit-waitlist",
    )
    s.progress("done", "done", "done", "open", "open", "open")
    s.says(
        """
        The first half of the waiting list stands: guests get in line with `POST /waitlist` (once per stay, and only
        for a berth that is really taken), and a cancellation makes an offer to the first in line whose whole stay
        fits, good for 24 hours from then. 46 passed, two commits. Expiry, acceptance and the page are open.

        One question for later: while an offer stands, anybody can still book that berth through the normal page.
        Should an offer keep the berth for its 24 hours?
        """
    )


def expiring_offers(s: Author) -> None:
    s.user(
        """
        Good question, I'll ask Stipe about that and tell you. Go on with the expiry and then accepting. One more
        thing, your answers are a bit long for me, two or three sentences are enough.
        """,
        after=1371,
    )
    s.progress("done", "done", "done", "now", "open", "open")
    s.reads("harbor/waitlist.py", offset=50, limit=30)
    s.edits(
        "harbor/waitlist.py",
        """\
                (to_text(now + OFFER), waiting.id),
            )
            return get(conn, waiting.id)
    return None
""",
        '''\
                (to_text(now + OFFER), waiting.id),
            )
            return get(conn, waiting.id)
    return None


def expire_offers(conn: sqlite3.Connection, now: datetime) -> list[Waiting]:
    """Ends offers whose time is over and makes them to the next in line; returns the new ones."""
    ended = conn.execute(
        f"{_SELECT} WHERE status = 'offered' AND offer_ends <= ? ORDER BY waitlist.id",
        (now.isoformat(),),
    ).fetchall()
    made = []
    for late in (Waiting(**dict(row)) for row in ended):
        conn.execute("UPDATE waitlist SET status = 'expired' WHERE id = ?", (late.id,))
        made.append(offer_next(conn, late.berth, late.first_night, late.departure, now))
    return [offer for offer in made if offer is not None]
''',
    )
    with s.together():
        s.edits(
            "tests/test_waitlist.py",
            """\
    client.delete("/bookings/1")
    assert statuses(conn) == {"Petra": "waiting", "Owen": "offered"}
""",
            """\
    client.delete("/bookings/1")
    assert statuses(conn) == {"Petra": "waiting", "Owen": "offered"}
"""
            + _TEST_EXPIRY,
        )
        s.edits(
            "tests/test_waitlist.py",
            """\
from datetime import UTC, datetime

from fastapi.testclient import TestClient

from tests""",
            """\
from datetime import UTC, datetime, timedelta

from fastapi.testclient import TestClient

from harbor import waitlist
from tests""",
        )
    s.runs("uv run pytest -q", "Run all tests", "pytest-expiry-red", exits=1, seconds=3.5)
    s.thinks(
        """
        Only the boundary fails: exactly 24 hours. offer_ends is stored by to_text as 2026-04-02T09:00:00Z, but I
        compare with now.isoformat(), 2026-04-02T09:00:00+00:00. As texts 'Z' sorts after '+', so "<=" is false in
        that very second. The others pass by luck because they differ earlier in the text. Use to_text(now).
        """
    )
    s.says(
        "Same instant, two spellings: `offer_ends` is stored with `Z` by `to_text`, and I compare it with "
        "`now.isoformat()`, which ends in `+00:00`. It has to be `to_text(now)` in `expire_offers`."
    )
    s.interrupts()


def time_to_go(s: Author) -> None:
    s.file.bookkeeping(
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "timestamp": s.file.stamp(),
            "sessionId": SESSION,
            "content": "Sorry, I have to run for the 18:10 ferry.",
        }
    )
    s.user(
        """
        Sorry, I have to run for the 18:10 ferry. Please stop here and don't commit the half-finished expiry. Just
        tell me where things stand so that I can carry on tomorrow.
        """,
        after=9,
    )
    with s.together():
        s.runs("git status --short && git log --oneline -3", "What is not committed", "status-end")
        s.runs("uv run pytest -q --tb=no", "Where the tests stand", "pytest-end", exits=1, seconds=3.2)
    s.progress("done", "done", "done", "now", "open", "open")
    s.says(
        """
        Getting in line and making offers are committed; the expiry is not (`harbor/waitlist.py` and
        `tests/test_waitlist.py` have changes), and 1 of 49 tests fails,
        `test_an_expired_offer_moves_to_the_next_in_line`. The cause is known: `expire_offers` must compare
        `offer_ends` with `to_text(now)` instead of `now.isoformat()`. Next are that line, the tests and a commit, then
        `POST /waitlist/{id}/accept` and the page; Stipe still has to say whether an offer keeps the berth.
        """
    )
    s.end_turn()
