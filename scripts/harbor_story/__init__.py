"""The story behind the sample session: an afternoon's work on *harbor*, an invented booking service.

``tell`` plays it from beginning to end. The parts hold what is said and done; ``project.txt`` is the project
as it stands when the story begins, ``outputs.txt`` what its commands print. Those were printed by the real
project at that very step: whoever changes a step puts right what its tests, diffs and commits say.
"""

from __future__ import annotations

from harbor_story import part1_bookings as bookings
from harbor_story import part2_arrivals as arrivals
from harbor_story import part3_prices as prices
from harbor_story import part4_utc as utc
from harbor_story import part5_payments as payments
from harbor_story import part6_waitlist as waitlist
from harbor_story.author import Author


def tell(s: Author) -> None:
    s.opens("harbor: bookings, times and a waiting list")
    bookings.look_around(s)
    bookings.same_day_turnover(s)
    arrivals.arrival_times(s)
    arrivals.postgres_question(s)
    arrivals.sqlite_decision(s)
    prices.season_prices(s)
    prices.red_build(s)
    prices.still_red(s)
    utc.change_of_mind(s)
    utc.compaction(s)
    utc.office_page(s)
    payments.untested_routes(s)
    payments.late_cancellation(s)
    payments.lost_payments(s)
    waitlist.masked_secrets(s)
    waitlist.not_staging(s)
    waitlist.waiting_list(s)
    waitlist.expiring_offers(s)
    waitlist.time_to_go(s)
