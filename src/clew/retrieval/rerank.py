"""The order of results as a model sees it. Its answer counts only if it is an order: every candidate, each once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import orjson

from clew.cancellation import Cancel
from clew.errors import ModelBadAnswer
from clew.ports import Model, ModelRequest

#: Most results that a model is given.
MOST_CANDIDATES = 20
#: Characters of the query that it is given, and tokens of its answer for each candidate and beside them.
_QUERY_CHARS = 2_000
_ID_TOKENS, _SPARE_TOKENS = 8, 400


def ask_for_order(
    query: str, texts: Sequence[str], *, model: Model, seconds: float, cancel: Cancel | None = None
) -> list[int]:
    """Returns the places of the texts in the model's order. Raises a ModelError where it gives none."""
    candidates = [{"id": f"r{index}", "text": text} for index, text in enumerate(texts, 1)]
    asked = orjson.dumps({"query": query[:_QUERY_CHARS], "candidates": candidates}).decode()
    tokens = _ID_TOKENS * len(texts) + _SPARE_TOKENS
    reply = model.ask(ModelRequest(_instructions(), asked, tokens), seconds=seconds, cancel=cancel)
    return read_order(reply.text, len(texts))


def read_order(answer: str, count: int) -> list[int]:
    """Reads an order of so many candidates. Raises ModelBadAnswer for anything that is not exactly that."""
    text = answer.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        ids = orjson.loads(text)
    except ValueError:
        raise ModelBadAnswer("the model's order is no JSON array of ids") from None
    known = {f"r{index}": index - 1 for index in range(1, count + 1)}
    if not isinstance(ids, list) or not all(isinstance(id, str) and id in known for id in ids):
        raise ModelBadAnswer("the model's order names what was not given to it")
    if len(set(ids)) != count or len(ids) != count:
        raise ModelBadAnswer("the model's order leaves candidates out, or names them twice")
    return [known[id] for id in ids]


@cache
def _instructions() -> str:
    return files("clew.retrieval").joinpath("prompts", "rerank.md").read_text("utf-8")
