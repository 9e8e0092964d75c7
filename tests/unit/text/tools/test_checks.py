"""A check is the same check however it is started; a wider run covers a narrower one, never the other way."""

from __future__ import annotations

import pytest

from clew.text.tools.checks import checks_of, is_test
from clew.text.tools.purposes import command_rank, proves_fixed


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("python -m pytest a.py", "pytest a.py"),
        ("uv run pytest a.py", ".venv/bin/python -m pytest a.py"),
        ("pytest a.py -q 2>&1 | tail -5", "poetry run pytest a.py"),
        ("CI=1 timeout 60 pytest a.py", "pytest a.py -x"),
        ("cd /app && pytest a.py", "pytest a.py"),
        ("bash -lc 'cd /app && pytest a.py'", "pytest a.py"),
        ("docker compose exec -T app pytest a.py", "docker exec -it app pytest a.py"),
        ("npx playwright test login.spec.ts", "pnpm --filter e2e test -- login.spec.ts"),
        ("pnpm --filter e2e test -- login.spec.ts", "npx playwright test login.spec.ts"),
        ("cd e2e && npm test login.spec.ts", "npx playwright test e2e/login.spec.ts"),
        ("npx playwright test login", "npx playwright test tests/login.spec.ts"),
        ("yarn jest src/a.test.ts", "npx jest src/a.test.ts"),
        ("pytest", "pytest tests/a.py"),
        ("pytest tests", "pytest tests/a.py::test_x"),
        ("pytest tests/a.py", "pytest tests/a.py -k trims"),
        ("bundle exec rspec spec/cart_spec.rb", "rspec spec/cart_spec.rb:12"),
        ("go test ./...", "go test ./store -run TestX"),
        ("make test", "pytest tests/a.py"),
        ("npm test", "cd web && npm test"),
        ("./gradlew test", "gradle test"),
        ("git commit -m two", "git commit -m one"),
        ("ruff check . && mypy src", "mypy src"),
        ("python tool.py", "python3 tool.py"),
    ],
)
def test_the_same_or_a_wider_run_shows_that_a_failure_is_over(later: str, earlier: str) -> None:
    assert proves_fixed(later, earlier)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("pytest tests/a.py", "pytest"),
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest tests/a.py::test_x", "pytest tests/a.py"),
        ("pytest -k trims", "pytest"),
        ("pytest -m 'not slow'", "pytest"),
        ("pytest --ignore tests/a.py", "pytest tests"),
        ("go test ./...", "pytest"),
        ("cd api && npm test", "cd web && npm test"),
        ("npm run test:unit", "npm run test:e2e"),
        ("npx playwright test --project=chromium", "npx playwright test"),
        ("npm run lint", "npm test"),
        ("npm run build", "npm run lint"),
        ("cargo test trims", "cargo test"),
        ("npx playwright test home.spec.ts", "pnpm --filter e2e test -- login.spec.ts"),
        ("ruff format .", "ruff check ."),
        ("git push", "git commit -m one"),
        ("python other.py", "python tool.py"),
    ],
)
def test_another_or_a_narrower_run_shows_nothing(later: str, earlier: str) -> None:
    assert not proves_fixed(later, earlier)


@pytest.mark.parametrize(
    ("command", "is_one"),
    [
        ("npx playwright test", True),
        ("time NODE_ENV=test yarn test:unit", True),
        ("cd a && uv run --frozen pytest", True),
        ("node --test", True),
        ("cat tests/test_a.py", False),
        ("git commit -m 'run pytest, then make test'", False),
        ("gh api repos/a/b/issues -f body='make test'", False),
        ("npm run dev", False),
        ("pytest --help", False),
    ],
)
def test_tests_are_known_by_the_program_that_runs_and_not_by_words_around_it(command: str, is_one: bool) -> None:
    assert is_test(command) is is_one


def test_commands_are_ranked_by_what_they_are_for() -> None:
    commands = ["pytest", "git -C /a commit -m x", "npm run build", "python tool.py", "ls -la", "brew install x"]
    assert [command_rank(one) for one in commands] == [0, 1, 2, 2, 3, 3]


def test_of_a_list_each_check_stands_for_itself() -> None:
    found = checks_of("cd web && npm ci && npx tsc --noEmit; npx jest src | tail -3")
    assert [(one.tool, one.place, one.is_visible) for one in found if one.tool != "npm"] == [
        ("tsc", "web", False),
        ("jest", "web", False),
    ]


@pytest.mark.parametrize(
    "started",
    [
        "ssh -p 2222 ada@box 'cd /w && timeout 60 pytest -q 2>&1 | tail -5'",
        "kubectl exec -n web -it pod -- bash -lc 'pytest 2>&1 | tail'",
        "docker compose -f ci.yml exec -T web pytest",
        "sudo -u app env -u HOME nice -n 10 pytest",
        "stdbuf -oL pytest | tee log",
        "if ! pytest; then echo no; fi",
        "bash -c 'pytest 2>&1 | tail'",
    ],
)
def test_a_check_is_itself_however_it_is_started(started: str) -> None:
    assert [check.tool for check in checks_of(started)] == ["pytest"]


def test_a_question_for_a_program_is_no_run_of_it() -> None:
    assert not any(check.tool == "pytest" for check in checks_of("command -v pytest"))


@pytest.mark.parametrize(
    ("earlier", "later", "is_over"),
    [
        ("npm test --workspace=web", "npm test -w web", True),
        ("npx turbo run test", "pnpm turbo test", True),
        ("npx nx test web", "nx run web:test", True),
        ("npx jest@29", "node --no-warnings node_modules/jest/bin/jest.js", True),
        ("npx tsc --noEmit", "node_modules/.bin/tsc --noEmit -p .", True),
        ("cargo test", "cargo +nightly test", True),
        ("gradle test", "./gradlew clean test", True),
        ("mvn test", "mvn clean verify", True),
        ("ssh prod pytest", "ssh prod 'timeout 60 pytest 2>&1 | tail'", True),
        ("ssh prod 'cd /w && pytest'", "ssh staging 'cd /w && pytest'", False),
        ("kubectl exec api -- pytest", "kubectl exec web -- pytest", False),
        ("./gradlew test", "./gradlew :app:test", False),
        ("npx eslint src --max-warnings 0", "npx eslint src", False),
        ("npx eslint src", "npx eslint src --max-warnings=0", True),
        ("cargo clippy -- -D warnings", "cargo clippy", False),
        ("mypy --strict src", "mypy src", False),
        ("ruff check --select ALL .", "ruff check .", False),
        ("go test ./store", "go test -c -o /dev/null ./store", False),
        ("cargo test", "cargo test --no-run", False),
        ("mvn test", "mvn verify -DskipTests", False),
        ("npx jest", "npx jest --listTests", False),
    ],
)
def test_a_pass_clears_the_same_check_and_no_stricter_one(earlier: str, later: str, is_over: bool) -> None:
    assert proves_fixed(later, earlier) is is_over
