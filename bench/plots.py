"""Small pictures: lines and bars as SVG, written by hand so that nothing has to be installed for them.

``python -m bench.plots`` draws those of the documentation from ``bench/recorded.json``, which says when and where its
figures were measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "bench" / "recorded.json"

_WIDTH, _HEIGHT = 1000, 500
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 230, 50, 50
_COLOURS = ("#8a8a8a", "#d08c2e", "#4f7fc4", "#9a5fb5", "#1f9d6b", "#c0504d")
#: At most so many steps on an axis.
_TICKS = 8
_LEGEND_STEP = 38
_BAR_STEP = 34
#: Parts of bars, those next to each other of different lightness.
_BAR_COLOURS = (
    "#2f6f8f",
    "#e0b13f",
    "#7b3f8c",
    "#a3c45a",
    "#b3261e",
    "#9a9a9a",
    "#5f5fb5",
    "#e58a3c",
    "#3f7f46",
    "#c98bb9",
)


@dataclass(frozen=True, slots=True)
class Series:
    """One line: a value for each step. ``marks`` are steps where something happened, ``note`` says more of it."""

    name: str
    values: Sequence[float]
    marks: tuple[int, ...] = ()
    note: str = ""
    is_main: bool = False


def line_plot(lines: Sequence[Series], *, title: str, x: str, y: str) -> str:
    """The lines with axes and a legend."""
    across = _Axis.over([len(line.values) for line in lines], _LEFT, _WIDTH - _RIGHT)
    up = _Axis.over([value for line in lines for value in line.values], _HEIGHT - _BOTTOM, _TOP)
    body = list(_axes(across, up, title=title, x=x, y=y))
    for at, line in enumerate(lines):
        colour = _COLOURS[at % len(_COLOURS)]
        body += [*_draw_series(line, colour, across, up), *_legend(line, colour, _TOP + 10 + at * _LEGEND_STEP)]
    return _picture(body, _HEIGHT)


def _picture(body: Sequence[str], height: float) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" font-family="sans-serif"'
    return "\n".join([f'{head} font-size="12">', '<rect width="100%" height="100%" fill="#fff"/>', *body, "</svg>\n"])


def bar_plot(rows: Mapping[str, Mapping[str, float]], *, title: str, unit: str) -> str:
    """A bar for each row, made of its parts one behind the other, with their sum; parts of one name have one colour."""
    names = list(dict.fromkeys(name for parts in rows.values() for name in parts))
    left, right = 210, _WIDTH - 120
    across = _Axis.over([sum(parts.values()) for parts in rows.values()], left, right)
    body = [f'<text x="20" y="26" font-size="16" font-weight="bold">{escape(title)}</text>']
    for at, (row, parts) in enumerate(rows.items()):
        up, begin = _TOP + at * _BAR_STEP, 0.0
        body.append(f'<text x="{left - 10}" y="{up + 17}" text-anchor="end">{escape(row)}</text>')
        for name, value in parts.items():
            place = f'x="{across.at(begin)}" width="{across.at(begin + value) - across.at(begin):.1f}" y="{up}"'
            fill = _BAR_COLOURS[names.index(name) % len(_BAR_COLOURS)]
            body.append(f'<rect {place} height="24" fill="{fill}"><title>{escape(name)}: {value:g}</title></rect>')
            begin += value
        body.append(f'<text x="{across.at(begin) + 8}" y="{up + 17}">{_short(round(begin, 3))}{escape(unit)}</text>')
    low = _TOP + len(rows) * _BAR_STEP + 10
    for at, name in enumerate(names if len(names) > 1 else ()):
        place, up = 20 + at % 5 * 190, low + at // 5 * 22
        body.append(
            f'<rect x="{place}" y="{up}" width="12" height="12" fill="{_BAR_COLOURS[at % len(_BAR_COLOURS)]}"/>'
        )
        body.append(f'<text x="{place + 18}" y="{up + 11}">{escape(name)}</text>')
    return _picture(body, low + (ceil(len(names) / 5) * 22 if len(names) > 1 else 0))


@dataclass(frozen=True, slots=True)
class _Axis:
    """Values from 0 in round steps, and where they lie: ``begin`` and ``end`` are the places of its two ends."""

    step: float
    count: int
    begin: int
    end: int

    @classmethod
    def over(cls, values: Sequence[float], begin: int, end: int) -> _Axis:
        most = max([*values, 1])
        sizes = (part * power for power in _powers() for part in (1, 2, 2.5, 5))
        step = next(size for size in sizes if size * _TICKS >= most)
        return cls(step, ceil(most / step), begin, end)

    def at(self, value: float) -> float:
        return round(self.begin + value / (self.step * self.count) * (self.end - self.begin), 1)

    @property
    def ticks(self) -> Iterator[tuple[str, float]]:
        return ((_short(self.step * at), self.at(self.step * at)) for at in range(self.count + 1))


def _powers() -> Iterator[float]:
    power = 1.0
    while True:
        yield power
        power *= 10


def _axes(across: _Axis, up: _Axis, *, title: str, x: str, y: str) -> Iterator[str]:
    right, low = across.end, up.begin
    yield f'<text x="{_LEFT}" y="26" font-size="16" font-weight="bold">{escape(title)}</text>'
    for told, place in up.ticks:
        yield f'<line x1="{_LEFT}" x2="{right}" y1="{place}" y2="{place}" stroke="#e4e4e4"/>'
        yield f'<text x="{_LEFT - 8}" y="{place + 4}" text-anchor="end">{told}</text>'
    for told, place in across.ticks:
        yield f'<text x="{place}" y="{low + 18}" text-anchor="middle">{told}</text>'
    yield f'<path d="M{_LEFT} {_TOP}V{low}H{right}" fill="none" stroke="#333"/>'
    yield f'<text x="{(_LEFT + right) / 2}" y="{low + 40}" text-anchor="middle">{escape(x)}</text>'
    turned = f'transform="rotate(-90 18 {(_TOP + low) / 2})"'
    yield f'<text x="18" y="{(_TOP + low) / 2}" text-anchor="middle" {turned}>{escape(y)}</text>'


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _draw_series(line: Series, colour: str, across: _Axis, up: _Axis) -> Iterator[str]:
    """The line, a ring at each mark, and for the main one a thread from top to bottom."""
    for at in line.marks if line.is_main else ():
        place = f'x1="{across.at(at)}" x2="{across.at(at)}" y1="{up.begin}" y2="{up.end}"'
        yield f'<line {place} stroke="{colour}" stroke-dasharray="2 4" stroke-opacity="0.6"/>'
    points = " ".join(f"{across.at(at)},{up.at(value)}" for at, value in enumerate(line.values))
    width = 2.5 if line.is_main else 1.5
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
    for at in line.marks:
        place = f'cx="{across.at(at)}" cy="{up.at(line.values[at])}"'
        yield f'<circle {place} r="3.5" fill="#fff" stroke="{colour}" stroke-width="2"/>'


def _legend(line: Series, colour: str, up: float) -> Iterator[str]:
    across = _WIDTH - _RIGHT + 16
    yield f'<line x1="{across}" x2="{across + 22}" y1="{up}" y2="{up}" stroke="{colour}" stroke-width="3"/>'
    yield f'<text x="{across + 30}" y="{up + 4}">{escape(line.name)}</text>'
    yield f'<text x="{across + 30}" y="{up + 18}" fill="#666" font-size="11">{escape(line.note)}</text>'


def pictures(recorded: Mapping[str, Any]) -> dict[str, str]:
    """The pictures of the documentation, by file."""
    when = recorded["date"]
    session, money, replays = recorded["session"], recorded["money"], recorded["replays"]["sizes"]
    lines = [
        Series(
            name, values, tuple(session["marks"]) if name == "Clew" else (), f"cost {cost:.2f}", is_main=name == "Clew"
        )
        for (name, values), cost in zip(session["lines"].items(), session["cost"].values(), strict=True)
    ]
    speeds = {
        f"{what}, {int(size):,} messages": {what: times[key]}
        for what, key in (("another budget", "slider"), ("preview", "preview"))
        for size, times in replays.items()
    }
    packs = {f"budget {int(budget):,}": parts for budget, parts in recorded["packs"]["sizes"].items()}
    sessions = f"{money['sessions']} sessions of {money['calls']} calls on average"
    return {
        "session.svg": line_plot(lines, title=f"One coding session, call by call ({when})", x="call", y="tokens sent"),
        "money.svg": bar_plot(
            {name: {"cost": cost} for name, cost in money["mean"].items()},
            title=f"Cost as a share of sending everything: {sessions} ({when})",
            unit="",
        ),
        "speed.svg": bar_plot(speeds, title=f"What a look at the page costs, seconds of CPU ({when})", unit=" s"),
        "packs.svg": bar_plot(packs, title="One session in four budgets: tokens by section", unit=""),
    }


def main() -> None:
    for name, picture in pictures(json.loads(RECORDED.read_text())).items():
        (ROOT / "docs" / "images" / name).write_text(picture)


if __name__ == "__main__":
    main()
