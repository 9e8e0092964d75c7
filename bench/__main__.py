"""Runs the benchmarks, prints their figures beside the goals, and writes them as JSON and as a picture.

Speeds stand beside the value they would have on a quiet machine, as the reference loop tells it. ``digests`` is no
measurement and runs only by its name, as ``soak`` does, which takes ten minutes.
"""

from __future__ import annotations

import json
import platform
import sys
from statistics import mean

from rich.console import Console
from rich.table import Table

from bench import (
    agent_loops,
    basics,
    chunking,
    compaction,
    compaction_epochs,
    constraints,
    contradictions,
    crash,
    critical,
    curation,
    digests,
    gateway,
    gateway_soak,
    health,
    hooks,
    learned,
    local_model,
    mcp_tools,
    money,
    packs,
    page,
    retrieval,
    store_search,
    summaries,
    validity,
    warm_packs,
    wrapped_calls,
)
from bench.claims import bench as claims
from bench.data import CACHE
from bench.reference import QUIET_SECONDS, Reference, measure_loop
from bench.results import Bench, Figure, Report

BENCHES: dict[str, Bench] = {
    "start": basics.start_up,
    "size": basics.install_size,
    "import": basics.import_speed,
    "record": basics.record_speed,
    "open": basics.open_speed,
    "search": store_search.run,
    "validity": validity.run,
    "crash": crash.run,
    "curation": curation.run,
    "prefix": packs.prefix,
    "warm": warm_packs.run,
    "page": page.run,
    "agent_loops": agent_loops.run,
    "wrapped": wrapped_calls.run,
    "continuity": packs.continuity,
    "money": money.run,
    "survival": summaries.survival,
    "compaction": compaction.run,
    "epochs": compaction_epochs.run,
    "health": health.run,
    "learned": learned.run,
    "chunking": chunking.run,
    "critical": critical.run,
    "mcp": mcp_tools.run,
    "hooks": hooks.run,
    "gateway": gateway.run,
    "gateway-memory": gateway_soak.run,
    "retrieval": retrieval.run,
    "claims": claims.run,
    "contradictions": contradictions.run,
    "constraints": constraints.run,
    "local-model": local_model.run,
}


#: Those that take long, and run only by their names.
LONG: dict[str, Bench] = {"soak": gateway_soak.soak}


def main() -> int:
    """Runs the benchmarks named on the command line, or all; ``digests`` takes the file to write."""
    wanted, known = sys.argv[1:] or list(BENCHES), BENCHES | LONG
    if wanted[0] == "digests":
        return digests.main(wanted[1:])
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}, and digests alone")
        return 2
    _write([run_bench(name, known[name]) for name in wanted])
    return 0


def run_bench(name: str, bench: Bench) -> Report:
    """Runs a benchmark between two runs of the reference loop."""
    print(f"… {name}", file=sys.stderr, flush=True)
    before = measure_loop()
    figures = tuple(bench())
    if not any(figure.is_speed for figure in figures):
        return Report(name, figures)
    return Report(name, figures, Reference(mean([before, measure_loop()])))


def _write(reports: list[Report]) -> None:
    CACHE.mkdir(exist_ok=True)
    (CACHE / "results.json").write_text(json.dumps(as_json(reports), indent=2))
    console = Console(record=True, width=120)
    console.print(table(reports))
    console.save_svg(str(CACHE / "results.svg"), title="clew bench")


def as_json(reports: list[Report]) -> dict[str, object]:
    """Everything that was measured, for programs."""
    machine = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    loops = {
        report.bench: {
            "seconds": report.reference.seconds,
            "factor": report.reference.factor,
            "text": str(report.reference),
        }
        for report in reports
        if report.reference
    }
    rows = [row for report in reports for row in report.rows()]
    return {"machine": machine, "reference": {"quiet_seconds": QUIET_SECONDS, "beside": loops}, "figures": rows}


def table(reports: list[Report]) -> Table:
    """Everything that was measured, for people."""
    out = Table("group", "figure", "value", "at factor 1", "unit", "goal", "")
    for report in reports:
        for figure in report.figures:
            out.add_row(*_cells(figure, report.at_factor_1(figure)))
        if report.reference:
            out.add_row(report.bench, str(report.reference), end_section=True)
    return out


def _cells(figure: Figure, at_factor_1: float | None) -> tuple[str, ...]:
    mark = {True: "[green]met", False: "[red]missed", None: ""}[figure.met]
    quiet = "" if at_factor_1 is None else f"{at_factor_1:,.4g}"
    return figure.group, figure.name, f"{figure.value:,.4g}", quiet, figure.unit, figure.goal, mark


if __name__ == "__main__":
    sys.exit(main())
