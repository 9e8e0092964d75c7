"""What a query was taken to ask for, as the commands tell it."""

from __future__ import annotations

from time import time
from typing import Any

from clew.retrieval.query import read_query


def query_facts(text: str) -> dict[str, Any]:
    """Returns intent, complexity, concepts, names, and the time that is named: seconds since 1970."""
    query = read_query(text, now=time())
    return {
        "intent": query.intent,
        "complexity": query.complexity,
        "concepts": list(query.concepts),
        "names": list(query.names),
        "time": list(query.span) if query.span else None,
        "event": f"{query.relation} {query.event}" if query.event else "",
    }


def query_line(text: str) -> str:
    """Returns the same as a line."""
    facts = query_facts(text)
    concepts = ", ".join(facts["concepts"])
    parts = [
        f"intent {facts['intent']}",
        f"complexity {facts['complexity']}",
        f"concepts {concepts}" if concepts else "",
    ]
    return f"query: {'; '.join(filter(None, (*parts, facts['event'])))}"
