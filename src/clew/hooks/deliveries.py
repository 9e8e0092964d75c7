"""What hooks keep between one event and the next: which texts a client has got, and until a summary is mended, the
summary and what was said to its writer.

Several processes may answer one event, where a client was set up in two ways: the first to claim it adds the text.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import sha256

from clew.environment import data_folder

#: A text that no event has asked for by then belongs to a compaction that was called off.
_KEPT_SECONDS = 600
#: Claims are kept for so long: no client sends an event again after that.
_CLAIM_SECONDS = 90 * 86_400
_MOST_CLAIMS = 2_000
#: Texts of a compaction that are kept: what its summariser was told, and the summary.
INSTRUCTIONS, SUMMARY = "instructions", "summaries"


def claim(*about: str) -> bool:
    """Returns True for the first who asks with these words, and False for everyone after."""
    folder = _folder("delivered")
    try:
        os.close(os.open(_path("delivered", *about), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    _forget_old(folder)
    return True


def is_claimed(*about: str) -> bool:
    """Returns True once somebody has claimed these words."""
    return os.path.exists(_path("delivered", *about))  # noqa: PTH110


def keep_text(kind: str, session: str, text: str) -> None:
    """Keeps a text of a compaction for the event that follows, in place of an earlier one; old ones are deleted."""
    folder = _folder(kind)
    _forget(folder, before=time.time() - _KEPT_SECONDS)
    handle = os.open(_path(kind, session), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with open(handle, "wb") as file:  # noqa: PTH123
        file.write(text.encode("utf-8", "replace"))


def kept_text(kind: str, session: str) -> str:
    """Returns the text that was kept; empty where there is none, or an old one."""
    try:
        with open(_path(kind, session), encoding="utf-8") as file:  # noqa: PTH123
            is_fresh = time.time() - os.fstat(file.fileno()).st_mtime < _KEPT_SECONDS
            return file.read() if is_fresh else ""
    except FileNotFoundError:
        return ""


def forget_text(kind: str, session: str) -> None:
    """Forgets the text that was kept, once it has served."""
    with suppress(FileNotFoundError):
        os.unlink(_path(kind, session))  # noqa: PTH108


def _path(kind: str, *about: str) -> str:
    return os.path.join(_folder(kind), _name(*about))  # noqa: PTH118


def _folder(name: str) -> str:
    folder = os.path.join(data_folder(), "hooks", name)  # noqa: PTH118
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
    return folder


def _name(*about: str) -> str:
    return sha256("\0".join(about).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _forget_old(folder: str) -> None:
    """Removes claims that nobody will ask for again, once there are many."""
    with os.scandir(folder) as entries:
        are_many = sum(1 for _ in entries) > _MOST_CLAIMS
    if are_many:
        _forget(folder, before=time.time() - _CLAIM_SECONDS)


def _forget(folder: str, *, before: float) -> None:
    with os.scandir(folder) as entries:
        old = [entry.path for entry in entries if entry.stat().st_mtime < before]
    for path in old:
        os.unlink(path)  # noqa: PTH108
