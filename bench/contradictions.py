"""Contradictions: told from hard neutrals, and the earlier turn that a new one denies found again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import clew
from bench.data import CACHE, folder, transcripts
from bench.results import Figure
from clew.codecs import jsonio
from clew.domain import Json, Message, Origin
from clew.signals.contradiction.clash import THRESHOLD, Clash, Statement, contradictions, score
from clew.signals.contradiction.index import candidates, keys_of
from clew.signals.critical.candidates import binding_words

_PAIRS = Path(__file__).parent.parent / "data" / "signals" / "pairs.jsonl"
#: Pairs of two authors: enough to measure, and held back from the encoder's training.
_AUTHORS = {"p03", "p08"}
_FIRST, _FEW = 1, 5


def run() -> list[Figure]:
    return [*pair_figures(), *unseen_pair_figures(), *retrieval_figures(), *alarm_figures(), *speed_figures()]


def auc(good: Iterable[float], bad: Iterable[float]) -> float:
    """How often one of the good scores above one of the bad; a tie counts half."""
    good, bad = list(good), list(bad)
    wins = sum((one > other) + (one == other) / 2 for one in good for other in bad)
    return wins / max(len(good) * len(bad), 1)


# ── pairs ────────────────────────────────────────────────────────────────────────────────────────────


def pair_figures() -> list[Figure]:
    """Pairs of user turns, all of one form: what was never done against what was done."""
    home = folder("contradictions")
    if home is None:
        return [Figure("contradictions", "pairs", 0, "no data")]
    rows = _lines(home / "pairs.jsonl")
    scores = {label: list(_scores(rows, label)) for label in ("contradiction", "neutral_hard")}
    alarms = [sum(value >= THRESHOLD for value in scores[label]) / len(scores[label]) for label in scores]
    return [
        Figure("contradictions", "pairs", len(rows)),
        Figure("contradictions", "against hard neutrals", auc(*scores.values()), "AUC", ">= 0.85"),
        Figure("contradictions", "of contradictions above the threshold", alarms[0]),
        Figure("contradictions", "of hard neutrals above the threshold", alarms[1]),
    ]


def unseen_pair_figures() -> list[Figure]:
    """Pairs of many forms and families, none of which a form was made from."""
    home = folder("signals")
    sets = {"pairs": _own_pairs()}
    if home is not None:
        sets |= {name: _lines(home / f"pairs_{name}.jsonl") for name in ("software", "chats")}
    return [figure for name, rows in sets.items() for figure in _unseen(f"contradictions, unseen {name}", rows)]


def _unseen(group: str, rows: Sequence[Json]) -> Iterator[Figure]:
    scores = {label: list(_scores(rows, label)) for label in ("contradiction", "neutral", "update")}
    told = {label: sum(value >= THRESHOLD for value in some) for label, some in scores.items()}
    yield Figure(group, "pairs", len(rows))
    yield Figure(group, "against neutrals", auc(scores["contradiction"], scores["neutral"]), "AUC")
    yield Figure(group, "against updates", auc(scores["contradiction"], scores["update"]), "AUC")
    yield Figure(group, "contradictions told", told["contradiction"])
    yield Figure(group, "told wrongly", told["neutral"] + told["update"])


def _own_pairs() -> list[Json]:
    return [row for row in _lines(_PAIRS) if row["author"] in _AUTHORS]


def _scores(rows: Sequence[Json], label: str) -> Iterator[float]:
    return (score(row["earlier"], row["later"]) for row in rows if row["label"] == label)


def _lines(path: Path) -> list[Json]:
    return [jsonio.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


# ── the earlier turn ─────────────────────────────────────────────────────────────────────────────────


def retrieval_figures() -> list[Figure]:
    """Where two turns of one conversation contradict each other: given the later, the place of the earlier among those
    that the index offers."""
    home = folder("beam")
    chats = sorted(home.rglob("chat.json")) if home else []
    places = [place for path in chats for place in _places(path.parent)]
    if not places:
        return [Figure("the turn contradicted", "questions", 0, "no data")]
    shares = {few: sum(place is not None and place <= few for place in places) / len(places) for few in (_FIRST, _FEW)}
    return [
        Figure("the turn contradicted", "questions", len(places)),
        Figure("the turn contradicted", "first", shares[_FIRST], "", ">= 0.6"),
        Figure("the turn contradicted", "among the first five", shares[_FEW], "", ">= 0.85"),
    ]


def _places(home: Path) -> Iterator[int | None]:
    turns = dict(_turns(jsonio.loads((home / "chat.json").read_bytes())))
    questions = jsonio.loads((home / "probing_questions.json").read_bytes())
    for question in questions.get("contradiction_resolution", ()):
        sides = question.get("source_chat_ids", {})
        one, other = ([at for at in _listed(sides.get(name)) if at in turns] for name in _SIDES)
        if one and other and max(one) != max(other):
            earlier, later = sorted((one, other), key=max)
            yield _place(turns, max(later), set(earlier) - {max(later)})


_SIDES = ("first_statement", "second_statement")


def _listed(ids: Json) -> list[int]:
    return ids if isinstance(ids, list) else [ids] if isinstance(ids, int) else []


def _turns(chat: Json) -> Iterator[tuple[int, str]]:
    """User turns by id, without the marks that the set's makers left in them."""
    for batch in chat:
        for turn in batch["turns"]:
            for message in turn:
                if message["role"] == "user":
                    yield message["id"], message["content"].rpartition("->->")[0] or message["content"]


def _place(turns: dict[int, str], new: int, wanted: set[int]) -> int | None:
    rows: dict[str, list[Statement]] = {}
    for at, text in turns.items():
        if at < new:
            statement = Statement(id=str(at), text=text)
            for key in keys_of(statement.text):
                rows.setdefault(key, []).append(statement)
    offered = candidates(Statement(id=str(new), text=turns[new]), lambda key: rows.get(key, []))
    ranked = sorted(offered, key=lambda one: -score(one.text, turns[new]))
    return next((place for place, one in enumerate(ranked, 1) if int(one.id) in wanted), None)


# ── real work ────────────────────────────────────────────────────────────────────────────────────────

#: Longer texts are reports: sessions do not compare them either.
_MOST_CHARS = 1_200


def alarm_figures() -> list[Figure]:
    """What would be told in coding sessions; every one of it is in ``.bench/clashes.txt``, to be read."""
    sessions = [session for path in transcripts() for session in _sessions(path)]
    said = [
        [one for one in session if one.origin is Origin.PERSON and binding_words(one).strip()] for session in sessions
    ]
    clashes = [clash for people in said for clash in _clashes(people)]
    CACHE.mkdir(exist_ok=True)
    lines = [f"{one.score} {one.about}\n  {one.earlier_text}\n  {one.later_text}\n" for one in clashes]
    (CACHE / "clashes.txt").write_text("".join(lines))
    people = sum(map(len, said))
    return [
        Figure("contradictions, real work", "messages of people", people),
        Figure("contradictions, real work", "told per 100 of them", 100 * len(clashes) / max(people, 1), "", "< 2"),
    ]


def _sessions(path: Path) -> list[list[Message]]:
    with clew.open(":memory:") as engine:
        sessions = [engine.find(report.session) for report in engine.import_file(path, project=False)]
        views = [session.reader.history().record_view() for session in sessions]
    return [[message for message in view if not message.thread and message.text.strip()] for view in views]


def _clashes(people: Sequence[Message]) -> Iterator[Clash]:
    rows: dict[str, list[Statement]] = {}
    for message in people:
        new = Statement(id=message.id, text=binding_words(message).strip())
        if len(new.text) <= _MOST_CHARS:
            yield from contradictions(new, candidates(new, lambda key: rows.get(key, [])))
            for key in keys_of(new.text):
                rows.setdefault(key, []).append(new)


# ── speed ────────────────────────────────────────────────────────────────────────────────────────────


def speed_figures() -> list[Figure]:
    """Each pair for the first time."""
    rows = _own_pairs()
    times = []
    for row in rows:
        begin = perf_counter()
        # A blank more, so that nothing is remembered of it.
        score(f"{row['earlier']} ", f"{row['later']} ")
        times.append(perf_counter() - begin)
    return [Figure("contradictions", "a pair", median(times) * 1000, "ms", "< 1")]
