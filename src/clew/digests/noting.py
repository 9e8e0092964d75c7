"""What a model noted of its own turn, fit to stand beside what was seen: one line each, and bound to what was done.

Notes are claims. They may word what happened; whether it happened is for the record to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from clew.digests.quoting import cut_at_word, one_line
from clew.digests.sayings import MAX_SAYING_CHARS
from clew.domain import Fact, Housekeeping, Touched, Use
from clew.text.terminal import safe
from clew.text.vocabulary import words

#: What a summary can show of a gist, and a story of what was understood; a header is taken whole or not at all.
_MAX_GIST_CHARS, _MAX_INTENT_CHARS, _MAX_HEADER_CHARS = 700, 300, 120
#: Claims of a segment, the newest; as many as one turn may make.
_MAX_CLAIMS, _MAX_PATH_CHARS = 20, 400
#: Words that a header may hold and still tell one turn from no other.
_EMPTY = words(
    "a an all and are as done did finished completed complete fixed ok okay yes no is it the this that of to for your"
    " my task tasks request requests user users query response answer reply header summary n/a none work changes"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What is noted in a segment so far; ``claims`` are what the model says of files, by path.

    The request in a few words and what it was taken to mean hold until the next one. The reply in a few words and
    its gist tell how things stood when they were written, and hold until the model says more.
    """

    query: Fact | None = None
    intent: Fact | None = None
    response: Fact | None = None
    gist: Fact | None = None
    claims: dict[str, Fact] = field(default_factory=dict)

    def after_request(self) -> Noted:
        return replace(self, query=None, intent=None)

    def after_reply(self) -> Noted:
        return replace(self, response=None, gist=None)

    def with_notes(self, notes: Housekeeping, source: str) -> Noted:
        return Noted(
            query=_header(notes.query_header, source) or self.query,
            intent=_fact(notes.understood_intent, source, _MAX_INTENT_CHARS) or self.intent,
            response=_header(notes.response_header, source),
            gist=_fact(notes.context_summary, source, _MAX_GIST_CHARS),
            claims=_claims(self.claims, notes, source),
        )

    def without(self, source: str) -> Noted:
        """As if the message had never been."""
        kept = {name: fact for name in _FACTS if (fact := getattr(self, name)) and fact.source != source}
        return Noted(**kept, claims={path: one for path, one in self.claims.items() if one.source != source})


_FACTS = ("query", "intent", "response", "gist")


def _line(text: str, max_chars: int) -> str:
    """A note on one line, cut between words; nothing where it has no word in it."""
    text = cut_at_word(one_line(safe(text)), max_chars)
    return text if any(map(str.isalnum, text)) else ""


def _fact(text: str, source: str, max_chars: int) -> Fact | None:
    found = _line(text, max_chars)
    return Fact(text=found, source=source) if found else None


def _header(text: str, source: str) -> Fact | None:
    """A header that says something; one that is too long for a header is none."""
    found = _fact(text, source, len(text))
    return found if found and len(found.text) <= _MAX_HEADER_CHARS and _says_something(found.text) else None


def _says_something(text: str) -> bool:
    """Two words, one of them no empty one; where words are not parted by blanks, a few characters."""
    found = text.split()
    if not text.isascii() and len(text) > 3:
        return True
    return len(found) > 1 and any(one.strip(".,:;!?…()\"'").lower() not in _EMPTY for one in found)


def decided(notes: Housekeeping, known: Iterable[Fact]) -> list[str]:
    """The decisions among the notes that nobody's words gave already."""
    told = {same_words(one.text) for one in known}
    new: dict[str, str] = {}
    for text in (_line(one, MAX_SAYING_CHARS) for one in notes.key_decisions):
        if text and same_words(text) not in told:
            new.setdefault(same_words(text), text)
    return list(new.values())


def same_words(text: str) -> str:
    """Equal for texts that differ in case and end marks alone."""
    return one_line(text).rstrip(".!;,… ").casefold()


def _claims(known: Mapping[str, Fact], notes: Housekeeping, source: str) -> dict[str, Fact]:
    """What the model says of files, by path; the newest word on each."""
    claims = dict(known)
    for change in notes.code_changes:
        said = _fact(change.what, source, MAX_SAYING_CHARS)
        if said and len(change.path) <= _MAX_PATH_CHARS:
            claims.pop(change.path, None)
            claims[change.path] = said
    return dict(list(claims.items())[-_MAX_CLAIMS:])


def with_claims(files: Mapping[str, Touched], claims: Mapping[str, Fact]) -> dict[str, Touched]:
    """The files, those that were changed with what the model says of them; no claim adds a file or changes its use."""
    found = dict(files)
    changed = {_plain(path): path for path, one in files.items() if one.use is not Use.READ}
    for path, claim in claims.items():
        if meant := _meant(_plain(path), changed):
            found[meant] = replace(found[meant], what=claim)
    return found


def _meant(path: str, changed: Mapping[str, str]) -> str:
    """The file itself, or the only one whose path ends as this one does; models shorten paths, tools complete them."""
    if path in changed:
        return changed[path]
    ends = [whole for plain, whole in changed.items() if plain.endswith(f"/{path}") or path.endswith(f"/{plain}")]
    return ends[0] if path and len(ends) == 1 else ""


def _plain(path: str) -> str:
    return path.strip().replace("\\", "/").removeprefix("./")
