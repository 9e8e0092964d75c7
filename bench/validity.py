"""Everything that was ever recorded, as a request for each provider: none may break a rule."""

from __future__ import annotations

import clew
from bench.data import tau, transcripts
from bench.results import Figure
from clew import rules
from clew.codecs import registry
from clew.engine.importing import Importer
from clew.engine.session import Session


def run() -> list[Figure]:
    sessions = messages = skipped = repaired = 0
    invalid = dict.fromkeys(registry.PROVIDERS, 0)
    for path in [*transcripts(), *tau()]:
        with clew.open(":memory:") as engine:
            reports = Importer(engine, path).run(catch_up=False)
            skipped += sum(len(report.skipped) for report in reports)
            for report in reports:
                session = engine.find(report.session)
                sessions, messages = sessions + 1, messages + report.messages
                repaired += len(session.prompt()[1])
                for provider, count in _invalid(session).items():
                    invalid[provider] += count
    return [
        Figure("validity", "sessions", sessions),
        Figure("validity", "messages", messages),
        Figure("validity", "records skipped", skipped),
        Figure("validity", "repairs", repaired),
        *(Figure("validity", f"invalid for {name}", count, "sessions", "= 0") for name, count in invalid.items()),
    ]


def _invalid(session: Session) -> dict[str, int]:
    return {provider: bool(rules.check(session.request(provider)[0].body, provider)) for provider in registry.PROVIDERS}
