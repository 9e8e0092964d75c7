"""The real program on a store that may be read but not written."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.samples import sample
from tests.journeys.program import Done, Program

ReadOnly = Callable[..., Done]

#: Mounts a folder over itself, for reading only, in a namespace that ends with the command.
_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def _can_mount() -> bool:
    if not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the bundled session, to be copied."""
    program = Program(tmp_path_factory.mktemp("kept"))
    program.keep(sample(), store=program.folder / "clew.db")
    return program.folder / "clew.db"


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "disk"
    folder.mkdir()
    shutil.copy(kept, folder)
    return folder


@pytest.fixture
def read_only(clew_program: Program, folder: Path) -> ReadOnly:
    """Runs the program while nobody may write to the folder: on a read-only mount for root, whom modes do not stop."""
    if os.geteuid() == 0 and not _can_mount():
        pytest.skip("needs a disk that root cannot write")

    def run(*arguments: str) -> Done:
        command = [*clew_program.command, *arguments, "--store", str(folder / "clew.db")]
        if os.geteuid() == 0:
            command = ["unshare", "-m", "sh", "-c", _MOUNT, str(folder), *command]
        folder.chmod(0o500)
        done = subprocess.run(command, capture_output=True, env=clew_program.env, check=False)
        folder.chmod(0o700)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def test_what_only_reads_works(read_only: ReadOnly) -> None:
    for arguments in (["sessions"], ["show", "latest"], ["pack", "latest", "--budget", "8000"], ["health", "latest"]):
        done = read_only(*arguments)
        assert (done.code, done.err) == (0, "")
        assert done.out


def test_what_writes_says_that_the_store_is_read_only(read_only: ReadOnly, folder: Path) -> None:
    done = read_only("pin", "latest", "Use JWT")
    assert done.code == 5
    assert f"the store {folder / 'clew.db'} is read-only" in done.err
    assert done.err.count("\n") == 1


def test_a_log_that_cannot_be_read_without_writing_is_not_overlooked(read_only: ReadOnly, folder: Path) -> None:
    log = folder / "clew.db-wal"
    log.write_bytes(b"transactions")
    done = read_only("sessions")
    assert done.code == 5
    assert "clew.db-wal" in done.err
