"""Options that a brief reply names: "1", "yes, let's go with A", "do 1, 2 and 5"."""

from __future__ import annotations

import re

#: A longer reply says itself what it wants.
_MAX_WORDS = 9
_MAX_OPTIONS = 4
#: What a choice stands after: the start, a word that chooses, or another choice.
_AFTER = r"(?:^\W*|\b(?:options?|do|try|with|pick|choose|take|fix|skip|number|for|and|or|yes|let's do)\s+|[,+&/]\s*)"
_NAMED = re.compile(rf"{_AFTER}#?([1-9]|[A-E])(?![\w%']|\.\d)", re.IGNORECASE)
#: A list of the person's own begins like a choice; a capital letter may begin a sentence.
_OWN_ITEM = re.compile(r"\s*[1-9][.)]\s+\S+\s+\S+\s+\S")
_ARTICLE = re.compile(r"\s*A\s+(?!is\b|seems\b|looks\b|sounds\b|please\b|and\b|for\b|it\b)", re.IGNORECASE)


def chosen_options(reply: str, before: str) -> list[str]:
    """Returns the options that a reply names, as the agent's text before it lists them; none where it lists none."""
    if len(reply.split()) > _MAX_WORDS or _OWN_ITEM.match(reply) or _ARTICLE.match(reply):
        return []
    named = [name for name in _NAMED.findall(reply) if name.isdigit() or name.isupper()]
    options = (_option(name, before) for name in dict.fromkeys(named[:_MAX_OPTIONS]))
    return [option for option in options if option]


def _option(name: str, before: str) -> str:
    """The last line that begins with the name: of several lists, people answer the last."""
    line = rf"^[^\w\n]*(?:option\s+)?{name}(?:[.):]|\s*\|)[\s*_|]*(.{{5,300}})"
    lines = re.findall(line, before, re.MULTILINE | re.IGNORECASE)
    return str(lines[-1]).rstrip(" |").replace("**", "") if lines else ""
