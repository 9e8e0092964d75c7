"""Whatever a settings file says and whoever edits it in between: what comes out is what would be there without us."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.hooks.client_setup.changes import WrittenFile, addition, removal
from clew.hooks.client_setup.client_entries import Options, entries_of
from clew.hooks.client_setup.files import digest
from clew.hooks.client_setup.jsonc import parse
from tests.effort import examples

NAMES = st.sampled_from(["a", "model", "env", "hooks", "mcpServers", "PreCompact", "statusLine", "x y", "ü"])
SCALARS = st.integers(0, 99) | st.booleans() | st.none() | st.text('ab{}[],:"\\/ü\n', max_size=6)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))
HOOKS = st.dictionaries(st.sampled_from(["PreCompact", "Stop"]), st.lists(st.just({"hooks": []}), max_size=2))
ROOTS = st.fixed_dictionaries(
    {},
    optional={"a": VALUES, "b": VALUES, "hooks": HOOKS, "mcpServers": st.dictionaries(NAMES, st.just({})), "z": VALUES},
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A file as somebody may have written it: any layout, some with comments and trailing commas."""
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    text = json.dumps(draw(ROOTS), indent=indent, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()) and indent:
        text = text.replace("{\n", "{ // note\n")
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\n", "// head\n", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"]))


def edited(text: str, how: str) -> str:
    """An edit that leaves our lines alone, or one that rewrites the whole file."""
    if how == "comments":
        return (text if text.startswith("\ufeff") else "/* new */ " + text) + "\n// the end"
    value: dict[str, Any] = parse(text).value
    if how == "more":
        value = {"first": 1} | value | {"last": {"hooks": []}}
        value.setdefault("mcpServers", {})
    return json.dumps(value, indent=3) if how != "as it was" else text


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=documents(), how=st.sampled_from(["as it was", "comments", "reformatted", "more"]), which=st.integers(0, 1))
def test_taking_out_undoes_putting_in(tmp_path: Path, text: str, how: str, which: int) -> None:
    file = entries_of("claude-code", Options("clew", prompts=True))[which]
    path = tmp_path / "settings.json"
    file = replace(file, path=path)
    change = addition(file, text.encode())
    assert change.after is not None
    backup = tmp_path / "backup"
    backup.write_bytes(text.encode())
    known = WrittenFile(
        path=str(path),
        existed=True,
        written=digest(change.after),
        backup=str(backup),
        pieces=change.pieces,
        created=change.created,
    )
    path.write_bytes(edited(change.after.decode(), how).encode())
    left = removal(file, known).after
    assert left is not None
    if how in ("as it was", "comments"):
        assert left.decode() == edited(text, how)
    else:
        found, wanted = parse(left.decode()).value, parse(edited(text, how)).value
        assert found == wanted or found | {"mcpServers": {}} == wanted


LINES = (
    "model = 'x' # mine",
    "notify = [\n  'a', # [no table]\n]",
    "# a comment",
    "",
    'text = """\n[no table]\n"""',
)
BLOCKS = (
    "[projects.'/a']\ntrust_level = 'trusted'",
    "# about it\n[tui]\ntheme = 'x'",
    "[mcp_servers.docs]\ncommand = 'npx'",
)


@st.composite
def toml_documents(draw: st.DrawFn) -> str:
    """Settings of Codex as somebody may have written them."""
    lines = draw(st.lists(st.sampled_from(LINES), unique=True))
    blocks = draw(st.lists(st.sampled_from(BLOCKS), unique=True))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return "\n".join([*lines, *blocks]).replace("\n", newline) + draw(st.sampled_from(["", newline]))


EDITS: dict[str, Callable[[str], str]] = {
    "as it was": lambda text: text,
    "a comment above": lambda text: "# new\n" + text,
    "a setting above": lambda text: "sandbox_mode = 'read-only'\n" + text,
    "another theme": lambda text: text.replace("theme = 'x'", "theme = 'y'  # now"),
    "a table below": lambda text: text + "\n[history]\npersistence = 'none'\n",
}


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=toml_documents(), how=st.sampled_from(list(EDITS)))
def test_taking_out_undoes_putting_in_with_toml(tmp_path: Path, text: str, how: str) -> None:
    file = entries_of("codex", Options("clew"))[0]
    path = tmp_path / "config.toml"
    file = replace(file, path=path)
    change = addition(file, text.encode())
    assert change.after is not None
    (tmp_path / "backup").write_bytes(text.encode())
    known = WrittenFile(
        path=str(path),
        existed=True,
        written=digest(change.after),
        backup=str(tmp_path / "backup"),
        pieces=change.pieces,
    )
    path.write_bytes(EDITS[how](change.after.decode()).encode())
    left = removal(file, known).after
    assert left is not None
    assert left.decode() == EDITS[how](text)
