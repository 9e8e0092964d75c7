"""What people said, as lines of a pack: who answers what, in their own words, oldest first.

The newest words stand whole; a long text, such as a plan, keeps its headings, items and first sentences; other words
are shortened alike, and where there is far too much of them, their most telling sentences are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.domain.ids import SegmentId
from clew.history.person_words import PersonStatement, StatementKind
from clew.ports import TokenCounter
from clew.text.names import relative_path
from clew.text.prose import is_heading, is_item
from clew.text.sentences import sentences
from clew.text.tools.calls import call_actions
from clew.text.trim import cut_at_word
from clew.units.chosen_options import chosen_options
from clew.units.code_lines import command_line
from clew.units.outline import LEAST_OUTLINE, outline
from clew.units.pasted_text import PASTED_LINE
from clew.units.report_units import announces
from clew.units.terms import NAME, says_little
from clew.units.unit import GAP, clip_middle, indent, nearness

#: Characters of a person's newest words, the sizes to which older ones are shortened, and what a line takes beside.
_NEWEST_CHARS, _SIZES, _FRAME_CHARS = 1_500, (1_000, 700, 500, 400, 320, 230, 150, 80), 24
#: Of words that are shortened to less, only the beginning is shown.
_SMALL_CHARS = 230
#: So few may be shortened to fragments.
_FEW = 15
#: The room in characters is estimated; so much of it is given away beforehand.
_SAFE_SHARE = 0.85
#: Words longer than this are a plan or a paste. Newest ones are shown in outline, in this share of the room.
_LONG_CHARS, _LEAST_CHARS, _OUTLINE_SHARE = 1_500, 400, 0.6
#: Shares of the room that older plans may take together, the first that leaves other words a readable size; and parts
#: of it to which one shrinks.
_PLAN_SHARES, _PLAN_PARTS, _READABLE_CHARS = (0.9, 0.7, 0.5, 0.4, 0.3, 0.2), (1.0, 0.85, 0.7, 0.5), 230
#: Shares of its room to which a newest request is cut that does not fit whole: the rest is for other words.
_CUT_SHARES = (0.65, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
#: Share of the room up to which brief words come before plans.
_BRIEF_SHARE = 0.6
#: What a client's terminal shows; a text with more than this share of pasted lines was pasted.
_TERMINAL = re.compile(r"[⏺⎿]")
_PASTED_SHARE = 0.15
#: Words before a paste that say what it is about have at least so many characters.
_LEAST_OWN_CHARS = 20
#: A reply of so few words is understood only with what it replies to.
_BRIEF_WORDS, _CONTEXT_CHARS = 4, 260
#: Amounts, dates and times, and names within a sentence.
_FACT = re.compile(r"[$€£]?\d[\d,.:/%-]*|(?<=[a-z,;] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
#: What a sentence tells that has none of them.
_PLAIN = 0.3
_DECIDES = re.compile(
    r"\b(?:decid\w+|chose\w*|choos\w+|prefer\w*|want\w*|wish\w*|never|always|must|plan(?:ning|s|ned)? to|agreed"
    r"|promised|instead|deadline|changed?|updated?|cancel\w+|postponed?|no longer)\b",
    re.IGNORECASE,
)


_WITHDRAWS = re.compile(
    r"\b(?:wrong (?:chat|window|session|thread|tab|terminal|project)|scratch that|never ?mind(?: that| the last)?"
    r"|(?:ignore|disregard|forget)(?: about)? (?:that|this|it|(?:my|the) (?:last|previous|above)"
    r"(?: (?:message|one|request))?))\s*(?:[.,!)]|\Z)",
    re.IGNORECASE,
)
#: Longer words do more than take something back.
_WITHDRAWAL_WORDS = 14


@dataclass(frozen=True, slots=True)
class StatementInContext:
    """A statement, what the agent had said just before it, and the number of the exchange that it began, if it did.

    ``interrupts``: the person had just stopped the agent. ``withdrawn`` is the id of the message that took it back.
    """

    statement: PersonStatement
    before: str = ""
    exchange: int = 0
    interrupts: bool = False
    withdrawn: str = ""


def takes_back(text: str) -> bool:
    """Returns True for words by which a person takes back what they said just before."""
    return len(text.split()) <= _WITHDRAWAL_WORDS and _WITHDRAWS.search(text) is not None


def newest_request(statements: Sequence[StatementInContext]) -> StatementInContext | None:
    """Returns the newest message of a person, else their newest words: a refusal without words asks for nothing."""
    worded = [context for context in statements if context.statement.text.strip()]
    own = [context for context in worded if context.statement.is_message and not context.withdrawn]
    return next(reversed(own or worded), None)


def request_line(context: StatementInContext, *, most: int, count: TokenCounter, root: str) -> str:
    """Returns the newest request as a line: whole where that takes at most so much, else its beginning and its end, or
    its outline. The id at the head of the line fetches the rest."""
    whole = person_line(context, len(context.statement.text) + _CONTEXT_CHARS, root)
    if (price := count(whole)) <= most:
        return whole
    cut = (_cut_line(context, int(len(whole) * most * share / price), root) for share in _CUT_SHARES)
    return next((line for line in cut if count(line) <= most), "")


def _cut_line(context: StatementInContext, limit: int, root: str) -> str:
    """A statement with its beginning and its end, also where the limit is small."""
    statement = context.statement
    is_plain = len(statement.text) <= _LONG_CHARS and not _TERMINAL.search(statement.text)
    words = clip_middle(statement.text, limit) if is_plain else _shorten_words(statement.text, limit)
    return person_line(replace(context, statement=replace(statement, text=words)), len(words) + _CONTEXT_CHARS, root)


def person_lines(
    statements: Sequence[StatementInContext], *, room: int, count: TokenCounter, chars: int, root: str
) -> list[tuple[str, str]]:
    """Returns pairs of a message id and a line, oldest first, within the room in tokens; ``chars`` is the room in
    characters, as it is estimated.

    The newest request comes first into the room, then what was answered since, then the first words, which often state
    the goal, then brief ones in a part of it, then plans in outline. Others are shortened alike, so that all have a
    place; where that would leave fragments, the sentences that tell most are chosen from all of them.
    """
    request = newest_request(statements)
    newest = [context for context in (request, *statements[-1:]) if context and context.statement.text.strip()]
    older = [context for context in statements if all(context is not other for other in newest)]
    plans = [context for context in older if _is_plan(context)]
    others = [context for context in older if context not in plans]
    left = chars - sum(min(len(context.statement.text), _NEWEST_CHARS, chars // 2) for context in newest)
    plan_chars, size = _sizes_beside(plans, others, left)
    if not size:
        left -= sum(min(len(context.statement.text), plan_chars) for context in plans)
        others = [*_most_telling(others, left)]
    half = int(chars * _OUTLINE_SHARE)
    whole = half if newest and _is_plan(newest[0]) else max(_LEAST_CHARS, min(_NEWEST_CHARS, half))
    alike = [size or _NEWEST_CHARS, *(smaller for smaller in _SIZES if smaller < size)]
    chosen_lines: dict[str, tuple[tuple[str, str], int]] = {}
    brief = [context for context in others[1:] if len(context.statement.text) <= _SMALL_CHARS]
    for entry, sizes, most in (
        *((context, [whole, *_SIZES], room) for context in newest),
        *((context, alike, room) for context in others[:1]),
        *((context, alike, int(room * _BRIEF_SHARE)) for context in reversed(brief)),
        *((context, [*(int(plan_chars * part) for part in _PLAN_PARTS), *_SIZES], room) for context in reversed(plans)),
        *((context, alike, room) for context in reversed(others[1:])),
    ):
        used = sum(price for _, price in chosen_lines.values())
        line, price = _fitting(entry, sizes, most - used, count, root) if _key(entry) not in chosen_lines else ("", 0)
        if line:
            chosen_lines[_key(entry)] = ((entry.statement.source, line), price)
    return [chosen_lines[_key(context)][0] for context in statements if _key(context) in chosen_lines]


def _key(context: StatementInContext) -> str:
    return f"{context.statement.source} {context.statement.kind} {context.statement.about}"


def _sizes_beside(
    plans: Sequence[StatementInContext], others: Sequence[StatementInContext], chars: int
) -> tuple[int, int]:
    """The sizes of plans and of other words: plans get less where the others would have to shrink much."""
    lengths = [len(context.statement.text) + len(_replied_to(context)) for context in others]
    for share in _PLAN_SHARES if plans else (0.0,):
        plan_chars = int(chars * share / max(1, len(plans)))
        taken = sum(min(len(context.statement.text), plan_chars) for context in plans)
        size = _fair_size(lengths, int((chars - taken) * _SAFE_SHARE))
        if size >= _READABLE_CHARS:
            break
    return plan_chars, size


def _is_plan(context: StatementInContext) -> bool:
    """Returns True for a long text with headings or items, which an outline can tell, that is not mostly pasted."""
    statement = context.statement
    if len(statement.text) <= _LONG_CHARS or statement.kind is StatementKind.PLAN:
        return len(statement.text) > _LONG_CHARS
    if _TERMINAL.search(statement.text):
        return False
    lines = [line for line in statement.text.split("\n") if line.strip()]
    pasted = sum(PASTED_LINE.match(line) is not None for line in lines)
    return (
        pasted < len(lines) * _PASTED_SHARE
        and sum(is_heading(line) or is_item(line) for line in lines) >= LEAST_OUTLINE
    )


def _fair_size(lengths: Sequence[int], chars: int) -> int:
    """The largest size in characters at which all fit, if each is shortened to it; 0 if that leaves many fragments."""
    for size in _SIZES if sum(length > _SIZES[-1] for length in lengths) <= _FEW else _SIZES[:-1]:
        if sum(min(length, size) + _FRAME_CHARS for length in lengths) <= chars:
            return size
    return 0


def _most_telling(statements: Sequence[StatementInContext], chars: int) -> Iterator[StatementInContext]:
    """The statements of which a sentence is shown, each with those sentences alone, in about so many characters."""
    pool = [
        (_telling(sentence) * nearness(index + 1, len(statements)), index, position, sentence)
        for index, context in enumerate(statements)
        for position, sentence in enumerate(sentences(context.statement.text))
    ]
    chosen: dict[int, dict[int, str]] = {}
    for value, index, position, sentence in sorted(pool, reverse=True):
        price = len(sentence) + (0 if index in chosen else _FRAME_CHARS)
        if value > 0 and price <= chars:
            chosen.setdefault(index, {})[position] = sentence
            chars -= price
    for index, chosen_sentences in sorted(chosen.items()):
        whole = len(sentences(statements[index].statement.text))
        words = " ".join(chosen_sentences[position] for position in sorted(chosen_sentences))
        text = words if len(chosen_sentences) == whole else f"{words} {GAP}"
        yield replace(statements[index], statement=replace(statements[index].statement, text=text))


def _telling(sentence: str) -> float:
    """How much a sentence tells for its length: amounts, dates, names, and words of decision or wish."""
    telling_count = len({*_FACT.findall(sentence), *NAME.findall(sentence)}) + 1.5 * bool(_DECIDES.search(sentence))
    telling_count += 0 if says_little(sentence) else _PLAIN
    return (0.3 if sentence.endswith("?") else 1.0) * telling_count / (1 + len(sentence) / 80)


def _fitting(
    context: StatementInContext, sizes: Sequence[int], room: int, count: TokenCounter, root: str
) -> tuple[str, int]:
    for size in sizes:
        line = person_line(context, size, root)
        price = count(line) + 1
        if price <= room:
            return line, price
    return "", 0


def person_line(spoken: StatementInContext, limit: int, root: str) -> str:
    """Returns a statement as a line: the id, how it came to be said, the words, and what they reply to."""
    statement = spoken.statement
    words = _shorten_words(statement.text, limit)
    replies = clip_middle(_replied_to(spoken), limit)
    how = "after stopping the agent" if spoken.interrupts else _manner(statement, root)
    how = f"taken back in {spoken.withdrawn}" if spoken.withdrawn else how
    context = f' [to the agent\'s "{replies}"]' if replies else ""
    where = f"{statement.source} ({SegmentId(spoken.exchange)})" if spoken.exchange else statement.source
    return f"{where} user{f' ({how})' if how else ''}: {indent(words) or '(no words)'}{context}"


def _shorten_words(text: str, limit: int) -> str:
    if len(text) > limit and (pasted := _TERMINAL.search(text)) and pasted.start() >= _LEAST_OWN_CHARS:
        return f"{_clip_words(text[: pasted.start()].rstrip(' >❯'), limit)} [pasted output {GAP}]"
    return outline(text, limit) if len(text) > _LONG_CHARS else _clip_words(text, limit)


def _clip_words(text: str, limit: int) -> str:
    """Words within a limit; where that is small, their beginning: half a beginning and half an end say less."""
    if limit > _SMALL_CHARS or len(text) <= limit:
        return clip_middle(text, limit)
    return f"{cut_at_word(' '.join(text.split()), limit - len(GAP)).rstrip('…')} {GAP}"


def _manner(statement: PersonStatement, root: str) -> str:
    if statement.kind is StatementKind.REFUSAL:
        return f"refusing {call_label(statement, root)}"
    if statement.kind is StatementKind.ANSWER:
        return f'asked "{clip_middle(" ".join(statement.about.split()), _CONTEXT_CHARS)}"'
    return "approving this plan" if statement.kind is StatementKind.PLAN else ""


def call_label(statement: PersonStatement, root: str) -> str:
    """Returns the call that a person refused or answered, in short."""
    if statement.call is None:
        return "a call"
    action = call_actions(statement.call)[0]
    if action.command:
        return f"`{clip_middle(command_line(action.command, root), 90)}`"
    return f"{statement.call.name} {relative_path(action.path, root)}".strip()


def _replied_to(context: StatementInContext) -> str:
    """What a brief reply refers to: the options it names, else the agent's last question or sentence."""
    statement = context.statement
    if statement.kind is not StatementKind.MESSAGE or not context.before:
        return ""
    if options := chosen_options(statement.text, context.before):
        return "; ".join(clip_middle(option, _CONTEXT_CHARS // len(options)) for option in options)
    if len(statement.text.split()) > _BRIEF_WORDS:
        return ""
    agent_sentences = [sentence for sentence in sentences(context.before) if not announces(sentence)]
    asked = [sentence for sentence in agent_sentences if sentence.endswith("?")]
    return clip_middle((asked or agent_sentences or [""])[-1], _CONTEXT_CHARS)
