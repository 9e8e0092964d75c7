"""Contents as ``generate_content`` of Google's SDK takes them: parts and uploaded files without a speaker, and texts
among them, are what the user says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from clew.codecs.sdk_objects import has_fields
from clew.domain import Json


def with_user_contents(values: Iterable[Any]) -> Iterator[Any]:
    """Yields the values, with one content of the user in place of parts and files in a row and the texts among them.

    Texts alone stay as they are, since they may be anybody's.
    """
    for is_piece, run in groupby(values, key=_is_piece):
        found = list(run)
        if is_piece and any(not isinstance(one, str) for one in found):
            yield {"role": "user", "parts": [_as_part(one) for one in found]}
        else:
            yield from found


def _is_piece(value: Any) -> bool:
    return isinstance(value, str) or _is_part(value) or _is_file(value)


def _is_part(value: Any) -> bool:
    return has_fields(value) and hasattr(value, "inline_data") and hasattr(value, "function_call")


def _is_file(value: Any) -> bool:
    return has_fields(value) and isinstance(getattr(value, "uri", None), str) and hasattr(value, "mime_type")


def _as_part(value: Any) -> Any:
    if isinstance(value, str):
        return {"text": value}
    if _is_part(value):
        return value
    kind: Json = {} if value.mime_type is None else {"mimeType": value.mime_type}
    return {"fileData": {"fileUri": value.uri} | kind}
