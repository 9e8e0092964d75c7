"""Rules are found in rule files of every shape, and nothing else is."""

from __future__ import annotations

import pytest

from clew.domain.critical import Candidate, ItemKind, Scope
from clew.signals.rule_files.extract import rules_in
from clew.signals.rule_files.statements import statements


def texts(text: str) -> list[str]:
    return [rule.text for rule in rules_in(text, "CLAUDE.md")]


def firm(text: str) -> list[str]:
    return [rule.text for rule in rules_in(text, "CLAUDE.md") if not rule.doubtful]


# ── shapes of rule files ─────────────────────────────────────────────────────────────────────────────

SHORT = """\
- Use bun, not npm
- Never commit to main
- Run `make check` before committing
- Keep functions small
"""

PROSE = """\
# Kettle

Kettle brews tea over HTTP. The server was written in 2019 and moved to async code later.

We write comments only where the reason is not plain from the code. Please always ask before you add a
dependency, because every one of them is audited by hand. The tests are fast; they take four seconds.
Migrations must be reversible.
"""

ARCHITECTURE = """\
# Orrery

## Architecture

The API lives in `src/api`. Requests are parsed by `parser.py`, which returns a tree.

- `src/api/`: routes and middleware
- `src/core/` - the solver
- **Cache**: keeps the last results in memory
- Handles retries with backoff

## Commands

- Install dependencies: `pip install -e .`
- `make test`: run all tests
- Run `make serve` to start the server
- Use `make docs` to build the manual

## How it works

Planets are integrated step by step. The integrator never allocates. Build artefacts end up in `out/`.

## Data flow

1. Read the ephemeris
2. Integrate
3. Write the table
"""

NUMBERED = """\
# How to work here

1. Read the ticket first, then write a plan.
2. Write a failing test before the code.
3. Keep each commit to one thought.
4. Never rewrite history that was pushed.
"""

GERMAN = """\
# Leitfaden

Dieses Projekt verwaltet Fahrpläne.

## Regeln

- Verwende immer `uv` statt pip
- Niemals direkt auf `main` pushen
- Kommentare müssen auf Deutsch sein
- Keep the README in English

## Aufbau

- `fahrplan/` enthält den Kern
"""

TABLES = """\
# Tables

| Command | What it does |
|---|---|
| `make never` | never do this by hand |
| Always | use tabs |

Do not edit the tables by hand.
"""

SHOUTED = """\
# Read this

IMPORTANT: Never push without asking.

**CRITICAL**: All endpoints must check the tenant.

> [!WARNING]
> Do not log request bodies.

NOTE: the server restarts at night.
"""

FENCED = """\
# Code

Use the helper instead of raw SQL.

```python
# never do this
connection.execute("always use me")
```

~~~
- Always answer in Klingon
~~~

    - Never read this indented line

<!-- Always obey the comment
- Never commit to main
-->

<example>
- Always quote the user
</example>

Prefer small modules <!-- never mind --> over large ones.
"""

CONVENTIONS = """\
## Naming conventions

- Components in PascalCase
- Hooks start with `use`

## Testing

**Unit tests**: Use vitest, never jest.

When adding a migration:

- Update `schema.sql`
- Bump the version

Before you open a pull request, run the linter.
"""


def test_a_short_list_of_bullets_is_found_whole() -> None:
    assert firm(SHORT) == [
        "Use bun, not npm",
        "Never commit to main",
        "Run `make check` before committing",
        "Keep functions small",
    ]


def test_in_prose_only_the_sentences_that_bind_are_rules() -> None:
    assert firm(PROSE) == [
        "We write comments only where the reason is not plain from the code.",
        "Please always ask before you add a dependency, because every one of them is audited by hand.",
        "Migrations must be reversible.",
    ]


def test_a_description_of_the_architecture_holds_no_rule() -> None:
    assert texts(ARCHITECTURE) == []


def test_what_nobody_sees_is_no_part_of_a_rule() -> None:
    assert texts("- Never commit\x00 to \x1b[31mmain\u202e.\n") == ["Never commit to [31mmain."]


def test_the_steps_of_a_numbered_list_are_rules() -> None:
    assert firm(NUMBERED) == [
        "Read the ticket first, then write a plan.",
        "Write a failing test before the code.",
        "Keep each commit to one thought.",
        "Never rewrite history that was pushed.",
    ]


def test_rules_in_two_languages_are_found_side_by_side() -> None:
    assert firm(GERMAN) == [
        "Verwende immer `uv` statt pip",
        "Niemals direkt auf `main` pushen",
        "Kommentare müssen auf Deutsch sein",
        "Keep the README in English",
    ]


def test_rows_of_tables_are_no_rules() -> None:
    assert texts(TABLES) == ["Do not edit the tables by hand."]


def test_lines_that_call_for_attention_are_rules_if_they_bind() -> None:
    assert firm(SHOUTED) == [
        "IMPORTANT: Never push without asking.",
        "CRITICAL: All endpoints must check the tenant.",
        "Do not log request bodies.",
    ]


def test_code_comments_and_examples_give_nothing() -> None:
    assert firm(FENCED) == ["Use the helper instead of raw SQL.", "Prefer small modules over large ones."]


def test_a_bare_statement_under_a_heading_of_rules_is_proposed_with_its_heading() -> None:
    found = rules_in(CONVENTIONS, "CLAUDE.md")
    assert [rule.text for rule in found if rule.doubtful] == [
        "Naming conventions: Components in PascalCase",
        "Naming conventions: Hooks start with `use`",
    ]
    assert [rule.text for rule in found if not rule.doubtful] == [
        "Unit tests: Use vitest, never jest.",
        "When adding a migration: Update `schema.sql`",
        "When adding a migration: Bump the version",
        "Before you open a pull request, run the linter.",
    ]


def test_the_items_of_a_list_that_an_order_announces_carry_the_order() -> None:
    text = "After each change, always run these:\n\n- `pnpm lint`\n- `pnpm test`\n"
    assert texts(text) == [
        "After each change, always run these: `pnpm lint`",
        "After each change, always run these: `pnpm test`",
    ]


MUSEUM = """\
# Quarry

Quarry sorts stones by size. It was built for a museum.

## Working with the code

- Every new command needs a test
- Only the build server may publish
- Our hosts run Python 3.8 only
- I prefer short functions

## Adding a stone type

1. Create a file in `stones/`
2. Add it to the registry
3. Restart the server

## Règles

- Ne jamais pousser sur la branche principale

## 规范

- 必须写测试
"""


def test_duties_and_facts_that_bind_are_found_and_steps_of_a_recipe_are_not() -> None:
    assert [text.removeprefix("Working with the code: ") for text in texts(MUSEUM)] == [
        "Every new command needs a test",
        "Only the build server may publish",
        "Our hosts run Python 3.8 only",
        "I prefer short functions",
        "Ne jamais pousser sur la branche principale",
        "必须写测试",
    ]


def test_a_title_is_no_heading_of_what_stands_below_it() -> None:
    assert [one.headings for one in statements("# Quarry\n\nOne.\n\n## Rules\n\n- Two\n")] == [(), ("Rules",)]


def test_good_practices_are_no_examples() -> None:
    assert texts("## Good practices\n\n- Keep it simple\n\n## Good\n\n- Keep it simpler\n") == ["Keep it simple"]


def test_a_block_of_settings_at_the_top_is_not_read() -> None:
    assert texts("---\ndescription: Always on\nalwaysApply: true\n---\n\n- Use tabs\n") == ["Use tabs"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\n",
        "Should we always use tabs?\n",
        "## Changelog\n\n- Always use the new parser\n",
        "## Examples\n\n- Never say never\n",
        'Don\'t: "We never sleep"\n',
        "The job never finishes on Windows.\n",
        "You should see a green light.\n",
        "See [the guide](docs/guide.md) for the rules.\n",
        "- [Rules](docs/rules.md) - always up to date\n",
        "<!-- Never commit to main",
        "```\n- Never commit to main\n",
    ],
)
def test_what_is_no_rule_gives_nothing(text: str) -> None:
    assert texts(text) == []


# ── what a rule carries ──────────────────────────────────────────────────────────────────────────────


def test_a_rule_says_what_it_is_and_where_it_stands() -> None:
    text = "# Rules\n\n- Never push to main\n"
    assert rules_in(text, "AGENTS.md") == (
        Candidate(
            kind=ItemKind.CONSTRAINT,
            text="Never push to main",
            source="AGENTS.md",
            span=(text.index("Never"), text.index("Never") + len("Never push to main")),
            scope=Scope.PROJECT,
            subject="main push",
        ),
    )


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Do not log secrets", ItemKind.CONSTRAINT),
        ("No default exports", ItemKind.CONSTRAINT),
        ("Every handler must check the tenant", ItemKind.REQUIREMENT),
        ("Prefer composition over inheritance", ItemKind.PREFERENCE),
        ("Write tests for every fix", ItemKind.INSTRUCTION),
    ],
)
def test_rules_are_told_apart_by_kind(line: str, kind: ItemKind) -> None:
    assert [rule.kind for rule in rules_in(f"- {line}\n", "CLAUDE.md")] == [kind]


def test_what_speaks_of_the_user_is_the_users() -> None:
    found = rules_in("- I prefer short answers\n- Use tabs\n", "CLAUDE.md")
    assert [(rule.text, rule.scope) for rule in found] == [
        ("I prefer short answers", Scope.USER),
        ("Use tabs", Scope.PROJECT),
    ]


def test_bold_print_is_no_part_of_the_words() -> None:
    assert texts("- **Never push.** Ask *me* first, and keep `a**b`.\n- **Use tabs. Keep lines short.**\n") == [
        "Never push.",
        "Ask *me* first, and keep `a**b`.",
        "Use tabs.",
        "Keep lines short.",
    ]


def test_a_rule_that_points_back_carries_what_it_points_to() -> None:
    assert texts("- The cache holds tokens. It must never be logged.\n") == [
        "The cache holds tokens. It must never be logged."
    ]


def test_a_rule_said_twice_is_found_once() -> None:
    assert texts("- Use tabs\n\n## Again\n\n- use tabs\n") == ["Use tabs"]


def test_of_too_many_rules_the_firmest_stay() -> None:
    mild = "".join(f"- Write chapter {number} in plain words\n" for number in range(150))
    found = texts(f"{mild}\n- Never publish drafts\n")
    assert len(found) == 100
    assert found[-1] == "Never publish drafts"


def test_no_more_than_the_first_two_hundred_thousand_characters_are_read() -> None:
    assert texts("x" * 200_000 + "\n\n- Never publish drafts\n") == []


def test_lines_of_windows_are_read_like_others() -> None:
    assert texts(SHORT.replace("\n", "\r\n")) == texts(SHORT)
