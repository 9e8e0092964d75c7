"""Pieces of the page: text made safe, rows, bars, and messages as they are quoted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape

from clew.audit.values import Evidence
from clew.text.secrets import mask
from clew.text.terminal import safe


def text(value: str) -> str:
    """Returns a text for the page: without secrets and control characters, and with no markup of its own."""
    return escape(mask(safe(value)))


def size(tokens: float) -> str:
    """Formats a number of tokens: in thousands from 10,000 on, in millions from a million on."""
    if tokens >= 999_950:
        return f"{tokens / 1_000_000:.1f}M"
    return f"{tokens / 1000:.1f}k" if tokens >= 10_000 else f"{tokens:,.0f}"


def seconds(value: float | None) -> str:
    """Formats a time in seconds or minutes; a question mark where nobody knows."""
    if value is None:
        return "?"
    return f"{value:.0f} s" if value < 120 else f"{value / 60:.0f} min"


def when(value: float | None) -> str:
    """Formats a time in UTC; a dash for none."""
    return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M") if value else "–"


def row(cells: Sequence[str], *, first_numbers: int, is_head: bool = False, wide: Sequence[int] = ()) -> str:
    """Returns one row of a table. Cells are HTML; from ``first_numbers`` on they are numbers, and those at ``wide``
    are left out on small screens.
    """
    out = []
    for index, cell in enumerate(cells):
        names = " ".join(["n"] * (index >= first_numbers) + ["wide"] * (index in wide))
        out.append(f'<span class="{names}">{cell}</span>' if names else f"<span>{cell}</span>")
    return f'<div class="row{" head" if is_head else ""}">{"".join(out)}</div>'


def opening(summary: str, inside: Iterable[str], *, id: str = "", name: str = "") -> str:
    """Returns a part of the page that opens when it is clicked, or when a link leads to its id: that stands inside, as
    browsers open what a link leads into.
    """
    kind, place = f' class="{name}"' if name else "", f' id="{escape(id)}"' if id else ""
    return f'<details{kind}><summary>{summary}</summary><div class="inside"{place}>{"".join(inside)}</div></details>'


def bar(share: float) -> str:
    """Returns a bar that is filled to a share of its width."""
    return f'<span class="bar"><i style="width:{min(max(share, 0.004), 1.0):.1%}"></i></span>'


def quotation(shown: Evidence) -> str:
    """Returns a message as it is quoted, with where it stands."""
    where = f"{shown.source}:{shown.line}" if shown.line else shown.source
    caption = f"<b>{text(shown.role)}</b> · {text(shown.message)}, {text(shown.speaker)} · <code>{text(where)}</code>"
    return f"<figure><figcaption>{caption}</figcaption><pre>{text(shown.text)}</pre></figure>"
