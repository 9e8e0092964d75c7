"""The words by which tests, builds and linters are known on a command line: programs, tasks and options."""

from __future__ import annotations

import re

from clew.text.vocabulary import words as words_of

PREFIXES = words_of("command exec builtin then do else if elif while until ! {")
#: Programs that start another one after options of their own, and those of the options that have a value.
OPTION_PREFIXES = words_of("sudo time nice ionice nohup env stdbuf xvfb-run caffeinate cross-env dotenv")
PREFIX_VALUES = words_of("-n -u -g -e -o -c")
#: What runs another program on the names that are piped to it.
FEEDS, FEED_VALUES = "xargs", words_of("-n -P -I -L -d -E -s -a --max-args --max-procs --delimiter")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
#: Starters of other programs, by their first words; options may stand behind them.
STARTERS = (
    *(("npx",), ("bunx",), ("pnpx",), ("npm", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec")),
    *(("yarn", "dlx"), ("bun", "x"), ("uv", "run"), ("uvx",), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run")),
    *(("rye", "run"), ("hatch", "run"), ("bundle", "exec"), ("coverage", "run"), ("mise", "exec"), ("mise", "x")),
    *(("corepack",), ("rtk",), ("doppler", "run"), ("direnv", "exec", "."), ("nix", "develop", "-c"), ("conda", "run")),
)
STARTER_VALUES = words_of("-p --package -n --name --python --with --extra --group --env-file --project -c --call")
CONTAINERS = re.compile(r"(?:docker(?:-compose)?|podman|kubectl|oc)")
CONTAINER_VALUES = words_of(
    "-e -w -u -v --env --workdir --user --name -p --entrypoint -n --namespace -c --container --volume --env-file"
)
SSH_VALUES = words_of("-p -i -l -o -F -J -L -R -D -E -S -W -b -c -m")
#: Options by which a shell stops at the first failure, and what then joins commands as ``&&`` does.
STOPS, NEXT = re.compile(r"-\w*e|pipefail"), frozenset({";", "\n", "|", "|&"})
PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
SCRIPT_RUNTIMES = frozenset({"node", "bun", "deno", "tsx", "ts-node", "php", "ruby"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_VALUES = words_of("-r --require --import --loader")
#: Tools that package managers start by their names.
PACKAGE_TOOLS = words_of("playwright cypress vite next ng react-scripts nx turbo lerna")
#: Programs that run the tasks of a project.
TASK_RUNNERS = words_of("npm pnpm yarn bun make gmake just mise task rake composer nx turbo poe invoke inv deno lerna")
TESTS = words_of(
    "pytest py.test unittest doctest jest vitest mocha ava karma jasmine rspec minitest phpunit pest ctest gotestsum"
    " tox nox nose2 bats busted tap c8"
)
#: Scripts of a project that run its tests, by their path.
TEST_SCRIPT = re.compile(r"(?:\.|\w[\w.-]*)?(?:/[\w.-]+)*/(?:run[_-]?)?tests?(?:\.(?:sh|py|js|rb|pl))?")
BUILDS = words_of(
    "golangci-lint staticcheck gofmt goimports tsc vue-tsc svelte-check eslint oxlint stylelint prettier"
    " flake8 black isort mypy pyright basedpyright pylint rubocop shellcheck hadolint cmake ninja javac"
    " gcc g++ cc clang"
    " clang++ rustc swiftc webpack rollup esbuild tsup py_compile compileall pre-commit yamllint markdownlint ktlint"
    " detekt rustfmt"
)
#: Programs with a subcommand that tells what they do: of tests, of builds.
SUBCOMMANDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "go": (words_of("test"), words_of("build vet")),
    "cargo": (words_of("test nextest t"), words_of("build check clippy b c fmt doc")),
    "dotnet": (words_of("test"), words_of("build publish")),
    "swift": (words_of("test"), words_of("build")),
    "mix": (words_of("test"), words_of("compile credo dialyzer")),
    "deno": (words_of("test"), words_of("check lint")),
    "bun": (words_of("test"), words_of("build")),
    "playwright": (words_of("test"), frozenset()),
    "cypress": (words_of("run"), frozenset()),
    "flutter": (words_of("test"), words_of("build analyze")),
    "dart": (words_of("test"), words_of("analyze compile")),
    "zig": (words_of("test"), words_of("build")),
    "bazel": (words_of("test"), words_of("build")),
    "rails": (words_of("test"), frozenset()),
    "sbt": (words_of("test"), words_of("compile")),
    "vite": (frozenset(), words_of("build")),
    "next": (frozenset(), words_of("build lint")),
    "ng": (words_of("test"), words_of("build lint")),
    "docker": (frozenset(), words_of("build")),
    "terraform": (words_of("test"), words_of("validate")),
    "xcodebuild": (words_of("test"), words_of("build")),
    "mvn": (words_of("test verify integration-test"), words_of("compile package install")),
    "gradle": (words_of("test check connectedCheck"), words_of("build assemble compileJava compileKotlin lint")),
    "ruff": (frozenset(), words_of("check format")),
    "biome": (frozenset(), words_of("check lint ci format")),
    "react-scripts": (words_of("test"), words_of("build")),
}
SAME_PROGRAM = {"py.test": "pytest", "gradlew": "gradle", "mvnw": "mvn", "gmake": "make", "cc": "gcc", "inv": "invoke"}
SAME_PROGRAM |= {"@playwright/test": "playwright", "manage.py": "django", "mocha.js": "mocha", "jest.js": "jest"}
TEST_TASK = re.compile(r"(?:^|[:_.-])(?:tests?|specs?|e2e|unit|t|integration)(?:$|[:_.\d-])|test$")
BUILD_TASK = re.compile(
    r"(?:^|[:_.-])(?:lint|build|check|checks|types?|typecheck|tsc|compile|verify|validate|ci|vet|all"
    r"|typing)(?:$|[:_.-])"
)
WATCH = re.compile(r"(?:^|[:_-])(?:watch|dev|serve|start)(?:$|[:_-])")
#: Options whose value names tests, those whose value leaves something out, and those whose value is of no interest.
FILTERS = words_of(
    "-run -k -t --filter --grep -g --test-name-pattern --testNamePattern -R --tests -Dtest --tests-regex -e --example"
    " --only --spec-name"
)
NARROWING = words_of(
    "-m --project --shard -pl -p --package --features --ignore --deselect --exclude -skip --testPathPattern -E"
    " --testPathIgnorePatterns --tag -l --suite --testsuite --group --skip --workspace -w --select --ignore-glob"
)
#: Options by which a check asks for more than without them, and those of them that have a value.
STRICTER = words_of("--strict -Werror -Dwarnings --enable-all --max-warnings -D -E --enable --select --extend-select")
STRICTER_VALUES = words_of("--max-warnings -D -E --enable --select --extend-select")
#: A filter that leaves out what passed, and no more.
DROPS_PASSES = re.compile(r"(?i)^-\w*v\w* (?!.*(?:fail|error|panic)).*(?:\bok\b|\bpass|no test files)")
#: Options by which a linter sets the rules of the project aside: it is then asked something, and checks nothing.
OTHER_RULES = re.compile(
    r"(?:^| )(?:--(?:no-config(?:-lookup)?|isolated|no-eslintrc|disable-all|enable-only|default[= ]none)"
    r"|(?:--config|-c)[= ](?:/dev/null|(?:/private)?/tmp/\S+|\$\S+))(?:$| )"
)
#: Long names of options that have short ones.
SHORT_OPTION = {"--workspace": "-w", "--project": "-p", "--package": "-p"}
VALUED = words_of(
    "-timeout --timeout -count -tags -n --numprocesses -o -C -ldflags --config -c --cwd -coverprofile"
    " --target -j --jobs"
    " --maxfail --tb -parallel --reporter --reporters --prefix --manifest-path --profile --retries"
    " --workers -W --rootdir"
    " --cov --cov-report --color --durations --ext --format -f --output --outDir --line-length --dir -r"
    " --require --seed --globals --env --browser --log-level --output-on-failure --test-dir -B --build -G --filter-out"
)
PLACES = words_of("-C --prefix --cwd --dir --filter -F --workspace -w --test-dir --manifest-path --project-directory")
ONLY_FAILED = words_of("--lf --last-failed --onlyFailures --only-failures --last-failed-no-failures --rerun-failed -f")
#: Options with which tests are only compiled, or listed.
NOT_RUN = re.compile(r"--no-run|--list-?[Tt]ests|-list|-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?")
#: Values of options that narrow nothing, and tasks before a check that check nothing.
WHOLE_VALUES = frozenset({".", "./", "tsconfig.json", "./tsconfig.json"})
CLEANS = frozenset({"clean", "cleanTest"})
EVERYTHING = frozenset({".", "...", "./...", "", "--", "*", "/dev/null"})
WORD_FILTER_TOOLS = frozenset({"cargo test", "cargo nextest", "ctest"})
#: Programs that print nothing when all is well.
SILENT = words_of("tsc vue-tsc eslint flake8 py_compile compileall gcc g++ clang clang++ javac shellcheck rustc swiftc")
SILENT |= {"go build", "go vet", "gofmt", "staticcheck", "yamllint"}
FORMATS = words_of("gofmt prettier black rustfmt isort goimports")
FORMAT_TASK = re.compile(r"(?:^|[:_-])(?:fmt|format|prettier)(?:$|[:_-])")
SHOWS = words_of(
    "cd echo printf cat head tail grep egrep fgrep rg ls find wc sort uniq cut tr sed awk jq tee"
    " export sleep true"
    " false exit set source . test [ [[ diff read pushd popd mkdir touch cp mv rm ln chmod kill pkill"
    " wait date pwd which"
    " type unset alias local if fi for while done return trap ps du df stat file tree nl column less more env uname"
    " whoami basename dirname seq : git gh glab curl wget ssh scp rsync nl xxd od strings hexdump lsof clear"
)
HELP = frozenset({"--help", "--version", "-h", "-V", "help", "--list", "--collect-only", "--co", "--dry-run", "-N"})
#: Options after which a program stands on the command line: it asks something, and checks nothing.
INLINE = frozenset({"-e", "-c", "-p", "-r", "-pe", "--eval", "--print", "-"})
TASK_NAME = re.compile(r"[\w:.@/+-]+")
#: A line with which a task runner says what a task runs, and how far into an output it stands.
ECHO_CHARS = 4_000
ECHOED = re.compile(r"^(?:\[[\w:./@-]{1,40}\] )?[>$] (\S.{1,300})$", re.MULTILINE)
