"""Requests 6 to 8: season prices, and a red build that is explained wrongly before it is explained rightly."""

from __future__ import annotations

from harbor_story.author import Author

_OWN_DATABASE = """\
@pytest.fixture
def conn(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = db.connect(tmp_path / "harbor.db")
    db.migrate(connection)
"""


def season_prices(s: Author) -> None:
    s.user(
        """
        Now prices, the town council voted last night. In high season a night costs 35 % more: nights from 1 June to
        15 September, both included. A stay that begins in May and ends in June is charged night by night. Money is
        always whole cents in an int, never a float, and when something has to be rounded we round half up, like the
        cash register does. That goes for the deposit too.
        """,
        after=545,
    )
    with s.together():
        s.reads("harbor/pricing.py")
        s.reads("tests/test_pricing.py")
    s.thinks(
        """
        Integer arithmetic: (cents * 135 + 50) // 100 is half up for positive numbers. The deposit floors today
        (price * 30 // 100): 6615 * 0.3 = 1984.5, the floor gives 1984 and half up gives 1985. Use one helper for
        both. Tests from her words: last night of May, first of June, 15 September in, 16 September out.
        """
    )
    s.says("I'll write the borders down as tests before I touch the code.")
    s.edits(
        "tests/test_pricing.py",
        """\
def test_the_deposit_is_thirty_percent() -> None:
    assert pricing.deposit_cents(15200) == 4560
""",
        """\
@pytest.mark.parametrize(
    ("night", "cents"),
    [
        (date(2026, 5, 31), 3800),
        (date(2026, 6, 1), 5130),
        (date(2026, 7, 20), 5130),
        (date(2026, 9, 15), 5130),
        (date(2026, 9, 16), 3800),
    ],
)
def test_a_night_in_high_season_costs_more(night: date, cents: int) -> None:
    assert pricing.stay_cents(9.2, night, night + timedelta(days=1)) == cents


def test_a_stay_across_the_border_is_charged_night_by_night() -> None:
    assert pricing.stay_cents(9.2, date(2026, 5, 30), date(2026, 6, 2)) == 2 * 3800 + 5130


def test_the_deposit_is_thirty_percent() -> None:
    assert pricing.deposit_cents(15200) == 4560


def test_half_a_cent_is_rounded_up() -> None:
    assert pricing.deposit_cents(6615) == 1985
""",
    )
    s.edits(
        "tests/test_pricing.py",
        """\
from datetime import date

import pytest
""",
        """\
from datetime import date, timedelta

import pytest
""",
    )
    s.edits(
        "harbor/pricing.py",
        """\
def stay_cents(length_m: float, first_night: date, departure: date) -> int:
    nights = (departure - first_night).days
    return nights * night_cents(length_m)


def deposit_cents(price_cents: int) -> int:
    return price_cents * DEPOSIT_PERCENT // 100
""",
        '''\
def is_high_season(night: date) -> bool:
    return (6, 1) <= (night.month, night.day) < (9, 15)


def stay_cents(length_m: float, first_night: date, departure: date) -> int:
    """Night by night, because a stay may cross the border of the season."""
    basic = night_cents(length_m)
    nights = (first_night + timedelta(days=at) for at in range((departure - first_night).days))
    return sum(percent(basic, HIGH_SEASON_PERCENT) if is_high_season(night) else basic for night in nights)


def deposit_cents(price_cents: int) -> int:
    return percent(price_cents, DEPOSIT_PERCENT)


def percent(cents: int, of: int) -> int:
    """Whole cents, half a cent rounded up; no floats on the way."""
    return (cents * of + 50) // 100
''',
    )
    s.edits(
        "harbor/pricing.py",
        """\
from datetime import date

#: Price of a night in cents for boats up to so many metres.
TARIFF = ((6.0, 2200), (8.0, 2900), (10.0, 3800), (12.0, 4900), (15.0, 7200), (20.0, 11500))
DEPOSIT_PERCENT = 30
""",
        """\
from datetime import date, timedelta

#: Price of a night in cents for boats up to so many metres.
TARIFF = ((6.0, 2200), (8.0, 2900), (10.0, 3800), (12.0, 4900), (15.0, 7200), (20.0, 11500))
#: What a night from 1 June to 15 September costs, in percent of the basic price.
HIGH_SEASON_PERCENT = 135
DEPOSIT_PERCENT = 30
""",
    )
    s.runs("uv run pytest -q tests/test_pricing.py", "Run the price tests", "pytest-season-red", exits=1)
    s.says("The test of 15 September caught me: I wrote `<` where the last day is included.")
    s.edits(
        "harbor/pricing.py",
        """\
    return (6, 1) <= (night.month, night.day) < (9, 15)
""",
        """\
    return (6, 1) <= (night.month, night.day) <= (9, 15)
""",
    )
    s.runs("uv run pytest -q", "Run all tests", "pytest-season-green", seconds=2.5)
    s.runs("git diff harbor/", "Look at the change once more", "diff-season")
    s.runs(
        'git add -A && git commit -m "pricing: nights in high season cost 35 % more"',
        "Commit",
        "commit-season",
    )
    s.says(
        """
        29 passed, committed. Each night is priced by its own date, `percent()` is the only place that rounds, and
        the deposit goes through it as well. A deposit that used to be rounded down may be one cent higher now, e.g.
        1985 instead of 1984 for a night at 66.15.
        """
    )


def red_build(s: Author) -> None:
    s.injects("<bash-input>git push</bash-input>", meta=False)
    s.injects(
        "<bash-stdout>To git.harbor.example:marina/harbor.git\n   cd642f4..75b886b  main -> main</bash-stdout>"
        "<bash-stderr></bash-stderr>",
        meta=False,
    )
    s.user(
        """
        I pushed, and CI is red on a test that passes on my machine. Run 4127, you can read it with
        `gh run view 4127 --log`. Could you find out why?
        """,
        after=1312,
    )
    with s.together():
        s.runs("gh run view 4127 --log", "Read the log of the failed run", "ci-log", seconds=3.4)
        s.reads(".github/workflows/ci.yml")
    s.thinks(
        """
        Lots of noise; the failure is test_a_reminder_is_due_two_hours_before_arrival on gw1, `assert [] == [1]`. So
        the booking was not there or not due. CI runs with -n 2, two worker processes, and conftest uses one file,
        /tmp/harbor-test.db, that each test deletes first. If gw0 unlinks the file while gw1 is between booking and
        asking... the connection would still see its own inode, though. Hmm, but WAL: the -wal and -shm files are
        found by name, so the two workers could mix them up. Locally there are no workers. That fits.
        """
    )
    s.says(
        """
        One failure in all that: `test_a_reminder_is_due_two_hours_before_arrival`, `assert [] == [1]`, on worker
        `gw1`. CI runs the tests with `-n 2`, and our fixture uses one fixed database file that every test deletes
        first. Two workers on one file can pull it from under each other, and you never see that locally. Let me
        check the fixture.
        """
    )
    s.reads("tests/conftest.py", offset=1, limit=32)
    s.edits(
        "tests/conftest.py",
        """\
@pytest.fixture
def conn() -> Iterator[sqlite3.Connection]:
    DATABASE.unlink(missing_ok=True)
    connection = db.connect(DATABASE)
    db.migrate(connection)
""",
        _OWN_DATABASE,
    )
    s.edits(
        "tests/conftest.py",
        """\
DATABASE = Path(tempfile.gettempdir()) / "harbor-test.db"
BERTHS =""",
        """\
BERTHS =""",
    )
    s.edits(
        "tests/conftest.py",
        """\
import sqlite3
import tempfile
from collections.abc import Iterator
""",
        """\
import sqlite3
from collections.abc import Iterator
""",
    )
    s.runs("uv run --with pytest-xdist pytest -n 2 -v", "Run the tests as CI does", "pytest-xdist", seconds=5.2)
    s.runs(
        'git add -A && git commit -m "tests: each test has a database of its own"',
        "Commit",
        "commit-own-database",
    )
    s.says(
        """
        Each test now has its own file under `tmp_path`, and the suite passes with two workers here (29 passed). I
        could not reproduce the red run itself, so please push and see; I expect it to be green.
        """
    )


def still_red(s: Author) -> None:
    s.user("Pushed. Still red I'm afraid, same test, run 4131. So it wasn't the shared file?", after=684)
    s.thinks(
        """
        My explanation was wrong, or at least not the cause. I should reproduce before I change anything this time.
        What differs between CI and this machine: workers (ruled out), Python patch version, the clock and the time
        zone. The test is about time. astimezone on a naive datetime uses the system's zone!
        """
    )
    s.says(
        "No, I was wrong there and should have reproduced it first. "
        "What does the second run say, and what zone are we in?"
    )
    with s.together(interleaved=True):
        s.runs("gh run view 4131 --log-failed | tail -22", "Failed step of the second run", "ci-log-2", seconds=2.8)
        s.runs("date; echo TZ=$TZ", "Time zone of this machine", "date")
    s.runs(
        "TZ=UTC uv run pytest -q", "Reproduce with the zone of the CI machine", "pytest-utc-red", exits=1, seconds=2.6
    )
    s.says("There it is: red here too as soon as the machine is on UTC. The suspect is one line of `reminders.py`.")
    s.reads("harbor/reminders.py")
    s.runs(
        'for zone in Europe/Zagreb UTC; do TZ=$zone uv run python -c "from datetime import *; '
        "print('$zone', datetime.fromisoformat('2026-05-04T16:00').astimezone(UTC))\"; done; "
        "uv run python -c \"from datetime import *; from zoneinfo import ZoneInfo; z = ZoneInfo('Europe/Zagreb'); "
        'print([datetime(2026, 10, 25, 2, 30, tzinfo=z, fold=f).astimezone(UTC).isoformat() for f in (0, 1)])"',
        "Show what the conversion does in each zone",
        "zones",
    )
    s.says(
        """
        Found, and reproduced this time. `datetime.fromisoformat(arrival_local).astimezone(UTC)` takes a time without
        a zone and assumes the zone of the machine. Yours is on Zagreb time, the CI runner on UTC, and so is the
        server, I suppose: there every reminder would have gone out one or two hours late. The database file had
        nothing to do with it (the change to the fixture is still right, I'd keep it).

        There are two ways to fix it. We keep local times and attach `Europe/Zagreb` wherever we read one. That is
        three lines, but on 25 October 02:30 happens twice and a stored local time cannot say which one is meant, and
        every new piece of code has to remember it. Or we store UTC and only convert for people. You said local time
        earlier because of Stipe's list, so I did not want to change that by myself. Which one?
        """
    )
