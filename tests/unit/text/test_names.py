"""Names and paths are found where they stand, and nothing else is."""

from __future__ import annotations

import pytest

from clew.text.names import file_name, is_noise, is_path, name_counts, names_in, paths_in


def test_paths_are_found_in_prose_code_output_and_tracebacks() -> None:
    text = """I changed `src/app/login.py` and README.md.
      File "/home/me/app/tests/test_login.py", line 12, in test_login
    pkg/store/index.go:31:5: undefined: openIndex
    import { Button } from "./ui/Button.tsx"
    -rw-r--r-- 1 me me 120 Makefile
    """
    assert paths_in(text) == [
        "src/app/login.py",
        "README.md",
        "/home/me/app/tests/test_login.py",
        "pkg/store/index.go",
        "./ui/Button.tsx",
        "Makefile",
    ]


def test_a_path_is_given_once_in_order_of_first_occurrence() -> None:
    assert paths_in("b/x.py a/y.py b/x.py") == ["b/x.py", "a/y.py"]


def test_sides_of_a_diff_are_no_folders() -> None:
    diff = "diff --git a/src/x.py b/src/x.py\n--- a/src/x.py\n+++ b/src/x.py\n"
    assert paths_in(diff) == ["src/x.py"]
    assert paths_in("see a/src/x.py") == ["a/src/x.py"]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/docs/index.html",
        "www.example.com/page.html",
        "github.com/acme/tools/cmd.go",
        "version 1.2.3 and v2.0.1",
        "e.g. this, i.e. that",
        "we use Node.js and Next.js",
        "data = response.json()",
        "process.env and console.log",
        "self.db holds it",
        "and/or either/or",
        "The end.Then it began",
        "cmd/tool.NewRootCommand",
        "/dev/null",
    ],
)
def test_what_only_looks_like_a_path_is_none(text: str) -> None:
    assert paths_in(text) == []


def test_paths_of_frameworks_and_of_windows_are_whole() -> None:
    assert paths_in("app/[id]/page.tsx routes/(shop)/cart.tsx") == ["app/[id]/page.tsx", "routes/(shop)/cart.tsx"]
    assert paths_in("in C:\\Users\\me\\app\\main.cs") == ["C:\\Users\\me\\app\\main.cs"]


def test_dot_files_and_files_without_extension_are_known_by_name() -> None:
    assert paths_in(".gitignore, docker/Dockerfile, .env.local") == [".gitignore", "docker/Dockerfile", ".env.local"]


def test_a_whole_text_is_a_path_or_not() -> None:
    assert (is_path("src/a.py"), is_path("src"), is_path("a b"), is_path("")) == (True, False, False, False)


def test_identifiers_are_names_by_their_form() -> None:
    text = "loadConfig calls HTTPServer, parse_line and MAX_SIZE; os.path.join too, but not plain words or Capital ones"
    assert names_in(text) == ["loadConfig", "HTTPServer", "parse_line", "MAX_SIZE", "os.path.join"]


def test_a_dotted_name_gives_its_telling_pieces() -> None:
    assert names_in("store.OpenIndex(self.max_rows); self.run(); json.loads(x)") == [
        "OpenIndex",
        "max_rows",
        "json.loads",
    ]


def test_flags_ids_hashes_addresses_and_measures_are_names() -> None:
    text = "run --dry-run for ABC-123 (#42) at 3f2a9c1b, see https://example.com/x?y=1. took 30s, 512 MB, 80% of v1.2.0"
    assert names_in(text) == [
        "--dry-run",
        "ABC-123",
        "#42",
        "3f2a9c1b",
        "https://example.com/x?y=1",
        "30s",
        "512 MB",
        "80%",
        "v1.2.0",
    ]


def test_error_classes_are_names() -> None:
    assert names_in("ValueError: bad; a StoreBusyException") == ["ValueError", "StoreBusyException"]


def test_files_are_left_to_paths() -> None:
    assert names_in("src/my_module.py and some_name") == ["some_name"]


def test_names_are_counted() -> None:
    assert name_counts("openIndex openIndex x.openIndex parse_line") == {"openIndex": 3, "parse_line": 1}


def test_words_of_tool_schemas_are_noise() -> None:
    assert (is_noise("old_string"), is_noise("file_path"), is_noise("openIndex")) == (True, True, False)
    assert names_in('{"old_string": 1}') == []


def test_results_are_capped() -> None:
    text = " ".join(f"name_{n}" for n in range(50))
    assert names_in(text, limit=3) == ["name_0", "name_1", "name_2"]
    assert paths_in("a/x.py b/y.py c/z.py", limit=2) == ["a/x.py", "b/y.py"]


@pytest.mark.parametrize("text", ["1," * 50_000, "a/" * 50_000, "a." * 50_000, "_" * 100_000, "/[a]" * 25_000])
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    assert paths_in(text) == []
    assert len(names_in(text)) <= 1


@pytest.mark.parametrize("path", ["a.py", "src/a.py", "C:\\work\\a.py", "src/a.py/"])
def test_a_file_has_the_last_name_of_its_path(path: str) -> None:
    assert file_name(path) == "a.py"
