"""Parts of Clew that need packages which the core does without."""

from __future__ import annotations

from importlib.util import find_spec

from clew.errors import UsageError


def ensure_extra(extra: str, *, module: str) -> None:
    """Raises UsageError with the command that installs what is missing."""
    if find_spec(module) is None:
        raise UsageError(f"this needs the package {module}; install it with: pip install 'clew[{extra}]'")
