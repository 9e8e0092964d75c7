"""Runs the benchmarks, prints their figures beside the goals, and writes them as JSON and as a picture."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from bench import (
    compaction,
    constraints,
    contradictions,
    crash,
    critical,
    curation,
    ground,
    health,
    local_model,
    money,
    packs,
    summaries,
    validity,
    warm,
)
from bench.data import CACHE
from bench.results import Bench, Figure

BENCHES: dict[str, Bench] = {
    "start": ground.start,
    "size": ground.size,
    "import": ground.importing,
    "record": ground.recording,
    "open": ground.opening,
    "validity": validity.run,
    "crash": crash.run,
    "curation": curation.run,
    "prefix": packs.prefix,
    "warm": warm.run,
    "continuity": packs.continuity,
    "money": money.run,
    "survival": summaries.survival,
    "compaction": compaction.run,
    "epochs": compaction.epochs,
    "health": health.run,
    "critical": critical.run,
    "contradictions": contradictions.run,
    "constraints": constraints.run,
    "local-model": local_model.run,
}


def main() -> int:
    wanted = sys.argv[1:] or list(BENCHES)
    unknown = [name for name in wanted if name not in BENCHES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHES)}")
        return 2
    figures: list[Figure] = []
    for name in wanted:
        print(f"… {name}", file=sys.stderr, flush=True)
        figures += BENCHES[name]()
    _write(figures)
    return 0


def _write(figures: list[Figure]) -> None:
    CACHE.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    rows = [asdict(figure) | {"met": figure.met} for figure in figures]
    (CACHE / "results.json").write_text(json.dumps({"machine": machine, "figures": rows}, indent=2))
    console = Console(record=True, width=110)
    console.print(_table(figures))
    console.save_svg(str(CACHE / "results.svg"), title="clew bench")


def _table(figures: list[Figure]) -> Table:
    table = Table("group", "figure", "value", "unit", "goal", "")
    for figure in figures:
        mark = {True: "[green]met", False: "[red]missed", None: ""}[figure.met]
        table.add_row(figure.group, figure.name, f"{figure.value:,.4g}", figure.unit, figure.goal, mark)
    return table


if __name__ == "__main__":
    sys.exit(main())
