from __future__ import annotations

import tomllib
from typing import Any

import pytest

from clew.hooks.client_setup.toml_text import value_at, with_tables, without_tables

TABLES: dict[str, dict[str, Any]] = {"mcp_servers.clew": {"command": "clew", "args": ["mcp"]}}
SETTINGS = {"compact_prompt": 'Say what was "asked",\nand why.\n'}
PLAIN = """# my settings
model = "gpt-5" # the good one
notify = [
  "a", # [not a table]
]
text = '''
[not a table either]
'''

# projects
[projects."/home/me"]
trust_level = "trusted"
"""


def test_settings_come_before_the_first_table_and_tables_at_the_end() -> None:
    text, pieces = with_tables(PLAIN, settings=SETTINGS, tables=TABLES)
    wanted = {"compact_prompt": SETTINGS["compact_prompt"], "mcp_servers": {"clew": TABLES["mcp_servers.clew"]}}
    assert tomllib.loads(text) == tomllib.loads(PLAIN) | wanted
    assert text.index("compact_prompt") < text.index("# projects")
    assert text.endswith('\n[mcp_servers.clew]\ncommand = "clew"\nargs = ["mcp"]\n')
    for piece in pieces:
        text = text.replace(piece, "")
    assert text == PLAIN


@pytest.mark.parametrize("text", ["", "\n", 'model = "x"', "[a]\nb = 1", "# only this\n", 'model = "x"\r\n[a]\r\n'])
def test_any_text_gets_them_and_loses_them_again(text: str) -> None:
    after, pieces = with_tables(text, settings=SETTINGS, tables=TABLES)
    assert value_at(tomllib.loads(after), "mcp_servers.clew") == TABLES["mcp_servers.clew"]
    for piece in pieces:
        after = after.replace(piece, "")
    assert after == text


def test_they_are_found_where_they_were_moved_to() -> None:
    text = f"""[mcp_servers.clew]  # moved up
args = ["mcp"]

command = "clew"
# mine again

{PLAIN.replace("# my settings", "")[PLAIN.index("[projects") - 13 :]}"""
    left = without_tables(text, settings=SETTINGS, tables=TABLES)
    assert tomllib.loads(left) == {"projects": {"/home/me": {"trust_level": "trusted"}}}
    assert left.startswith("# mine again\n")


def test_what_the_user_has_changed_is_his() -> None:
    text = 'compact_prompt = "mine"\n[mcp_servers.clew]\ncommand = "other"\n'
    assert without_tables(text, settings=SETTINGS, tables=TABLES) == text


@pytest.mark.parametrize("text", ['mcp_servers = { x = { command = "x" } }\n', "a = \n", "[a]\n[a]\n"])
def test_a_text_that_is_broken_or_would_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        with_tables(text, settings={}, tables=TABLES)
