"""Values of settings: read as what they are to be, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, get_args, get_origin

from clew.errors import UsageError

_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
#: What a table of prices may hold.
PRICES = ("input", "cache_read", "cache_write", "output")
#: Decimal shares do not add up to 1 exactly.
_SHARES_OFF = 1e-6


def ensure_shares(shares: Mapping[str, float], where: str) -> None:
    """Raises UsageError unless each share is from 0 to 1 and they add up to 1."""
    for name, value in shares.items():
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise UsageError(f"each share in {where} is a number from 0 to 1; {name} is a {type(value).__name__}")
    told = ", ".join(f"{name} {value:g}" for name, value in shares.items())
    if not all(0 <= value <= 1 for value in shares.values()):
        raise UsageError(f"each share in {where} must be from 0 to 1: {told}")
    if abs(sum(shares.values()) - 1) > _SHARES_OFF:
        raise UsageError(f"the shares in {where} must add up to 1, not {sum(shares.values()):g}: {told}")


def range_of(default: Any) -> tuple[float, float] | None:
    """Returns the least and the most that a setting with this default may be: shares are from 0 to 1, all other numbers
    0 or more; None for what is no number.
    """
    if isinstance(default, bool) or not isinstance(default, int | float):
        return None
    return (0.0, 1.0) if isinstance(default, float) and default < 1 else (0.0, inf)


def convert_value(value: Any, kind: Any, what: str) -> Any:
    """The value as the kind that a setting is of; ``what`` names it. Raises UsageError for what cannot be read so."""
    if get_origin(kind) is dict:
        value = _tables_in_text(value, what) if isinstance(value, str) else value
        return _tables_of_text(value, what) if kind == dict[str, dict[str, str]] else _prices(value, what)
    if choices := get_args(kind):
        if value not in choices:
            raise UsageError(f"setting {what} must be {' or '.join(choices)}, not {value!r}")
        return value
    try:
        if kind is bool:
            return value if isinstance(value, bool) else _BOOLEANS[str(value).lower()]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError
        if kind is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
        return kind(value)
    except (ValueError, KeyError):
        raise UsageError(f"setting {what} must be of type {kind.__name__}, not {value!r}") from None


def _prices(value: Any, what: str) -> dict[str, dict[str, float]]:
    if not isinstance(value, Mapping) or not all(isinstance(table, Mapping) for table in value.values()):
        raise UsageError(f"setting {what} must be tables by name of model")
    for name, table in value.items():
        for key, price in table.items():
            is_price = isinstance(price, int | float) and not isinstance(price, bool) and 0 <= price < float("inf")
            if key not in PRICES or not is_price:
                raise UsageError(f"setting {what}: {name!r} may have {', '.join(PRICES)}, each a price of 0 or more")
    return {name: dict(table) for name, table in value.items()}


def _tables_of_text(value: Any, what: str) -> dict[str, dict[str, str]]:
    is_table = isinstance(value, Mapping) and all(isinstance(table, Mapping) for table in value.values())
    if not is_table or not all(isinstance(text, str) for table in value.values() for text in table.values()):
        raise UsageError(f"setting {what} must be tables by name, with texts in them")
    return {name: dict(table) for name, table in value.items()}


def _tables_in_text(text: str, what: str) -> dict[str, Any]:
    """Tables as an environment variable has them: as in a file, most often one line that is an inline table."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"setting {what} must be tables in TOML, such as NAME = {{…}}: {error}") from None
