"""How much a query asks for."""

from __future__ import annotations

import pytest

from clew.text.complexity import Complexity, complexity

PLAIN = "Why does login fail?"
WIDE = "Compare both retry policies, then refactor every client to one of them across all services."
TRACE = "Fix this.\n" + "".join(
    f'File "/srv/app/orders/handler_{n}.py", line {n}, in process_order_{n}.\nValueError: bad total_{n}.\n'
    for n in range(40)
)


@pytest.mark.parametrize(
    ("query", "judged"),
    [
        ("", Complexity.SIMPLE),
        ("push", Complexity.SIMPLE),
        (PLAIN, Complexity.SIMPLE),
        ("Open it in VS Code.", Complexity.SIMPLE),
        ("Read docs/architecture and docs/design-notes.md.", Complexity.SIMPLE),
        ("Refactor the parser.", Complexity.MEDIUM),
        ("What does `load_rates` return? And where is tariffs.toml read? Is season_of used?", Complexity.MEDIUM),
        (TRACE, Complexity.MEDIUM),
        ("Fix this.\n```\n" + WIDE * 20 + "\n```", Complexity.SIMPLE),
        (WIDE, Complexity.HIGH),
        ("Compara las dos arquitecturas y refactoriza el cliente.", Complexity.HIGH),
        (
            "Is the cache warm? Who fills it? When does it expire? Does `Cache.get` lock? See cache.py, pool.py, "
            "`fill_all` and `drop_old`.",
            Complexity.HIGH,
        ),
    ],
)
def test_a_query_is_judged_by_what_it_asks(query: str, judged: Complexity) -> None:
    assert complexity(query) is judged


def test_what_stands_after_a_long_paste_is_read() -> None:
    assert complexity("```\n" + "x = 1\n" * 20_000 + "```\n" + WIDE) is Complexity.HIGH
