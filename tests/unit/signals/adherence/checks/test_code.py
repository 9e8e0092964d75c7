"""Rules on names and style are judged by new code alone."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from tests.unit.signals.adherence.checks.calls import edit, judged, write

CAMEL = "def readLog():\n    pass\n\n\ndef foldAll():\n    pass\n"


SNAKE = "def read_log():\n    pass\n\n\ndef fold_all():\n    pass\n"


SINGLE = "a = 'x'\nb = 'y'\nc = 'z'\nd = 'w'\n"


DOUBLE = SINGLE.replace("'", '"')


@pytest.mark.parametrize(
    ("rule", "path", "kept", "broken"),
    [
        ("Use single quotes", "a.py", SINGLE, DOUBLE),
        ("Use double quotes for strings", "a.py", DOUBLE, SINGLE),
        (
            "No semicolons in JavaScript",
            "a.js",
            "let a = 1\nlet b = 2\nlet c = 3",
            "let a = 1;\nlet b = 2;\nlet c = 3;",
        ),
        ("Use tabs for indentation", "a.py", "if x:\n\ta\n\tb\n\tc", "if x:\n    a\n    b\n    c"),
        ("Don't add comments to the code", "a.py", "x = 1  # noqa", "# the first\nx = 1"),
        ("Keep lines under 80 characters", "a.py", "x = 1", f"x = '{'y' * 90}'"),
        ("Never use lodash", "a.ts", "import { map } from './own'", "import { map } from 'lodash'"),
        ("Don't use axios, use fetch", "a.ts", "await fetch(url)", "import axios from 'axios'"),
        ("Single quotes, no semicolons", "a.js", "let a = 'b'\nlet c = d\nf(a)", "let a = 'b';\nlet c = d;\nf(a);"),
        ("Always use TypeScript, never any", "a.ts", "let a: string = b", "let a: any = b"),
        ("Never use any in TypeScript", "a.ts", "let a: string = b", "let a: any = b"),
        ("Don't leave console.log statements", "a.ts", "log(a)", "console.log(a)"),
        ("No default exports", "a.ts", "export const a = 1", "export default a"),
        ("prefer const over var", "a.js", "const a = 1", "var a = 1"),
        ("Use `fold_all` instead of `fold`", "a.py", "fold_all(a)", "import fold"),
    ],
)
def test_new_code_is_judged(rule: str, path: str, kept: str, broken: str):
    states = judged(rule, write(path, kept)).state, judged(rule, write(path, broken)).state
    assert states == (RuleState.KEPT, RuleState.BROKEN)


def test_what_stood_there_before_is_nobodys_breach():
    old = 'import lodash from "lodash"\n'
    assert judged("Never use lodash", edit("a.ts", old, f"{old}x()\n")).state is RuleState.KEPT


def test_code_shown_in_an_answer_counts_where_no_tool_wrote_any():
    assert judged("Never use lodash", reply="```ts\nimport _ from 'lodash'\n```").state is RuleState.BROKEN


def test_go_is_indented_in_its_own_way():
    found = judged("Use spaces for indentation", write("a.go", "func a() {\n\tb()\n\tc()\n\td()\n}"))
    assert found.state is RuleState.NOT_APPLICABLE


def test_idioms_in_tests_are_nobodys_concern():
    assert judged("Don't use console.log", write("src/a.test.ts", "console.log(a)")).state is not RuleState.BROKEN


def test_prose_and_data_are_no_code():
    assert judged("Don't use console.log", write("a.md", "console.log(a)")).state is RuleState.NOT_APPLICABLE
