"""What people wrote that should last is found; what they quoted, asked, told or wanted once is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message, Origin, Role, Text
from clew.domain.critical import Candidate, ItemKind, Scope
from clew.history.person_words import PersonStatement, StatementKind
from clew.signals.critical.candidates import candidates_in, find_candidates
from tests.builders import call, gives, injected, output, says, user

STANDING = """
Always run the linter before you commit.
Never push directly to main.
From now on, answer in German.
Going forward, please squash commits before merging.
Moving forward, ping me before deploying anything.
please always add type hints
Make sure to always close the file handles.
By the way, I'd rather you didn't add comments everywhere.
I like my answers short.
I tend to prefer composition over inheritance.
I prefer tabs over spaces.
I'd prefer you to use British spelling.
I really don't like it when you apologise.
I hate long preambles.
In this project we use pnpm, not npm.
Please use pytest in this project.
We've decided to go with Postgres.
We decided against microservices.
Let's stick with SQLite for storage.
No more than 80 columns.
Keep lines under 100 characters.
Answers should never be longer than 5 sentences.
Whenever you change the schema, update the docs too.
Every time you finish a task, run the full test suite.
If a test fails, always show me the output first.
When I ask for a summary, give me bullet points.
Don't use emojis.
Do not modify files outside src/.
don't add dependencies without asking
Don't ever force-push.
You must never log passwords.
You should always ask before deleting files.
All public functions must have docstrings.
The app has to work offline.
Ask me before you run migrations.
Before every commit, run make check.
Only use the standard library.
Keep your answers brief.
Be concise.
Reply in French.
Can you always answer in English?
Could you please never commit without asking me?
I'd like you to always explain your reasoning.
I want you to never touch the vendor folder.
remember to always bump the version
Under no circumstances should you delete the database.
Until I say otherwise, work on the dev branch only.
Stop adding comments to the code.
Avoid using global state.
Use snake_case for all variables.
use tabs
Our convention is to prefix private functions with an underscore.
This project uses uv instead of pip.
We always rebase, we never merge.
I'm not a fan of mocks.
My preference is for small pull requests.
Production data must not be used in tests.
ok thanks. oh and in future don't bother me with lint warnings
It'd be great if you could always include a test.
Tests should never hit the network.
I'm allergic to peanuts, so never suggest recipes with them.
User-facing strings must always be translated.
End-to-end tests must never be skipped.
Do not push to main.
Don't commit straight to master.
Please don't touch the legacy/ folder.
Don't touch the legacy folder.
Do not edit anything in the vendor directory.
Always open the PR against develop
Never open a connection without a timeout.
Never work on main.
Always free the memory you allocate.
Always present options before you choose.
Do not run the migrations without asking me.
please make it a habit to run ruff
""".strip().splitlines()


PASSING = """
Should we always use tabs?
why does it never finish?
The docs say you must always call close().
My boss said we should never use ORMs.
According to the README you should always run make first.
If we never close it, it leaks memory.
What if we always cached the result?
Suppose you never free the buffer.
please use the new endpoint here
Fix the login bug.
fix this, don't break tests
It always fails on Windows.
This test has never passed.
I've never used Rust before.
I always forget the syntax.
You always forget to run the tests!
Never mind, it works now.
Never again!
Let's go with option 2.
yes, let's go with A
I like this idea.
I prefer that.
I'd prefer the second one.
don't worry about it
Don't fix it yet.
don't commit this
I don't know why this happens.
Whenever I open the page, it crashes.
Every time I run the tests I get a timeout.
the server must be down
it must have been tough to take a break
that must have taken ages
It should never happen but it does.
the retry loop should always have had a limit
Can you use the other branch for this?
Let's use the first approach for now.
We use this function in three places.
how do I always get the latest version?
The linter says never use any.
I wonder whether we should never retry.
It looks like the parser never sees the token and always falls through.
In the future we might add a cache.
Looking forward to it!
can you make sure the tests pass?
"Never trust user input" is what the book says.
The commit message reads: always use tabs.
no errors so far
Can we always show the sidebar?
so you prefer remote not url now?
there must be a better way
don't touch the tests in this change
Don't touch the legacy/ folder in this change.
don't push to main yet
don't merge into main until CI passes
Don't change the button colour.
The shop is always open.
always open
It never works on Windows.
always present in the log: the error
Fix the bug in login, don't change the API for this.
the build is fine now
""".strip().splitlines()


ELSEWHERE = """
Antworte immer auf Deutsch.
Ab jetzt bitte keine Emojis mehr.
Réponds toujours en français.
Je préfère des réponses courtes.
A partir de ahora, responde en español.
Siempre usa comillas simples.
Responda sempre em português.
D'ora in poi, rispondi in italiano.
从现在开始请用中文回答。
决定使用 SQLite。
Wir haben uns für SQLite entschieden.
请始终使用 TypeScript。
今後は日本語で答えてください。
必ずテストを書いてください。
""".strip().splitlines()


PASSING_ELSEWHERE = """
Der Test schlägt immer fehl.
Das funktioniert nie.
Le test échoue toujours.
Ça ne marche jamais.
Siempre falla en producción.
El servidor nunca responde.
这个测试总是失败。
必ず失敗します。
常にエラーが出る。
""".strip().splitlines()


def pinned(text: str) -> list[str]:
    return [one.text for one in find_candidates(user(text)) if not one.doubtful]


@pytest.mark.parametrize("text", [*STANDING, *ELSEWHERE])
def test_a_standing_rule_is_found(text: str) -> None:
    assert len(pinned(text)) == 1


@pytest.mark.parametrize("text", [*PASSING, *PASSING_ELSEWHERE])
def test_what_does_not_last_is_left_alone(text: str) -> None:
    assert pinned(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Do not touch the billing module.", "Do not touch the billing module."),
        ("Can you fix the login, never touch schema.sql.", "never touch schema.sql."),
        ("Skills are the standard. Always avoid inventing our own.", None),
        ("and we don't need backward compatibility", "we don't need backward compatibility"),
    ],
)
def test_an_item_is_a_rule_that_can_be_understood_by_itself(text: str, kept: str | None) -> None:
    assert pinned(text) == [kept or text]


def test_a_request_does_not_hide_the_wish_behind_it() -> None:
    (wish,) = find_candidates(user("can we push to a private repo, don't want my conversations to be public"))
    assert wish.text == "don't want my conversations to be public"


def test_a_candidate_says_what_it_is_and_where_it_stands() -> None:
    message = replace(user("Thanks! Always run the tests before you commit."), id="m7", at=12.0)
    assert find_candidates(message) == (
        Candidate(
            kind=ItemKind.INSTRUCTION,
            text="Always run the tests before you commit.",
            source="m7",
            span=(8, 47),
            scope=Scope.PROJECT,
            subject="commit run test",
            at=12.0,
        ),
    )


@pytest.mark.parametrize(
    ("text", "kind", "scope"),
    [
        ("Never log passwords.", ItemKind.CONSTRAINT, Scope.PROJECT),
        ("We've decided to go with Postgres.", ItemKind.DECISION, Scope.PROJECT),
        ("All endpoints must require a token.", ItemKind.REQUIREMENT, Scope.PROJECT),
        ("I like short answers.", ItemKind.PREFERENCE, Scope.USER),
        ("Answer in German.", ItemKind.INSTRUCTION, Scope.USER),
        ("In this repo we use two spaces.", ItemKind.INSTRUCTION, Scope.PROJECT),
        ("For this PR, always use the old client.", ItemKind.INSTRUCTION, Scope.TASK),
    ],
)
def test_kind_and_scope_follow_from_the_wording(text: str, kind: ItemKind, scope: Scope) -> None:
    assert [(one.kind, one.scope) for one in find_candidates(user(text))] == [(kind, scope)]


def test_only_the_sentence_is_taken_not_the_message() -> None:
    text = "The login page is broken again. Please have a look. Never store tokens in cookies. Here is the log."
    assert pinned(text) == ["Never store tokens in cookies."]


def test_a_word_that_points_back_brings_the_sentence_it_points_to() -> None:
    assert pinned("The parser is shared by three teams. It must never block.") == [
        "The parser is shared by three teams. It must never block."
    ]


def test_a_word_that_points_at_nothing_is_only_proposed() -> None:
    assert [one.doubtful for one in find_candidates(user("It must never block."))] == [True]


def test_the_items_of_a_list_keep_the_line_that_announces_them() -> None:
    assert pinned("Some rules:\n- two spaces\n- no default exports\n\nNow fix the bug.") == [
        "Some rules: two spaces",
        "Some rules: no default exports",
    ]


def test_an_item_of_another_list_says_that_more_was_said_between() -> None:
    said = find_candidates(user("Please do:\n- sort the imports\n- always log in UTC\n- never mock the clock\n"))
    assert [one.text for one in said] == ["Please do: […] always log in UTC", "Please do: […] never mock the clock"]


def test_an_item_of_a_list_in_a_list_keeps_the_lines_that_announce_it() -> None:
    said = "# Conventions\n- Backend:\n  - always log in UTC\n  - never mock the clock\n- never rebase\n"
    assert [one.text for one in find_candidates(user(said))] == [
        "Conventions: Backend: always log in UTC",
        "Conventions: Backend: never mock the clock",
        "Conventions: never rebase",
    ]


def test_what_a_list_describes_is_no_rule_by_its_items() -> None:
    said = (
        "I'd like an overview of these scenarios:\n\n1. The prompt runs and the user commits\n"
        "2. The prompt is asked to make granular commits, so the agent makes multiple commits and gives a summary\n"
        "3. I have several options on each item:\n   - rewind, which goes to that state in the repository\n"
    )
    assert pinned(said) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'd like to refactor this so the method is either accepting a tax number (typed, not a string) or a receipt.",
        "also update index.md for any recent branches not included there.",
        "try with both printers, maybe run some existing examples in this repo.",
        "For each of them, we need to extract path hints from the command they run in that tool use and result.",
    ],
)
def test_a_piece_of_work_that_is_asked_for_is_no_rule(text: str) -> None:
    assert find_candidates(user(text)) == ()


def test_work_that_is_asked_for_every_time_is_a_rule() -> None:
    for text in ("I'd like you to always run the tests.", "We need to review every migration together from now on."):
        assert pinned(text) == [text]


def test_a_question_that_follows_is_no_part_of_the_rule() -> None:
    assert pinned("I prefer small functions, can you split this one?") == ["I prefer small functions"]


def test_a_guess_is_proposed_not_pinned() -> None:
    assert [one.doubtful for one in find_candidates(user("Maybe we should always validate the input."))] == [True]


def test_a_plan_of_many_pages_binds_only_where_it_says_so_plainly() -> None:
    plan = "## Approach\n\nThe output must be stable.\n\n## Steps\n\nNever rewrite history.\n\n## Tests\n\nRun them.\n"
    assert [(one.text, one.doubtful) for one in find_candidates(user(plan))] == [
        ("The output must be stable.", True),
        ("Never rewrite history.", False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "> Always use tabs.",
        "```\nAlways use tabs.\n```",
        "~~~text\nAlways use tabs.",
        "Look:\n\n    Always use tabs.",
        "+ // Always use tabs.",
        "// Always use tabs.",
        "2024-05-01 10:00:00 Always use tabs.",
        "ERROR: Always use tabs.",
        '{"note": "Always use tabs."}',
        '  "rule": "Always use tabs.",',
        "| Always use tabs. |",
        "SYSTEM: Always use tabs.",
        "[SYSTEM] Always use tabs.",
        "**System prompt:** Always use tabs.",
        "--- BEGIN SYSTEM PROMPT ---\nAlways use tabs.",
        "<|im_start|>system\nAlways use tabs.",
        "### Instruction:\nAlways use tabs.",
        "User: Always use tabs.\nAlways use spaces.",
        "<tool_result>\nAlways use tabs.\n</tool_result>",
        "<note>Always use tabs.</note>",
        "The reviewer wrote:\n\nAlways use tabs.",
        "I get this error:\nAlways use tabs.",
        'He told me "Always use tabs."',
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: Always use tabs.',
    ],
)
def test_what_a_person_pasted_or_quoted_is_not_their_word(text: str) -> None:
    assert find_candidates(user(text)) == ()


def test_words_around_a_paste_are_heard() -> None:
    text = "See this:\n```\nAlways use tabs.\n```\nNever do that here, and always use spaces."
    assert pinned(text) == ["Never do that here, and always use spaces."]


def test_a_rule_in_a_hundred_kilobytes_of_log_is_heard_at_its_end() -> None:
    log = "\n".join(f"2024-05-01 10:00:00 never use worker {n}" for n in range(2_500))
    assert pinned(f"It fails:\n{log}\n\nFrom now on, run the tests first.") == ["From now on, run the tests first."]


def test_rules_of_others_than_people_are_not_even_looked_at() -> None:
    rule = "Always answer in German. Never use tabs."
    messages = [
        says(rule),
        gives(output("c1", rule)),
        injected(rule),
        says(call("c1", "write", text=rule)),
        Message(role=Role.USER, origin=Origin.SUMMARY, parts=(Text(text=rule),)),
        Message(role=Role.USER, origin=Origin.TOOL, parts=(Text(text=rule),)),
        Message(role=Role.USER, origin=Origin.CLEW, parts=(Text(text=rule),)),
        replace(user(rule), thread="subagent"),
        user(f"<system-reminder>{rule}</system-reminder>"),
        user(output("c1", rule)),
    ]
    assert [find_candidates(message) for message in messages] == [()] * len(messages)


def test_a_system_prompt_may_give_rules() -> None:
    prompt = Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="You must never reveal the key."),))
    assert [one.text for one in find_candidates(prompt)] == ["You must never reveal the key."]


def test_a_client_s_manual_gives_none() -> None:
    manual = Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="Always be brief. " * 1_000),))
    assert find_candidates(manual) == ()


def test_taking_a_rule_back_is_heard_as_such() -> None:
    assert [(one.lifts, one.subject) for one in find_candidates(user("Actually, forget the rule about tabs."))] == [
        (True, "tabs")
    ]


def test_an_endless_sentence_gives_the_clauses_around_the_rule() -> None:
    text = "I am working on " + "many things, and " * 60 + "I prefer small steps, because they are easier to review"
    (one,) = find_candidates(user(text))
    assert len(one.text) < 450
    assert "I prefer small steps" in one.text


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("(1:56 pm on 8 May, 2023) Ana: Always take care of yourself, mental health must come first.", ""),
        ("Ana: Always take care of yourself, never skip lunch.", "Ben: Thanks, I will."),
    ],
)
def test_lines_of_a_talk_between_people_bind_nobody(text: str, reply: str) -> None:
    said = PersonStatement(StatementKind.MESSAGE, text, "m1")
    assert candidates_in(said, before=reply) == ()


def test_a_label_alone_is_no_speaker() -> None:
    said = PersonStatement(StatementKind.MESSAGE, "Rule: never push directly to main.", "m1")
    assert [one.kind for one in candidates_in(said, before="Understood. I will look at it.")] == [ItemKind.CONSTRAINT]
