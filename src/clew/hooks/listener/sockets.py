"""Where listeners listen: sockets in a folder that only their user may enter, named after whom they answer."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from clew.environment import data_folder
from clew.hooks.quick_settings import settings_files, settings_in, store_place

#: Who listens: a server of tools that runs anyway, and a process that hooks have started.
SERVER, OWN = "mcp", "own"
#: The longest path that a socket may have on every system, and what of it is the socket's name.
_MOST_PATH, _NAME_BYTES = 100, 32
#: Variables by which clients' folders are found.
_FOLDERS = frozenset({"HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"})


def place_of(store: str) -> str:
    """Returns a name for a store with the settings in force here; a listener of that name answers as this process
    would. Empty where nobody else can answer: the store is in memory, or the system has no such sockets.
    """
    import socket
    from hashlib import sha256

    from clew import __version__

    store_path = store_place(store)
    if store_path == ":memory:" or not hasattr(socket, "AF_UNIX"):
        return ""
    own = [f"{name}={value}" for name, value in sorted(os.environ.items()) if _counts(name)]
    files = [settings_in(path) for path in settings_files()]
    parts = [part.encode("utf-8", "surrogateescape") for part in (__version__, store_path, *own)]
    return sha256(b"\0".join([*parts, *files])).hexdigest()[:16]


def _counts(variable: str) -> bool:
    return variable in _FOLDERS or (variable.startswith("CLEW_") and variable != "CLEW_STORE")


def listeners(place: str = "", kind: str = "") -> list[str]:
    """Returns the sockets of those who listen, or did until they were killed, servers first: for one place or for all,
    of one kind or of all.
    """
    folder = sockets_folder()
    try:
        names = sorted(os.listdir(folder)) if is_own(folder) else []  # noqa: PTH208
    except OSError:
        return []
    sockets = [name for name in names if name.endswith(".sock") and f"-{kind}" in name]
    return [os.path.join(folder, name) for name in sockets if name.startswith(place)]  # noqa: PTH118


def running_listeners(place: str = "", kind: str = "") -> list[str]:
    """Returns the sockets of processes that are there, as ``listeners`` does."""
    return [path for path in listeners(place, kind) if _is_there(process_of(path))]


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def socket_path(place: str, kind: str) -> str:
    """Returns where this process listens for a place."""
    return os.path.join(sockets_folder(), f"{place}-{kind}-{os.getpid()}.sock")  # noqa: PTH118


def process_of(path: str) -> int:
    """Returns the number of the process that has a socket, which may have gone."""
    return int(path.removesuffix(".sock").rpartition("-")[2])


def sockets_folder() -> str:
    """Returns the folder of all sockets: the user's own, or where its path is too long for one, a short one."""
    folder = os.path.join(data_folder(), "hooks", "run")  # noqa: PTH118
    if len(os.fsencode(folder)) + _NAME_BYTES <= _MOST_PATH:
        return folder
    from hashlib import sha256

    return f"/tmp/clew-{_user()}-{sha256(os.fsencode(folder)).hexdigest()[:12]}"


def ensure_folder() -> bool:
    """Makes the folder of sockets where it is missing; False where nothing can be written there."""
    folder = sockets_folder()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        if not is_own(folder):
            return False
        os.chmod(folder, 0o700)  # noqa: PTH101
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def leave_folder() -> None:
    """Removes the folder of sockets where nobody has anything in it."""
    with suppress(OSError):
        os.rmdir(sockets_folder())  # noqa: PTH106


def is_own(folder: str) -> bool:
    """Returns True for a folder of this user. Raises OSError where there is none."""
    status = os.lstat(folder)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _user()


def _user() -> int:
    """The number of this user; systems without any have no sockets of this kind either."""
    return int(getattr(os, "getuid", int)())


def dismiss_listeners() -> int:
    """Makes every listener leave that hooks have started, and returns how many there were: one whose socket is gone
    ends by itself.
    """
    paths = listeners(kind=OWN)
    for path in paths:
        os.unlink(path)  # noqa: PTH108
    return len(paths)
