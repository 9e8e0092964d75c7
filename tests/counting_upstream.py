"""A provider that counts what it is sent, and has a prompt cache as Anthropic's: what a request shares with the last
ones from its beginning on is read, message by message, and the rest is written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from clew.domain import Usage
from clew.tokens.encodings import count
from tests.provider_replies import Says, reply
from tests.provider_server import Answer

Json = dict[str, Any]


@dataclass
class CountingUpstream:
    """Answers with a few words. ``counts`` are what it has said of each request."""

    counts: list[Usage] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def __call__(self, path: str, body: Json) -> Answer:
        usage = self._count(body)
        self.counts.append(usage)
        said = Says(f"Answer {len(self.counts)}: the harbour has {len(self.counts) * 7} berths.")
        found = reply(path, said, stream=bool(body.get("stream")), number=len(self.counts))
        fresh = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens
        told = {"input_tokens": fresh, "output_tokens": usage.output_tokens}
        told |= {"cache_read_input_tokens": usage.cache_read_tokens}
        told |= {"cache_creation_input_tokens": usage.cache_write_tokens}
        event = found[0]["message"] if isinstance(found, list) else found
        event["usage"] = told
        return found

    def _count(self, body: Json) -> Usage:
        pieces = [json.dumps([body.get("tools"), _unmarked(body.get("system"))])]
        pieces += [json.dumps(_unmarked(one)) for one in body["messages"]]
        sizes, read, begun = [count(one) for one in pieces], 0, ""
        for size, piece in zip(sizes, pieces, strict=True):
            begun += piece
            read += size if begun in self._known else 0
            self._known.add(begun)
        return Usage(sum(sizes), 20, read, sum(sizes) - read)

    @property
    def total(self) -> Usage:
        """The sum of all that it has counted."""
        named = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
        return Usage(*(sum(getattr(one, name) for one in self.counts) for name in named))


def _unmarked(value: Any) -> Any:
    """Without marks of the cache, which say nothing; a text is one block."""
    if isinstance(value, dict):
        plain = {name: _unmarked(item) for name, item in value.items() if name != "cache_control"}
        if isinstance(plain.get("content"), str):
            plain["content"] = [{"type": "text", "text": plain["content"]}]
        return plain
    return [_unmarked(item) for item in value] if isinstance(value, list) else value
