"""Requests 1 and 2: a look around with the first rules, and boats that leave and arrive on the same day."""

from __future__ import annotations

from harbor_story.author import Author


def look_around(s: Author) -> None:
    s.user(
        """
        Hi! This is harbor, the booking service of our marina. I wrote most of it alone in February and I'd like
        some help this afternoon. Could you first look around and tell me how a booking is stored and where we
        decide whether a berth is free? Two things for the whole project: we use uv here, not pip, and from now on
        please always run the tests before you say you're done.
        """,
        after=0,
    )
    s.says("I'll start with the layout and the project's own notes.")
    with s.together():
        s.runs("ls -la && ls -R harbor migrations tests scripts web", "List project files", "ls")
        s.reads("CLAUDE.md")
        s.reads("pyproject.toml")
    with s.together():
        s.reads("harbor/bookings.py")
        s.reads("harbor/db.py")
        s.reads("migrations/0001_initial.sql")
        s.reads("harbor/app.py")
    s.thinks(
        """
        A booking is one row; dates are TEXT in ISO form, so string comparison works. is_free compares with <= and
        >= on both sides: a booking that ends on the 8th clashes with one that starts on the 8th. That looks like a
        bug for a marina (noon to noon nights), but the question was only where it lives. I'll mention it. First
        the tests, as asked.
        """
    )
    with s.together(interleaved=True):
        s.runs("uv run pytest -q", "Run the test suite", "pytest-start", seconds=2.2)
        s.greps("is_free|of_berth", files=True)
        s.runs("git log --oneline --stat -4", "Recent history", "git-log-start")
    s.says(
        """
        Tests are green (17 passed), so this is how it stands.

        A booking is one row of `bookings`: berth, guest, boat, first night and day of departure as ISO dates, price
        and deposit in cents, and a status (`held` until the deposit arrives, then `confirmed`, or `cancelled`).
        Guests are kept once per e-mail address.

        Whether a berth is free is decided in one place, `bookings.is_free` (harbor/bookings.py:29), a single query
        for a clashing row. `book` calls it inside `BEGIN IMMEDIATE`, so two requests at the same moment cannot both
        win, and `GET /availability` calls it once per berth.

        One thing I noticed on the way: `is_free` compares with `<=` and `>=`, but `of_berth` (line 87) uses `<` and
        `>`. With the first, a boat leaving on the 8th blocks an arrival on the 8th, although your README counts
        nights from noon to noon. I have not changed anything.
        """
    )


def same_day_turnover(s: Author) -> None:
    s.user(
        """
        Ha, that explains the phone calls. Yes please fix it: when one boat leaves on a day, another can come that
        same day. Write the failing test first.

        I prefer small commits, one thought each, with a message like "bookings: a berth is free again on the day of
        departure". And before you get to the database at some point: never touch migrations/0001_initial.sql, it
        has run in production. Changes go into a new migration.
        """,
        after=265,
    )
    s.says("Test first, next to the other overlap test.")
    s.reads("tests/test_bookings.py")
    s.edits(
        "tests/test_bookings.py",
        """\
def test_other_berths_stay_free(conn: sqlite3.Connection) -> None:
""",
        """\
def test_a_berth_is_free_again_on_the_day_of_departure(conn: sqlite3.Connection) -> None:
    bookings.book(conn, wish())
    next_guest = bookings.book(conn, wish(first_night="2026-05-08", departure="2026-05-10"))
    assert next_guest.status == "held"


def test_a_stay_may_end_on_the_day_another_begins(conn: sqlite3.Connection) -> None:
    bookings.book(conn, wish())
    assert bookings.is_free(conn, "B1", date(2026, 5, 1), date(2026, 5, 4))


def test_other_berths_stay_free(conn: sqlite3.Connection) -> None:
""",
    )
    s.runs("uv run pytest -q tests/test_bookings.py", "See the new tests fail", "pytest-turnover-red", exits=1)
    s.says("Both fail for the expected reason. The comparison becomes half-open, as in `of_berth`:")
    s.edits(
        "harbor/bookings.py",
        """\
          AND first_night <= ? AND departure >= ?
        LIMIT 1
""",
        """\
          AND first_night < ? AND departure > ?
        LIMIT 1
""",
    )
    s.runs("uv run pytest -q", "Run all tests", "pytest-turnover-green", seconds=2.3)
    s.runs(
        'git add -A && git commit -m "bookings: a berth is free again on the day of departure"',
        "Commit the fix",
        "commit-turnover",
    )
    s.says(
        """
        Done: 19 passed, committed as one change. A stay now covers `first_night` up to but not including
        `departure`, in `is_free` as in `of_berth`. Noted about the commits and about 0001: new migrations only.
        """
    )
