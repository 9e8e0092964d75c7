"""The log of the hooks: what could not be done, a line each, in the user's data folder."""

from __future__ import annotations

import os
import time

from clew.environment import data_folder

#: From this size on the log begins anew; the one before it is kept beside it.
_MOST_BYTES = 1 << 20
_MOST_CHARS = 1_000


def log_path() -> str:
    """Returns where the log is."""
    return os.path.join(data_folder(), "hooks.log")  # noqa: PTH118


def log(who: str, what: str) -> None:
    """Adds a line to the log. It never raises: where nothing can be written, nothing is."""
    line = " ".join(f"{who}: {what}".split())[:_MOST_CHARS]
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        path = log_path()
        data_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        try:
            os.write(handle, f"{stamp} {line}\n".encode("utf-8", "backslashreplace"))
            is_long = os.fstat(handle).st_size > _MOST_BYTES
        finally:
            os.close(handle)
        if is_long:
            os.replace(path, f"{path}.old")  # noqa: PTH105
    except OSError:
        pass
