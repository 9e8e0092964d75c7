"""Notes that a model wrote on its own turns, as facts of a digest, one line each.

Notes are claims. They may word what happened; the record alone says whether it happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from clew.digests.statements import MAX_STATEMENT_CHARS
from clew.domain import Fact, FileUsage, FileUse, Housekeeping
from clew.text.stop_words import HEADER_STOP_WORDS
from clew.text.terminal import safe
from clew.text.trim import cut_at_word, one_line

#: What a summary can show of a gist, and a story of what was understood; a header is taken whole or not at all.
_MAX_GIST_CHARS, _MAX_INTENT_CHARS, _MAX_HEADER_CHARS = 700, 300, 120
#: Claims of a segment, the newest; as many as one turn may make.
_MAX_CLAIMS, _MAX_PATH_CHARS = 20, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNotes:
    """The notes of a segment so far; ``claims`` are the model's words about files, by path.

    ``query`` and ``intent`` hold until the next request.
    ``response`` and ``gist`` describe the state when they were written, and hold until the model says more; those that
    it ``reported`` by a call, amid its turn, hold until the next request.
    """

    query: Fact | None = None
    intent: Fact | None = None
    response: Fact | None = None
    gist: Fact | None = None
    claims: dict[str, Fact] = field(default_factory=dict)
    reported: bool = False

    def after_request(self) -> ModelNotes:
        """Returns the notes that still hold when a new request has come."""
        return replace(self, query=None, intent=None, reported=False)

    def after_reply(self) -> ModelNotes:
        """Returns the notes that still hold when the model has said more."""
        return self if self.reported else replace(self, response=None, gist=None)

    def with_report(self, notes: Housekeeping, source: str) -> ModelNotes:
        """Returns these notes with those that the model reported by a call; what it did not note stays as it was."""
        new = self.with_notes(notes, source)
        return replace(new, response=new.response or self.response, gist=new.gist or self.gist, reported=True)

    def with_notes(self, notes: Housekeeping, source: str) -> ModelNotes:
        """Returns these notes with those of one more message."""
        return ModelNotes(
            query=_header(notes.query_header, source) or self.query,
            intent=_fact(notes.understood_intent, source, _MAX_INTENT_CHARS) or self.intent,
            response=_header(notes.response_header, source),
            gist=_fact(notes.context_summary, source, _MAX_GIST_CHARS),
            claims=_claims(self.claims, notes, source),
        )

    def without_source(self, source: str) -> ModelNotes:
        """Returns the notes of all other messages."""
        kept = {name: fact for name in _FACTS if (fact := getattr(self, name)) and fact.source != source}
        return ModelNotes(**kept, claims={path: claim for path, claim in self.claims.items() if claim.source != source})


_FACTS = ("query", "intent", "response", "gist")


def _line(text: str, max_chars: int) -> str:
    """A note on one line, cut between words; nothing where it has no word in it."""
    text = cut_at_word(one_line(safe(text)), max_chars)
    return text if any(map(str.isalnum, text)) else ""


def _fact(text: str, source: str, max_chars: int) -> Fact | None:
    line = _line(text, max_chars)
    return Fact(text=line, source=source) if line else None


def _header(text: str, source: str) -> Fact | None:
    """A header that says something; one that is too long for a header is none."""
    fact = _fact(text, source, len(text))
    return fact if fact and len(fact.text) <= _MAX_HEADER_CHARS and _says_something(fact.text) else None


def _says_something(text: str) -> bool:
    """Two words, one of them no empty one; where words are not parted by blanks, a few characters."""
    records = text.split()
    if not text.isascii() and len(text) > 3:
        return True
    return len(records) > 1 and any(record.strip(".,:;!?…()\"'").lower() not in HEADER_STOP_WORDS for record in records)


def noted_decisions(notes: Housekeeping, known: Iterable[Fact]) -> list[str]:
    """Returns the decisions among the notes that are not known yet."""
    old = {normalise_wording(fact.text) for fact in known}
    new: dict[str, str] = {}
    for text in (_line(decision, MAX_STATEMENT_CHARS) for decision in notes.key_decisions):
        if text and normalise_wording(text) not in old:
            new.setdefault(normalise_wording(text), text)
    return list(new.values())


def normalise_wording(text: str) -> str:
    """Returns a form of a text that is equal for texts which differ only in case, blanks and end marks."""
    return one_line(text).rstrip(".!;,… ").casefold()


def _claims(known: Mapping[str, Fact], notes: Housekeeping, source: str) -> dict[str, Fact]:
    """What the model says of files, by path; the newest word on each."""
    claims = dict(known)
    for change in notes.code_changes:
        claim = _fact(change.what, source, MAX_STATEMENT_CHARS)
        if claim and len(change.path) <= _MAX_PATH_CHARS:
            claims.pop(change.path, None)
            claims[change.path] = claim
    return dict(list(claims.items())[-_MAX_CLAIMS:])


def with_claims(
    files: Mapping[str, FileUsage], claims: Mapping[str, Fact]
) -> tuple[dict[str, FileUsage], tuple[Fact, ...]]:
    """Returns the files, those that were changed with the model's words about them, and its words about others.
    No claim adds a file or changes its use.
    """
    claimed, others = dict(files), list[Fact]()
    changed = {_plain_path(path): path for path, file in files.items() if file.use is not FileUse.READ}
    for path, claim in claims.items():
        if meant := _file_meant(_plain_path(path), changed):
            claimed[meant] = replace(claimed[meant], what=claim)
        else:
            others.append(replace(claim, text=f"{one_line(safe(path))}: {claim.text}"))
    return claimed, tuple(others)


def _file_meant(path: str, changed: Mapping[str, str]) -> str:
    """The file itself, or the only one whose path ends as this one does; models shorten paths, tools complete them."""
    if path in changed:
        return changed[path]
    ends = [whole for plain, whole in changed.items() if plain.endswith(f"/{path}") or path.endswith(f"/{plain}")]
    return ends[0] if path and len(ends) == 1 else ""


def _plain_path(path: str) -> str:
    return path.strip().replace("\\", "/").removeprefix("./")
