"""Items are shown by kind and age, within a cap that says what did not fit, and not twice."""

from __future__ import annotations

import pytest

from clew.domain.critical import CriticalItem, ItemKind, ItemState
from clew.signals.critical.display import Listed, is_in_project_file, order_within_cap


def item(id: str, kind: ItemKind, text: str = "one two three", created: float | None = None) -> CriticalItem:
    return CriticalItem(id=id, kind=kind, text=text, source="m1", subject="", created=created)


def words(text: str) -> int:
    return len(text.split())


def test_what_binds_most_comes_first_and_older_ones_before_newer() -> None:
    items = [
        item("p1", ItemKind.CUSTOM),
        item("p2", ItemKind.PREFERENCE),
        item("p3", ItemKind.DECISION, created=5.0),
        item("p4", ItemKind.DECISION, created=2.0),
        item("p5", ItemKind.INSTRUCTION),
        item("p6", ItemKind.REQUIREMENT),
        item("p10", ItemKind.CONSTRAINT),
        item("p9", ItemKind.CONSTRAINT),
    ]
    assert [one.id for one in order_within_cap(items, 1_000, words).items] == [
        "p9",
        "p10",
        "p6",
        "p5",
        "p4",
        "p3",
        "p2",
        "p1",
    ]


def test_only_items_in_force_are_shown() -> None:
    gone = CriticalItem(id="p1", kind=ItemKind.CUSTOM, text="x", source="", subject="", state=ItemState.SUPERSEDED)
    assert order_within_cap([gone], 100, words) == Listed(items=(), tokens=0)


def test_what_does_not_fit_is_told() -> None:
    small, big = item("p1", ItemKind.CONSTRAINT), item("p2", ItemKind.DECISION, "word " * 50)
    other = item("p3", ItemKind.PREFERENCE)
    assert order_within_cap([small, big, other], 6, words) == Listed(items=(small, other), tokens=6, left_out=(big,))


FILE = """# Style

- Indent with tabs, never with spaces.
- Run `make check` before every commit.
- Lines: 100 characters.
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Before every commit, run make check.", True),
        ("Always run make check before you commit.", True),
        ("Lines have 100 characters.", True),
        ("Lines have 80 characters.", False),
        ("Never run make check before a commit.", False),
        ("Answer in German.", False),
        ("Run make deploy before every commit on the release branch.", False),
    ],
)
def test_what_the_project_s_file_says_is_known(text: str, *, said: bool) -> None:
    assert is_in_project_file(text, [FILE]) is said
