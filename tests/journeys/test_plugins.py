"""Packages that extend Clew: the example of docs/extending.md, installed beside it, and a broken one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.journeys.program import Done, Program

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "tests" / "example_plugin"
LOGBOOK = "LOGBOOK\nCAPTAIN: Never leave at low tide.\nMATE: Aye, we wait.\nPARROT: Squawk.\n"


def install(folder: Path, name: str, version: str, entry_points: dict[str, dict[str, str]]) -> None:
    """Writes what an installer writes of a package beside its code."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    lines = [line for group, named in entry_points.items() for line in (f"[{group}]", *map(" = ".join, named.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with the example installed in it."""
    folder = tmp_path / "packages"
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    install(folder, project["name"], project["version"], project["entry-points"])
    (folder / "clew_harbour.py").write_bytes((EXAMPLE / "clew_harbour.py").read_bytes())
    return folder


@pytest.fixture
def logbook(tmp_path: Path) -> Path:
    path = tmp_path / "monday.log"
    path.write_text(LOGBOOK, "utf-8")
    return path


def runs(program: Program, packages: Path, *arguments: str | Path, **env: str) -> Done:
    return program(*arguments, PYTHONPATH=path_of(packages), **env)


def path_of(packages: Path) -> str:
    return os.pathsep.join(map(str, (ROOT / "src", packages)))


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    (project,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert project == (EXAMPLE / "pyproject.toml").read_text("utf-8")
    assert code == (EXAMPLE / "clew_harbour.py").read_text("utf-8")


def test_a_package_brings_in_a_format_and_a_store(clew_program: Program, packages: Path, logbook: Path) -> None:
    store = ("--store", "harbour://north")
    done = runs(clew_program, packages, "import", logbook, *store, "--json")
    (told,) = done.json["imported"]
    assert (told["format"], told["new_messages"], [one["line"] for one in told["skipped"]]) == ("logbook", 2, [4])
    assert (clew_program.folder / "harbour" / "north.db").exists()
    assert "Never leave at low tide." in runs(clew_program, packages, "pins", "latest", *store).out
    assert "Aye, we wait." in runs(clew_program, packages, "show", logbook, "m2", "--format", "logbook").out
    doctor = runs(clew_program, packages, "doctor", *store).out
    assert "logbook (clew-harbour 1.0), harbour (clew-harbour 1.0), tide_table (clew-harbour 1.0)" in doctor


def test_without_the_package_the_format_is_unknown_and_the_store_cannot_be_opened(
    clew_program: Program, logbook: Path
) -> None:
    done = clew_program("show", logbook, "--format", "logbook")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no format 'logbook'" in done.err
    done = clew_program("sessions", "--store", "harbour://north")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_package_brings_in_a_reducer_for_its_tool(packages: Path) -> None:
    code = (
        "from clew.config import CurationConfig\n"
        "from clew.curation.curator import curate\n"
        "from clew.domain import Call\n"
        "words = ['high', *['low'] * 5]\n"
        "table = '\\n'.join(f'{hour:03} {words[hour % 6]} water at the quay' for hour in range(400))\n"
        "for name in ('tide_table', 'moon_table'):\n"
        "    done = curate(table, Call(id='c', name=name, arguments={}), CurationConfig())\n"
        "    print(done is not None and 'high' in done.text and 'low' not in done.text)\n"
    )
    env = os.environ | {"PYTHONPATH": path_of(packages)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert (ran.stdout.split(), ran.stderr) == (["True", "False"], "")


def test_a_broken_package_is_named_in_one_line_and_the_rest_works(
    clew_program: Program, packages: Path, logbook: Path
) -> None:
    points = {"broken": "clew_broken:Nothing"}
    install(packages, "clew-broken", "0.1", {"clew.codecs": points, "clew.stores": points, "clew.reducers": points})
    done = runs(clew_program, packages, "import", logbook, "--json")
    assert done.json["imported"][0]["new_messages"] == 2
    assert done.err.splitlines() == [
        "clew: the format 'broken' of package clew-broken 0.1 does not work (ModuleNotFoundError: No module named "
        "'clew_broken'); update or uninstall the package"
    ]
    done = runs(clew_program, packages, "show", logbook, "--format", "broken")
    assert done.code == 2
    assert "package clew-broken 0.1 does not work" in done.err.splitlines()[-1]
    done = runs(clew_program, packages, "doctor")
    assert "clew-broken 0.1" in done.out
    assert done.code == 1


def test_no_package_takes_the_place_of_what_is_built_in(clew_program: Program, packages: Path, logbook: Path) -> None:
    install(packages, "clew-impostor", "6", {"clew.codecs": {"codex": "nowhere:X", "logbook": "nowhere:Y"}})
    done = runs(clew_program, packages, "import", logbook)
    assert done.code == 0
    about = "of package clew-impostor 6 is not used: one of that name is"
    assert done.err.splitlines()[:2] == [
        f"clew: the format 'codex' {about} built in",
        f"clew: the format 'logbook' {about} of package clew-harbour 1.0",
    ]


def test_two_parts_of_one_name_in_a_package_are_told_of(clew_program: Program, packages: Path, logbook: Path) -> None:
    install(packages, "clew-twice", "1", {"clew.codecs": {"tally": "nowhere:X"}})
    entries = packages / "clew_twice-1.dist-info" / "entry_points.txt"
    entries.write_text("[clew.codecs]\ntally = nowhere:X\ntally = nowhere:Y\n", "utf-8")
    done = runs(clew_program, packages, "import", logbook)
    about = "of package clew-twice 1 is not used: one of that name is of package clew-twice 1"
    assert f"clew: the format 'tally' {about}" in done.err


def test_a_store_that_nothing_opens_is_refused_with_the_schemes_that_are_installed(
    clew_program: Program, packages: Path
) -> None:
    done = runs(clew_program, packages, "sessions", "--store", "nothere://x")
    assert done.code == 2
    assert "use a path, sqlite:///path, :memory:, harbour://…" in done.err


@pytest.mark.parametrize("arguments", [["--help"], ["sessions"], ["import", "{}"], ["show", "latest"]])
def test_nothing_is_looked_for_where_built_in_parts_do(clew_program: Program, arguments: list[str]) -> None:
    file = clew_program.folder / "chat.json"
    file.write_text('[{"role": "user", "content": "hello"}]', "utf-8")
    clew_program.keep(file)
    code = (
        "import sys, importlib.metadata as metadata\n"
        "def scan(**group): raise SystemExit(f'looked for {group}')\n"
        "metadata.entry_points = scan\n"
        "from clew.cli.app import program\n"
        "program()(sys.argv[1:], standalone_mode=False)\n"
    )
    given = [str(file) if one == "{}" else one for one in arguments]
    ran = subprocess.run(
        [sys.executable, "-c", code, *given], capture_output=True, text=True, env=clew_program.env, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
