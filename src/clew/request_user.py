"""The user of an HTTP request, whom the guard of the server names for all that answer behind it."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

#: The key in the state of a request.
_USER = "clew_user"


def name_request_user(scope: MutableMapping[str, Any], user: str) -> None:
    """Notes in an ASGI scope who its request is of."""
    scope.setdefault("state", {})[_USER] = user


def request_user(scope: MutableMapping[str, Any]) -> str:
    """Returns the user of a request; empty where nobody guards the server."""
    return str(scope.get("state", {}).get(_USER, ""))
