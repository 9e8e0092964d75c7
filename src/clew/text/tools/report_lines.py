"""The words of test runners, compilers, linters and shells: which lines tell how a run ended.

The one vocabulary of runs. Each table is tried on one line at a time, without colours and without the label of a task
runner. A name before a pattern is the runner that writes such a line.
"""

from __future__ import annotations

from typing import Any

import re2

#: How long a run took, at the end of its line.
_TOOK = r"(?: in [\d.]+ ?m?s.*)?[ =]*"


def any_of(*patterns: str, flags: str = "") -> Any:
    """One pattern that finds any of several."""
    return re2.compile(flags + "|".join(f"(?:{pattern})" for pattern in patterns))


#: How runners sum up a run in which something failed.
SUMS_UP_FAILURE = any_of(
    rf"^=* ?(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)(?:, \d+ \w+)*{_TOOK}$",
    r"^=* ?no tests ran in [\d.]+s.*\b[1-9]\d* errors?|^!+ Interrupted: \d+ errors? during collection",
    r"^FAILED \((?:failures|errors|unexpected successes)=",
    r"^\s*(?:Tests?|Test Suites|Test Files|Snapshots|Suites|Errors)[: ]\s*(?:\d+ \w+ ?["
    r"|,] ?)*[1-9]\d* (?:failed|errors?)",
    r"^\s*[1-9]\d* (?:failing|fail|failed|did not run|interrupted)\b",
    r"^\s*(?:✖|✗|×)\s+[1-9]\d* of \d+ failed",
    r"^FAIL\s+\S+\s+(?:[\d.]+s|\[(?:build|setup) failed\]|\(cached\))|^FAIL$",
    r"^test result: FAILED|^error: (?:test failed|could not compile|build failed|\d+ targets? failed)",
    r"^\s*Summary \[.*\b[1-9]\d* (?:failed|timed out)",
    r"^(?:\[\w+\] )?(?:.*)?Tests run: \d+, (?:Failures: [1-9]|Failures: \d+, Errors: [1-9])"
    r"|^(?:\[\w+\] )?BUILD FAIL(?:URE|ED)",
    r"^\d+ tests? completed, [1-9]\d* failed|^FAILURE: Build failed",
    r"^\s*(?:Failed!\s+- Failed:|Test Run Failed|Build FAILED|Build failed with|Test summary: .*\bfailed: [1-9])",
    r"^\d+ examples?, [1-9]\d* failures?|\b[1-9]\d* errors? occurred outside of examples",
    r"^\d+ (?:runs|tests), \d+ assertions, (?:[1-9]\d* failures|\d+ failures, [1-9]\d* errors)",
    r"^\d+ (?:doctests?, )?(?:\d+ )?tests?, [1-9]\d* failures?|^(?:FAILURES|ERRORS)!$",
    r"^Tests: \d+, Assertions: \d+, .*\b(?:Failures|Errors): [1-9]",
    r"^\d+% tests passed, [1-9]\d* tests? failed",
    r"^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?[1-9]\d* failures?|^✘ Test run with .* failed",
    r"^FAILED \| |^Some tests failed\.|^\*\* (?:TEST|BUILD) FAILED \*\*|\bfails locally\b",
    r"^\s*✖ \d+ problems? \([1-9]\d* errors?|^(?:✖ )?Found [1-9]\d* errors?(?:\.|,| in | \(\d+ fixed, [1-9])",
    r"^[1-9]\d* errors?, \d+ warnings?|^[1-9]\d* files? would be reformatted|^\[warn\] Code style issues",
    r"^\s*[1-9]\d* issues?(?:\.|:|$)|^\d+ files inspected, [1-9]\d* offenses?|compiled with [1-9]\d* errors?",
    r"^make(?:\[\d+\])?: \*\*\* .*Error \d|^ninja: build stopped|^\s*evaluation failed :\(|^nox > Session \S+ failed",
    r"^\s*(?:\S+: )?FAIL code \d|^(?:# |ℹ )fail [1-9]|\bERROR task failed|^ ERROR +run failed|^ (?:NX|>) .*\bfailed\b",
    r"^npm (?:ERR!|error) (?:Test failed|Lifecycle script|code ELIFECYCLE|errno|command failed)|^ ?ELIFECYCLE ",
    r"^error Command failed with exit code|^error: script \"\S+\" exited with code [1-9]|^Failed to compile",
    r"^FAIL Required test coverage|^ERROR: Coverage failure|^Jest: .*coverage threshold .* not met",
    r"(?i)^(?:\W*error\b|.{0,80}\b(?:script|task|recipe)\b).{0,120} exited with (?:non-zero|(?:exit )?code [1-9])",
    r"^exit status [1-9]|^Type checking failed|^Failed:? +\S+#\w+$",
)
#: How runners sum up a run in which all went well, with the runner.
SUMS_UP_SUCCESS = any_of(
    rf"^(?P<pytest>=* ?(?:\d+ \w+, )*[1-9]\d* passed(?:, \d+ [\w ]+)*{_TOOK}$)",
    r"^(?P<unittest>OK(?: \((?:[a-z ]+=\d+(?:, )?)+\))?$)",
    r"^\s*(?P<jest>Tests?:\s+(?:\d+ \w+, )*[1-9]\d* passed\b)",
    r"^\s*(?P<vitest>Tests\s+(?:\d+ \w+ \| )*[1-9]\d* passed\b)",
    r"^\s*(?P<mocha>[1-9]\d* passing\b)",
    r"^\s*(?P<playwright>[1-9]\d* passed \([\d.]+ ?m?[smh]\))",
    r"^\s*(?P<cypress>✔\s+All specs passed!)",
    r"^(?P<go>ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?:[ \t]+coverage: .*)?$|PASS$|DONE [1-9]\d* tests)",
    r"^(?P<cargo>test result: ok\. [1-9])|^\s*(?P<cargo_build>Finished `?\w+)",
    r"^\s*(?P<nextest>Summary \[.*\b[1-9]\d* tests? run: [1-9]\d* passed)",
    r"^(?:\[\w+\] )?(?P<maven>BUILD SUCCESS)",
    r"^\s*(?P<dotnet>Passed!\s+- Failed:\s+0|Test Run Successful\.|Test summary: .*\bfailed: 0, succeeded: [1-9])",
    r"^\s*(?P<dotnet_build>Build succeeded)|^(?P<swift_build>Build complete!)",
    r"^(?P<rspec>[1-9]\d* examples?, 0 failures)|^(?P<minitest>[1-9]\d* (?:runs"
    r"|tests), \d+ assertions, 0 failures, 0 errors)",
    r"^(?P<phpunit>OK \([1-9]\d* tests?|OK, but )|^(?P<mix>(?:\d+ doctests?, )?[1-9]\d* tests?, 0 failures)",
    r"^(?P<ctest>100% tests passed)",
    r"^\s*(?P<swift>Executed [1-9]\d* tests?, with (?:\d+ tests? skipped and )?0 failures)",
    r"^(?P<swift_testing>✔ Test run with [1-9]\d* tests? .*passed)",
    r"^(?P<deno>ok \| [1-9]\d* passed)|^\s*(?P<bun>[1-9]\d* pass$)|^(?:# |ℹ )(?P<node>pass [1-9])",
    r"^(?P<flutter>(?:\d\d:\d\d \+\d+: )?All tests passed!)|^(?P<zig>All [1-9]\d* tests passed\.)",
    r"^(?P<bazel>Executed \d+ out of \d+ tests?: [1-9]\d* tests? pass)|^\*\* (?P<xcodebuild>TEST|BUILD) SUCCEEDED \*\*",
    r"^(?P<ruff>All checks passed!|Found [1-9]\d* errors? \([1-9]\d* fixed, 0 remaining\)"
    r"|\d+ files? already formatted)",
    r"^(?P<mypy>Success: no issues found)|^(?P<pyright>0 errors, \d+ warnings)|^(?P<golangci>0 issues\.)",
    r"^(?P<eslint>\s*✖ [1-9]\d* problems? \(0 errors)|^(?P<tsc>(?:\[?[\d:]+ ?[AP]?M?\]? -? ?)?Found 0 errors)",
    r"^(?P<prettier>All matched files use Prettier)|^(?P<biome>Checked \d+ files? in .*No fixes (?:applied|needed))",
    r"^(?P<rubocop>\d+ files? inspected, no offenses)|^(?P<black>All done! |\d+ files? would be left unchanged)",
    r"^(?P<vite>✓ built in )|^\s*(?P<next>✓ Compiled successfully)|^(?P<webpack>.*\bcompiled successfully\b)",
    r"^\s*(?P<tox>congratulations :\)|\S+: OK \([\d.]+)|^nox > (?P<nox>Session \S+ was successful)",
    r"^\s*(?P<turbo>Tasks:\s+[1-9]\d* successful, )|^ NX +(?P<nx>Successfully ran target)",
    r"^(?P<some>(?i:all (?:\d+ )?(?:tests|checks) (?:have )?pass))",
    r"^(?P<gradle>BUILD SUCCESSFUL in )",
)
#: Runners of tests among them: that something was built, or is well written, says nothing of tests.
TEST_RUNNERS = frozenset(
    {"pytest", "unittest", "jest", "vitest", "mocha", "playwright", "cypress", "go", "cargo", "nextest", "maven"}
    | {"dotnet", "rspec", "minitest", "phpunit", "mix", "ctest", "swift", "swift_testing", "deno", "bun", "node"}
    | {"flutter", "zig", "bazel", "xcodebuild", "tox", "nox", "turbo", "nx", "some", "gradle"}
)
#: Runners that sum up piece by piece: where lines are missing, a piece that failed may be among them.
PIECEWISE = frozenset({"go", "cargo", "turbo", "tox", "nox", "vite", "next", "webpack"})
#: Lines by which a runner says that it found nothing to run.
FINDS_NOTHING = any_of(
    r"^=* ?no tests ran\b|^=* ?collected 0 items|^NO TESTS RAN|^Ran 0 tests|^(?:=* ?)\d+ deselected in",
    r"^No tests? (?:files? )?(?:found|executed|were found|to run|match)|^Error: No tests found|^no packages to test",
    r"^\s*Tests\s+no tests|^testing: warning: no tests to run|^error: no tests? to run|^error: No test modules found",
    r"^error: 0 test files matching|^0 examples, 0 failures|^No test is available|^\s*0 passing\b",
    r"^(?:\[\w+\] )?(?:Tests run: 0,|Tests are skipped|No tests to run)|^> Task \S*[tT]est\S* NO-SOURCE",
    r"^(?:warning: )?No Python files found|^no matching packages|^Executed 0 tests|"
    r"^Pattern: .* - 0 matches|^0 tests?, 0 failures",
)
#: Runners whose last line says the same whether or not there was something to run, and what says that there was.
SAYS_LITTLE = frozenset({"maven", "gradle", "ruff"})
RAN_SOME = any_of(r"\bTests run: [1-9]", r"^> Task \S*[tT]est\S*$")
#: One test that failed, with its name.
FAILING_TEST = re2.compile(
    r"^\s*(?:FAILED (\S+::.+?|[\w./-]+)|ERROR (\S+\.py(?:::.+?)?)|--- FAIL: (\S+)|rspec (\./\S+)|● (.+? › .+)"
    r"|test (\S+) \.\.\. FAILED|\(fail\) (.+?)(?: [\[(]?[\d.]{1,9} ?m?s[\])]?)?"
    r"|[✕×✗✘] (?:\d+ )?(.+?)(?: [\[(]?[\d.]{1,9} ?m?s[\])]?)?"
    r"|(?:FAIL|ERROR): (\w[\w./-]*(?: \([\w.]+\))?)|FAIL +(\S+\.(?:[jt]sx?|mjs)\S*(?: > .+)?)|not ok \d{1,6} -? ?(.+)"
    r"|FAIL \[ *[\d.]+s\] +(?:\(\d+/\d+\) )?(\S+ \S+)|\d+\) (\S.*? › .+?) ?─*|\[ +FAILED +\] (\w[\w./]*)"
    r"|\d+/\d+ Test +#\d+: (\S+) \.+\*\*\*\w.*|Test Case '(.+?)' failed.*|\d+\) (\w\S*::\S+))"
    r"(?: - .*| # .*| \(.*\)|:.*)?\s*$"
)
#: One test, package or file that passed, with its name.
PASSING_NAME = re2.compile(
    r"^\s*(?:--- PASS: (\S+) \(.*|(?:\[gw\d+\] \[ *\d+%\] )?PASSED (\S+::.+)|(\S+::.+?) PASSED\b.*"
    r"|test (\S+) \.\.\. ok|(\w+) \([\w.]+\) \.\.\. ok|\(pass\) (.+?)(?: [\[(]?[\d.]{1,9} ?m?s[\])]?)?"
    r"|[✓✔√] (.+?)(?: \(\d+ tests?\b.*?\)?| [\[(]?[\d.]{1,9} ?m?s[\])]?){1,2}"
    r"|ok[ \t]+(\S+)[ \t]+(?:[\d.]+s|\(cached\))(?:[ \t]+coverage: .*)?|PASS +(\S+\.[cm]?[jt]sx?)\b.*)\s*$"
)
#: A package or a file in which something failed, with its name.
FAILING_PLACE = re2.compile(
    r"^FAIL[ \t]+(\S+?)(?:[ \t]+(?:[\d.]+s|\[(?:build|setup) failed\]|\(cached\))|(?: >.*| \(.*\))?)\s*$"
)
#: What a failing test found, in the words of its runner.
FINDING = any_of(
    r"^E\s{2,}\S",
    r"^\s+\S+_test\.go:\d+: \S",
    r"^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b: \S",
    r"^\s*(?:Error(?: Trace)?|Expected|Received|expected|actual|got|want|left|right)\s*: +\S",
    r"^thread '.*' panicked|^panic: |^assertion .*failed",
)
#: What a compiler, a linter or a program says of one error.
ERROR = any_of(
    r"^Traceback \(most recent|^thread '.*' panicked|^(?:panic|fatal|error|ERROR|Error)(?:\[\w+\])?: ",
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b(?:: |$)|^E\s{3,}\S|^INTERNALERROR>",
    r": (?:fatal )?error(?:\[\w+\])?: |\berror\[E\d+\]|\berror [A-Z]{2,4}\d+: |^\s+\d+:\d+\s+error\s",
    r"^npm (?:ERR!|error) |^make(?:\[\d+\])?: \*\*\* |^(?:\./)?[\w./@\\-]+\.go:\d+:\d+: ",
)
#: A place in a source file with which the lines of compilers and linters begin.
SOURCE_PLACE = any_of(
    r"^(?:\./)?[\w./@\\-]+\.(?:go|rs|c|cc|cpp|h|hpp|java|kt|tsx?|jsx?|mjs|pyi?|swift|cs|rb|php|zig|exs?|scala|dart"
    r"|lua|sh):\d+(?::\d+)?:? "
)
#: Where Python warns of a line, which fails nothing.
PYTHON_WARNING = any_of(r"^\S+:\d+: \w*Warning: ")
#: A run that something put an end to.
INTERRUPTED = any_of(
    r"^(?:.{0,80}: line \d+: +\d+ |\w+: )?(?i:segmentation fault|killed|terminated|aborted|bus error"
    r"|illegal (?:hardware )?instruction|trace/breakpoint trap)(?:\s*\(core dumped\))?(?:\s{2,}\S.*|:? \d+)?$",
    r"^Fatal Python error: |^!+ KeyboardInterrupt !+|^KeyboardInterrupt$|^\^C\s*$|^signal: (?:killed|terminated)",
    r"(?i)^(?:<?\w*>? ?)?(?:error: )?(?:the )?(?:command|process|execution|tool|operation|request|run|bash|shell)?"
    r" ?(?:was |has )?(?:timed out|time-?out(?:ed)?\b)",
    r"(?i)\b(?:command|process|execution) (?:timed out|exceeded the time-?out|was (?:killed|terminated|interrupted))",
    r"(?i)^\[?request interrupted|^(?:command |tool )?(?:was )?interrupted(?: by (?:the )?user)?\b|^aborted by user",
    r"\bSIG(?:SEGV|KILL|TERM|ABRT|INT)\b|^.*JavaScript heap out of memory|^(?:fatal error: )?runtime: out of memory",
    r"^panic: test timed out after",
)
#: A run that never began: refused, or its program is not there or does not know its options.
NEVER_RAN = any_of(
    r"(?i)^(?:<tool_use_error>|the user doesn't want to|the user (?:rejected|declined|denied|cancel)"
    r"|user (?:declined|rejected|denied))",
    r"(?i)^(?:error: )?(?:tool use |tool call |command |call |operation |request |execution )?(?:was )?"
    r"(?:cancell?ed|rejected|declined|denied|refused)\b(?: by)?",
    r"(?i)^permission (?:to use .* )?(?:has been )?denied|^exec_command failed|^failed to (?:start|spawn|execute)",
    r"(?i)^(?:.{0,80}: )?(?:line \d+: |\d+: )?\S{1,80}: (?:command )?not found$|^command not found: "
    r"|^zsh: command not found",
    r"(?i)^(?:\(eval\)|(?:/\S+/)?(?:ba|z|da|k)?sh):.{0,200}: ?(?:No such file or directory|Permission denied)"
    r"(?:$|: \S)|: can't open file |^'?\S+'? is not recognized as|: No module named ",
    r"^npm (?:ERR!|error) (?:Missing script|enoent)|^error: Script not found|Missing script: |ERR_PNPM_NO_SCRIPT",
    r"^error Command \"\S+\" not found|^ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL|\bCommand \"\S+\" not found",
    r"^ERROR: (?:usage: |file or directory not found)|^error: unrecognized"
    r"|: error: (?:unrecognized arguments|argument )",
    r"^make: \*\*\* No rule to make target|^make: \*\*\* No targets|^error: no such (?:command|subcommand)",
    r"^mise ERROR no task|^error: Justfile does not contain recipe|^npm error could not determine executable|"
    r"^go: cannot find main module|^Error: can't load config",
    r"(?i)^error: unknown (?:flag|shorthand flag|option|command)|^flag provided but not defined",
    r"^The term '\S+' is not recognized|^Cannot find (?:command|module)|^sh: \d+: \S+: not found",
)
#: Lines that say that a run failed and not why.
SAYS_ONLY_FAILED = any_of(
    r"(?:\[[\w:.-]+\] )?(?:FAIL(?:\s+\S+\s+[\d.]+s)?|ERROR task failed|mise ERROR.*|exit status \d+|\d+ issues?:"
    r"|Exit code \d+)"
)
#: One test after the other, each said to have passed.
PASSING_TEST = any_of(
    r"\(pass\) ",
    r"^\s*(?:✓|✔|√|✅) ",
    r"\bPASSED\b(?:\s+\[\s*\d+%\])?\s*$",
    r"^\[gw\d+\].* PASSED ",
    r"^\s*--- PASS: ",
    r"^=== (?:RUN|PAUSE|CONT) ",
    r"^ok[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)",
    r"^\?[ \t]+\S+[ \t]+\[no test files\]",
    r"^test \S+ \.\.\. ok$",
)
#: One of these stands in every text with such a line.
PASSING_SIGNS = (
    *("(pass) ", "✓ ", "✔ ", "√ ", "✅ ", "PASSED", "--- PASS: ", "\n=== ", "\nok ", "\nok\t"),
    *("[no test files]", "... ok"),
)
#: What a program counts: tests, errors, a commit.
COUNTS = any_of(
    r"\b\d+ (?:passed|failed|failing|passing|failures?|errors?|problems?|issues?|warnings?|skipped)\b",
    r"^tests?:?\s+\d",
    r"^test result: ",
    r"^ok \(|^\d+ (?:pass|fail)(?:$| \()",
    r"\b\d+ (?:tests|assertions|examples|runs)\b",
    r"^FAILED \((?:failures|errors)=",
    r"^FAIL\s+\S+\s+[\d.(]",
    r"^(?:all checks passed|success: no issues|100% tests passed|found \d+ errors?)",
    r"^\[[\w/.-]+ [0-9a-f]{7,}\] ",
    flags="(?i)",
)
#: A client left something out of an output.
LEFT_OUT = any_of(
    r"(?i)\b(?:lines?|tokens?|characters?|chars|bytes|output)\b[^\n]{0,30}\b(?:truncated|omitted|elided)\b",
    r"(?i)\btruncated\b[^\n]{0,40}\b(?:lines?|tokens?|characters?|output)\b|^\.{3} ?\[?\d+|^…",
)
#: A runner that goes on and waits for files to change.
WATCHES = any_of(r"(?i)\b(?:watching|waiting) for (?:file )?changes|^\s*press (?:`?h`?|q) to ")
#: Any words of a failure, in the outputs of whatever program.
SPEAKS_OF_FAILURE = any_of(
    r"(?i)\b(?:error|errors|failed|failure|fatal|panic|exception|traceback|not found|no such file|denied|refused"
    r"|undefined|cannot|timed out|rejected|FAIL)\b|\w(?:Error|Exception)\b|✗|✘|❌|\*\*\*"
)
