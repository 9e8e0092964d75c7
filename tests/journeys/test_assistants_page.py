"""Every command of docs/assistants.md does what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from clew.hooks.client_setup.client_entries import CLIENTS
from tests.codec_examples import EXAMPLES
from tests.codec_examples.file_reader import jsonl
from tests.journeys.program import Program
from tests.lines import CONVERSATION

PAGE = (Path(__file__).parents[2] / "docs" / "assistants.md").read_text("utf-8")


TYPED = [shlex.split(line, comments=True) for line in re.findall(r"^\$ clew (.+)$", PAGE, re.MULTILINE)]
HANDBACKS = [words for words in TYPED if words[0] == "handback"]


def test_the_commands_of_the_page_run(clew_program: Program, tmp_path: Path) -> None:
    typed = [words for words in TYPED if words not in HANDBACKS]
    assert {words[1] for words in typed if words[0] == "wrap"} == set(CLIENTS)
    for words in typed:
        done = clew_program(*words, *(["--yes"] if words[0] in ("wrap", "unwrap") else []))
        said = [line for line in done.err.splitlines() if not line.endswith("is on PATH: is it installed?")]
        if "--gateway" in words:
            assert "no server answers" in said.pop()
        assert (done.code, said) == (0, []), words
    for client in CLIENTS:
        assert clew_program("unwrap", client, "--yes").code == 0
    left = [path for path in (tmp_path / "home").rglob("*") if path.is_file() and "clew" in path.read_text()]
    assert left == []


def test_sessions_are_handed_back_as_the_page_says(clew_program: Program) -> None:
    session, clients = clew_program.folder / "s.jsonl", clew_program.folder / "clients"
    session.write_bytes(jsonl(*CONVERSATION))
    clew_program.keep(session)
    (clew_program.folder / ".aider.chat.history.md").write_bytes(EXAMPLES["aider"].file)
    for words in HANDBACKS:
        done = clew_program(*words, CLAUDE_CONFIG_DIR=str(clients / "claude"), CODEX_HOME=str(clients / "codex"))
        assert (done.code, done.err) == (0, ""), words
    written = [path.name for path in clients.rglob("*.jsonl")]
    assert len(written) == sum("--write" in words for words in HANDBACKS)


def test_every_client_has_its_part_and_its_row(clew_program: Program) -> None:
    parts = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    rows = re.findall(r"^\| \[(.+?)\]\(#", PAGE, re.MULTILINE)
    assert rows == parts[: len(CLIENTS)]
    assert [name.lower().replace(" ", "-").replace("vs-code", "vscode") for name in rows] == list(CLIENTS)
