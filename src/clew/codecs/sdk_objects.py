"""Objects of the providers' SDKs as the JSON objects that the APIs send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clew.domain import Json


def as_dict(value: Any) -> Json | None:
    """Returns what an SDK's object says, under the names of the API; a mapping as it is; None for anything else.

    Members that nobody set are left out, as the API leaves them out. Only pydantic models are objects here: all
    official SDKs make them.
    """
    if isinstance(value, dict):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    if dump is None or isinstance(value, type):
        return None
    found = dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    return found if isinstance(found, dict) else None
