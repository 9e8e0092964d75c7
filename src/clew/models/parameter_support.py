"""How a model wants to be asked, learned from its refusals.

Some models take no temperature, name the limit of an answer differently, know no system prompt, or want users and
assistants in turns. Lists of their names would be out of date with each release; the refusal names what it minds, costs
nothing, and comes once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from clew.domain import Json

_LIMIT, _NEW_LIMIT = "max_tokens", "max_completion_tokens"
_OPTIONS = "stream_options"
_LOOKED_AT_CHARS = 4_000


class ParameterSupport:
    """Which request parameters one model has refused so far.

    Each is learned once, so that asking again comes to an end.
    """

    def __init__(self) -> None:
        self.no_temperature = False
        self.renamed_limit = False
        self.no_system = False
        self.no_stream_options = False
        self.in_turns = False

    def learn(self, refusal: str) -> bool:
        """Was the request refused for something that will now be put differently?"""
        refusal = refusal[:_LOOKED_AT_CHARS].lower()
        if _NEW_LIMIT in refusal and not self.renamed_limit:
            self.renamed_limit = True
        elif "temperature" in refusal and not self.no_temperature:
            self.no_temperature = True
        elif "system role not supported" in refusal and not self.no_system:
            self.no_system = True
        elif _OPTIONS in refusal and not self.no_stream_options:
            self.no_stream_options = True
        elif "must alternate" in refusal and not self.in_turns:
            self.in_turns = True
        else:
            return False
        return True

    def apply(self, body: Json) -> Json:
        """The body as this model takes it."""
        renamed = {_NEW_LIMIT if self.renamed_limit and name == _LIMIT else name: value for name, value in body.items()}
        refused = {"temperature"} if self.no_temperature else set()
        refused |= {_OPTIONS} if self.no_stream_options else set()
        kept = {name: value for name, value in renamed.items() if name not in refused}
        return kept | {"messages": _in_turns(kept["messages"])} if self.in_turns and "messages" in kept else kept


def _in_turns(messages: Sequence[Json]) -> list[Json]:
    """The messages with those of a person that follow one another, such as questions nobody answered, as one."""
    found: list[Json] = []
    for role, run in groupby(messages, key=lambda message: message["role"]):
        said = list(run)
        found += [{"role": role, "content": _join_contents(said)}] if role == "user" and len(said) > 1 else said
    return found


def _join_contents(messages: Sequence[Json]) -> str | list[Json]:
    contents = [message["content"] for message in messages]
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(contents)
    return [
        part
        for content in contents
        for part in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
    ]
