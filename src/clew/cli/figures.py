"""Figures for people: what each number of tokens counts, and whether such numbers are shown at all."""

from __future__ import annotations

from clew.cli.output import size
from clew.text.plurals import pluralise

#: What the figure "recorded" counts wherever it is shown.
RECORDED = "every message as it was recorded, by o200k_base"
#: Who counted the tokens in use, and whose limit they are held against, by the names in JSON.
USED = {
    "provider": "as the provider counted",
    "pack": "as Clew counted the last pack or compaction",
    "record": "all that is recorded",
}
_WINDOWS = {
    "given": "the window as given",
    "client": "the client's window",
    "model": "the model's window",
    "assumed": "a window that is assumed",
}


def shows_tokens() -> bool:
    """Returns whether the settings want numbers of tokens on the terminal."""
    from clew.config import load

    return load().display.tokens


def limit_words(limit: int, source: str, window: int) -> str:
    """Tells whose limit tokens in use are held against: that of packs, or of a window, and how that is known."""
    if source == "budget":
        return "of the budget of packs"
    window_text = f"{_WINDOWS[source]}, {size(window)}" if shows_tokens() else _WINDOWS[source]
    return f"of {window_text} less room to answer" if limit < window and shows_tokens() else f"of {window_text}"


def share_of(tokens: int, limit: int) -> str:
    """Formats a number of tokens with its share of what may be sent; the share alone where numbers are not shown."""
    share = f"{tokens / limit:.0%}"
    return f"{size(tokens)} tokens ({share} of {size(limit)})" if shows_tokens() else f"{share} of what may be sent"


def messages_and_tokens(messages: int, tokens: int) -> str:
    """Formats how many messages there are and what they take, as in "12 messages, 5098 tokens"."""
    count = pluralise(messages, "message")
    return f"{count}, {size(tokens)} tokens" if shows_tokens() else count


def without_columns(columns: list[str], rows: list[list[str]], hidden: set[str]) -> tuple[list[str], list[list[str]]]:
    """Returns a table without the hidden columns."""
    indexes = [index for index, column in enumerate(columns) if column not in hidden]
    return [columns[index] for index in indexes], [[row[index] for index in indexes] for row in rows]
