"""What users install: every file of the package, for the Pythons that are promised, on any system."""

from __future__ import annotations

import ast
import os
import tomllib
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hatchling.build import build_wheel

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "clew"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
#: Modules and names that only POSIX has. Code that has to have one asks for it by ``getattr`` or ``os.name``.
POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
POSIX_NAMES = {
    *("fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "killpg", "setsid", "uname", "statvfs", "mkfifo"),
    *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "fchmod", "fchown", "chown"),
    *("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGPIPE", "alarm", "setitimer"),
}
#: A file that ``os.open`` opened writes other line ends on Windows, unless the flags of ``open`` are passed on to it.
BINARY = {"codecs/sources.py", "audit/result_cache.py"}


def test_the_wheel_has_every_file_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with zipfile.ZipFile(tmp_path / build_wheel(str(tmp_path))) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("clew/")}
    files = {path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    assert packed == {name for name in files if "__pycache__" not in name}


def test_the_promised_pythons_are_the_same_everywhere() -> None:
    classified = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if ":: Python :: 3." in line]
    assert classified == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert f"Python {', '.join(PYTHONS[:-1])} or {PYTHONS[-1]}" in (ROOT / "README.md").read_text("utf-8")


@cache
def _nodes() -> dict[str, list[ast.AST]]:
    """All of each module's syntax, by the module's place in the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): list(ast.walk(ast.parse(path.read_bytes())))
        for path in PACKAGE.rglob("*.py")
    }


def _posix_only(nodes: list[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names} & POSIX_MODULES
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} & POSIX_MODULES
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"os", "signal"}:
            found |= {node.attr} & POSIX_NAMES
    return found


def test_nothing_needs_what_only_one_system_has() -> None:
    found = {name: _posix_only(nodes) for name, nodes in _nodes().items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_files_are_read_and_written_as_bytes_or_as_utf_8() -> None:
    found = []
    for name, nodes in _nodes().items():
        for node in nodes:
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            is_text = called in {"read_text", "write_text"} and "utf-8" not in ast.unparse(node).lower()
            if is_text or (called == "fdopen" and name not in BINARY):
                found.append(f"{name}: {ast.unparse(node)}")
    assert found == []


@pytest.mark.skipif(os.name == "nt", reason="the script is for a POSIX shell")
def test_the_checks_of_a_change_build_and_try_the_packages() -> None:
    assert "make check test dist" in (ROOT / ".ci" / "run").read_text("utf-8")
