"""Statements as people make them at work: what excludes another is told, what only looks alike is not."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.clash import THRESHOLD, ClashKind, Statement, contradictions

EXCLUDING = [
    # what is used
    ("We use PostgreSQL.", "The database is MySQL."),
    ("we're on postgres for everything", "the db is mysql btw"),
    ("Our primary datastore is MongoDB.", "All our data lives in DynamoDB, which is the primary datastore."),
    ("Sessions are kept in Redis.", "Sessions are kept in Memcached."),
    ("The backend is written in Go, not Python.", "The backend is written in Python."),
    ("Use pnpm for this repo.", "Use npm for this repo."),
    ("We manage dependencies with Poetry.", "We manage dependencies with pip."),
    ("Our tests run on pytest.", "Our tests run on unittest."),
    ("Authentication is done with JWT.", "Authentication is done with cookies."),
    ("The API is REST.", "The API is GraphQL."),
    ("The frontend is built in React.", "Our frontend is built in Vue."),
    ("Config files are YAML.", "Config files are TOML."),
    ("Everything is deployed on AWS.", "Everything is deployed on Azure."),
    ("Primary keys are UUIDs.", "Primary keys are integers."),
    ("We squash pull requests.", "We rebase pull requests."),
    # numbers
    ("The API listens on port 8080.", "The API is on port 3000."),
    ("The limit is 50 requests per minute.", "The limit is 100 requests per minute."),
    ("Uploads may be at most 10 MB.", "Uploads may be at most 25 MB."),
    ("Access tokens expire after 15 minutes.", "Access tokens expire after 1 hour."),
    ("The request timeout is 30 seconds.", "The request timeout is 5 seconds."),
    ("Passwords must have at least 12 characters.", "Passwords must have at least 8 characters."),
    ("Keep lines under 80 characters.", "Keep lines under 120 characters."),
    ("Retry a webhook 3 times.", "A webhook is retried 5 times."),
    ("Logs are kept for 30 days.", "Logs are kept for 90 days."),
    ("The budget is $500 a month.", "The budget is $800 a month."),
    ("The pool has 10 connections.", "The pool has 25 connections."),
    ("The page size is 20 items.", "The page size is 50 items."),
    ("The meeting is at 3pm.", "The meeting is at 5pm."),
    ("The release is on March 3.", "The release is on April 12."),
    ("The limit is 50 requests per minute.", "Raise an error: no more than 100 requests per minute are allowed."),
    ("Maximum 200 lines per file", "Maximum 400 lines per file"),
    ("Sessions last 30 days.", "Sessions last 12 hours."),
    ("A team has at most five members.", "A team has at most eight members."),
    # versions
    ("We support Python 3.9 and up.", "We support Python 3.12 and up."),
    ("We are on Node 18.", "We are on Node 22."),
    ("The project targets Java 11.", "The project targets Java 17."),
    ("Django is pinned to 4.2.1.", "Django is pinned to 5.0.3."),
    # conventions
    ("Never use default exports.", "Export components as default."),
    ("never use default exports", "export it as default"),
    ("Tests go in tests/.", "Put the tests next to the code."),
    ("Use tabs for indentation.", "Use spaces for indentation."),
    ("Use snake_case for column names.", "Use camelCase for column names."),
    ("Table names are plural.", "Table names are singular."),
    ("Always add type hints to public functions.", "Don't add type hints to public functions."),
    ("Never commit generated files.", "Always commit generated files."),
    ("Use absolute imports.", "Use relative imports."),
    ("Comments must be in English.", "Comments must be in German."),
    ("Don't use semicolons in TypeScript.", "Always use semicolons in TypeScript."),
    ("Every endpoint must check permissions.", "Endpoints must not check permissions."),
    ("Prefer composition for widgets.", "Prefer inheritance for widgets."),
    # so, or not so
    ("The admin page is public.", "The admin page is private."),
    ("Caching is enabled by default.", "Caching is disabled by default."),
    ("The phone field is required.", "The phone field is optional."),
    ("The worker is stateless.", "The worker is stateful."),
    ("Migrations run automatically on deploy.", "Migrations run manually on deploy."),
    ("We support Internet Explorer.", "We don't support Internet Explorer."),
    ("The mailer must never log addresses.", "The mailer must log addresses."),
    ("Deleting a user is a soft delete.", "Deleting a user is a hard delete."),
    ("The repository is public.", "The repository is private."),
    ("Telemetry is off.", "Telemetry is on."),
    ("Invoices are immutable.", "Invoices are mutable."),
    # decisions, names, owners
    ("We decided to host on Heroku.", "We decided to host on Vercel."),
    ("We agreed to write the CLI in Rust.", "We agreed to write the CLI in Golang."),
    ("The billing service is owned by Priya.", "The billing service is owned by Tom."),
    ("The package is called harbor.", "The package is called dock."),
    ("The project is licensed under MIT.", "The project is licensed under GPL."),
    ("We release on Tuesdays.", "We release on Fridays."),
    ("All timestamps are stored in UTC.", "All timestamps are stored in CET."),
    ("I've never worked with Kafka.", "I worked with Kafka for three years at my last job."),
    ("Last year I migrated our stack to Kubernetes.", "I have never used Kubernetes."),
    ("never touch the vendor folder", "you can change the vendor folder"),
    ("Error messages are in plain English.", "Error messages must be in French."),
]

ALIKE = [
    # another file, module, identifier or number in a name
    (
        "make sure the cache in src/cache_3.py has a limit of 3 entries",
        "make sure the cache in src/cache_4.py has a limit of 4 entries",
    ),
    ("The timeout in client.py is 30 seconds.", "The timeout in server.py is 10 seconds."),
    ("config/dev.yaml sets the pool to 5 connections.", "config/prod.yaml sets the pool to 20 connections."),
    ("Module 3 has 12 lessons.", "Module 4 has 9 lessons."),
    ("Task 7 takes 3 days.", "Task 8 takes 5 days."),
    ("Ticket ABC-12 is due on March 3.", "Ticket ABC-19 is due on April 9."),
    ("Step 2 must be done in Python.", "Step 5 must be done in Rust."),
    ("`parse_header` returns at most 10 rows.", "`parse_footer` returns at most 20 rows."),
    ("The getUser endpoint is public.", "The deleteUser endpoint is private."),
    ("UserService must use Postgres.", "AuditService must use MongoDB."),
    ("/v1/users allows 100 requests per minute.", "/v1/orders allows 20 requests per minute."),
    ("Write the tests in packages/core with jest.", "Write the tests in packages/web with vitest."),
    ("Table orders has 12 columns.", "Table customers has 7 columns."),
    ("MAX_RETRIES is 3.", "MAX_WORKERS is 8."),
    ("The retry limit for worker-a is 3.", "The retry limit for worker-b is 5."),
    ("customer A pays 100 USD", "customer B pays 250 USD"),
    ("Issue #41 needs 2 reviewers.", "Issue #57 needs 3 reviewers."),
    ("Lesson 1 covers 10 words.", "Lesson 2 covers 15 words."),
    # another host, environment, platform, branch, version
    ("On staging the limit is 50 per minute.", "In production the limit is 500 per minute."),
    ("Staging runs Postgres 14.", "Production runs Postgres 16."),
    ("On Windows we use PowerShell.", "On Linux we use bash."),
    ("db1.example.com listens on port 5432.", "db2.example.com listens on port 5433."),
    ("The host alpha has 16 GB of memory.", "The host beta has 64 GB of memory."),
    ("On the develop branch the checks are optional.", "On the release branch the checks are required."),
    ("Version 1.4 supports Python 3.8.", "Version 2.0 supports Python 3.10."),
    ("The free plan allows 3 projects.", "The team plan allows 20 projects."),
    ("The iOS app uses a dark theme.", "The Android app uses a light theme."),
    ("Locally the server is on port 3000.", "In the container the server is on port 80."),
    ("In v1 ids are integers.", "In v2 ids are UUIDs."),
    # another person or thing
    ("Anna is on call on Monday.", "Ben is on call on Thursday."),
    ("Maria prefers tabs.", "Jonas prefers spaces."),
    ("The billing service is written in Go.", "The search service is written in Rust."),
    ("The users table uses UUIDs.", "The events table uses integer ids."),
    ("The connect timeout is 5 seconds.", "The read timeout is 60 seconds."),
    ("The title is limited to 80 characters.", "The summary is limited to 300 characters."),
    ("Images are at most 2 MB.", "Videos are at most 200 MB."),
    # tasks one after another, items of a list
    ("Add a test for the login page.", "Remove the test for the signup page."),
    ("rename it to a", "rename it to b"),
    ("Rename the function to load_user.", "Rename the function to fetch_user."),
    ("Add 3 examples to the README.", "Add 5 examples to the README."),
    ("Set the font size to 14 px.", "Make the font size 16 px please"),
    ("Write a haiku about rain.", "Write a limerick about snow."),
    ("- [ ] add the port 8080 to the compose file\n- [ ] write docs", "- [x] add the port 9090 to the firewall"),
    ("run the tests with -v", "don't run the tests with -v this time"),
    ("Show me the first 10 rows.", "Show me the first 50 rows."),
    ("Make the button blue.", "Make the button green."),
    ("create a branch called fix-login", "create a branch called fix-signup"),
    ("Bump the package to 1.2.3.", "Bump the package to 1.2.4."),
    ("Commit this as 'fix parser'.", "Don't commit this."),
    ("do task 1 in python", "do task 2 in rust"),
    ("Review PR 12, it has 3 commits.", "Review PR 14, it has 9 commits."),
    # progress, states and measures
    ("3 of 7 tests pass.", "7 of 7 tests pass."),
    ("The build fails.", "The build passes now."),
    ("The build is broken on main.", "The build is green on main."),
    ("There are 12 failing tests.", "There are 4 failing tests."),
    ("The page does not load.", "The page loads."),
    ("The import takes 40 seconds.", "The import takes 12 seconds."),
    ("The login button doesn't work.", "The login button works."),
    ("We have 120 open issues.", "We have 95 open issues."),
    ("I haven't merged the branch yet.", "I merged the branch."),
    ("The server isn't responding.", "The server is responding."),
    ("Two files are left to convert.", "One file is left to convert."),
    ("it still shows 3 errors", "now it shows 1 error"),
    ("The deploy is not finished.", "The deploy is finished."),
    ("Memory usage is at 80%.", "Memory usage is at 45%."),
    # questions, suppositions, quotations, what others say
    ("The API listens on port 8080.", "Does the API listen on port 9090?"),
    ("We use Postgres.", "Should we use MySQL?"),
    ("We use Postgres.", "What would it take to use MySQL?"),
    ("The limit is 50 requests.", "If the limit were 100 requests, would that help?"),
    ("Uploads are limited to 10 MB.", "Maybe uploads could be limited to 20 MB."),
    ("The API listens on port 8080.", 'The log says "API listens on port 9090".'),
    ("We use tabs.", "The linter complains: 'use spaces'."),
    ("The backend is in Go.", "For example, the backend could be in Rust."),
    ("The timeout is 30 seconds.", "The docs say the timeout is 60 seconds by default."),
    ("We deploy to AWS.", "Our competitor deploys to Azure."),
    ("Never force push.", "Why did you never force push?"),
    ("We use Jest.", "I wonder whether we should use Vitest."),
    ("The port is 8080.", "Imagine the port is 9090."),
    # the same, more of it, or a part of it
    ("We use Postgres.", "We use PostgreSQL 15."),
    ("The timeout is 60 seconds.", "The timeout is one minute."),
    ("We support Python 3.10 and 3.11.", "We support Python 3.11."),
    ("Use tabs, never spaces.", "Don't use spaces, use tabs."),
    ("We use Redis for sessions.", "We use Postgres for orders."),
    ("The admin API is written in Python.", "The admin API is documented in English."),
    ("Keep functions short.", "Keep the changelog long and detailed."),
    # a change told as one
    ("We use Postgres.", "We migrated from Postgres to MySQL."),
    ("The limit is 50.", "Raise the limit to 100."),
    ("The port is 8080.", "The port is 9090 now."),
    ("Use npm.", "Actually, use pnpm instead."),
    ("Tokens expire after an hour.", "From now on tokens expire after 15 minutes."),
]


def alarms(earlier: str, later: str) -> list[tuple[str, float]]:
    found = contradictions(Statement(id="m2", text=later), [Statement(id="m1", text=earlier)])
    return [(one.about, one.score) for one in found if one.kind is ClashKind.CONTRADICTION and one.score >= THRESHOLD]


@pytest.mark.parametrize(("earlier", "later"), EXCLUDING)
def test_what_excludes_what_was_said_is_told(earlier: str, later: str) -> None:
    assert len(alarms(earlier, later)) == 1


@pytest.mark.parametrize(("earlier", "later"), ALIKE)
def test_what_only_looks_alike_is_not_told(earlier: str, later: str) -> None:
    assert alarms(earlier, later) == []
