"""Message clips: messages that are larger than their room, with their beginning and end, and where the whole is.

Media go first, each for a line that says what was there; then the longest texts lose their middle. Calls stay as they
are.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import partial

from clew.config import CurationConfig
from clew.curation.markers import blob_id, with_marker
from clew.curation.output_forms import squeezed_forms, stale_forms, with_forms, with_texts
from clew.domain import Media, Message, Output, Part, Text
from clew.engine.epochs.turn import Turn
from clew.history.message_text import media_content, media_in, whole_texts
from clew.packing.tail_plan import MessageClips, MessageCounter
from clew.ports import TokenCounter
from clew.text.markers import neutralise_markers
from clew.text.trim import CHARS_PER_TOKEN, cut_at_word

#: A text that is clipped keeps its beginning, and one part in this many of what is kept from its end.
_END_SHARE = 3
#: Shorter texts are left as they are.
_SHORT_CHARS = 200
#: A clip that uses this share of its room is long enough; so often it is measured.
_ENOUGH, _TRIES = 0.97, 8


class MessageShortener:
    """Implements ``Shortener``: outputs by the reducers of curation, whole messages by clipping them."""

    def __init__(self, config: CurationConfig, counter: MessageCounter) -> None:
        self._config, self._counter = config, counter

    def shorten_outputs(self, messages: Sequence[Message], calls: Container[str]) -> MessageClips:
        forms = stale_forms(messages, calls, self._config)
        return MessageClips(with_texts(messages, forms), forms=forms)

    def squeeze(self, step: Sequence[Message], tokens: int) -> MessageClips:
        forms = squeezed_forms(step, self._config, tokens=tokens)
        return MessageClips(with_texts(step, forms), forms=forms)

    def clip(self, messages: Sequence[Message], tokens: int, size: Callable[[Message], int]) -> MessageClips:
        return clip_messages(messages, tokens, size=size, count=self._counter.tokenizer.count)


def clip_input(turn: Turn, tokens: int, counter: MessageCounter) -> Turn:
    """Returns the turn with no more of its input than these tokens, as far as it can be clipped."""
    input = turn.recorded_input
    if sum(map(counter.tokens, input)) <= tokens:
        return turn
    clips = clip_messages(input, tokens, size=counter.tokens, count=counter.tokenizer.count)
    if tuple(clips.messages) == input:
        return turn
    full_texts = (*turn.full_texts, *sorted((*clips.wholes, *clips.forms), key=len))
    return replace(turn, input_messages=tuple(clips.messages), whole_input=input, full_texts=full_texts)


def clip_messages(
    messages: Sequence[Message], tokens: int, *, size: Callable[[Message], int], count: TokenCounter
) -> MessageClips:
    """Returns the messages in as many tokens as they may take, as far as leaving out media and clipping texts helps."""
    clips = MessageClips(list(messages))
    for index, key, note in _media_notes(messages, size):
        if sum(map(size, clips.messages)) <= tokens:
            return clips
        _stand_in(clips, index, key, note)
    for (index, text, is_output), room in _shares(clips.messages, tokens, size, count).items():
        if is_output:
            clips.forms[text] = clip_text(text, room, count, partial(_output_form, whole=text))
            clips.messages[index] = with_forms(clips.messages[index], {blob_id(text): clips.forms[text]}.get)
        else:
            marked = partial(_with_mark, id=messages[index].id or blob_id(text), whole=text)
            _stand_in(clips, index, text, clip_text(text, room, count, marked))
    return clips


def clip_wholes(whole: Sequence[Message], clipped: Sequence[Message]) -> list[str]:
    """Returns the texts and media of messages that were clipped, the longest last."""
    sent = {blob_id(text) for message in clipped for text in whole_texts(message)}
    gone = [text for message in whole for text in whole_texts(message) if blob_id(text) not in sent]
    return sorted(gone, key=len)


def with_stand_ins(message: Message, texts: Mapping[str, str]) -> Message:
    """Returns the message with what stands for its texts and media, by the id of the whole."""
    parts = tuple(_replace_texts(part, texts) for part in message.parts)
    return replace(message, parts=parts, wire=None) if parts != message.parts else message


def clip_text(text: str, tokens: int, count: TokenCounter, form: Callable[[tuple[str, str], int], str]) -> str:
    """Returns the longest clip of a text within the tokens, near enough; a mere scrap of it where nothing fits.

    ``form`` makes the clip from the beginning and end that it shows and the number of characters left out.
    """
    fits, low, high, chars = "", 0, len(text), int(tokens * CHARS_PER_TOKEN)
    for _ in range(_TRIES):
        chars = min(max(chars, low + 1), high - 1)
        made = _clip_to_chars(text, chars, form)
        taken = count(made)
        if taken <= tokens:
            fits, low = made, chars
        else:
            high = chars
        if high - low <= 1 or _ENOUGH * tokens <= taken <= tokens:
            break
        chars = int(chars * tokens / max(taken, 1)) if taken > tokens * _ENOUGH / 2 else (low + high) // 2
    return fits or _clip_to_chars(text, 0, form)


def _clip_to_chars(text: str, chars: int, form: Callable[[tuple[str, str], int], str]) -> str:
    end = chars // _END_SHARE
    head = cut_at_word(text, chars - end) if chars > end else ""
    return form((head, text[len(text) - end :] if end else ""), len(text) - len(head) - end)


def _with_mark(shown: tuple[str, str], left: int, id: str, whole: str) -> str:
    note = f"[clew: {left:,} of {len(whole):,} characters left out here; whole: {id}]"
    return f"{shown[0]}\n{note}\n{shown[1]}".strip("\n")


def _output_form(shown: tuple[str, str], _left: int, whole: str) -> str:
    return with_marker(neutralise_markers(f"{shown[0]}\n…\n{shown[1]}"), whole)


# ── media ────────────────────────────────────────────────────────────────────────────────────────────


def _media_notes(messages: Sequence[Message], size: Callable[[Message], int]) -> list[tuple[int, str, str]]:
    """Media of messages and of outputs, the dearest first: where, by which key, and the line that stands for each."""
    notes = []
    for index, message in enumerate(messages):
        for media in media_in(message.parts):
            tokens = size(message) - size(replace(message, parts=_without_media(message.parts, media), wire=None))
            id = message.id or blob_id(media_content(media))
            kind = f"{media.media_type}{f' {media.name}' if media.name else ''}"
            note = f"[clew: {kind} left out, {tokens:,} tokens; whole: {id}]"
            notes.append((tokens, index, media_content(media), note))
    return [(index, key, note) for _, index, key, note in sorted(notes, key=lambda note: (-note[0], note[1]))]


def _without_media(parts: tuple[Part, ...], media: Media) -> tuple[Part, ...]:
    others = (part for part in parts if part is not media)
    return tuple(
        replace(part, content=tuple(content for content in part.content if content is not media))
        if isinstance(part, Output)
        else part
        for part in others
    )


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────


def _shares(
    messages: Sequence[Message], tokens: int, size: Callable[[Message], int], count: TokenCounter
) -> dict[tuple[int, str, bool], int]:
    """What each text may take that has to be clipped: short ones stay, the longest share what is left."""
    costs: dict[tuple[int, str, bool], int] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, Text | Output) and len(part.text) > _SHORT_CHARS:
                costs[index, part.text, isinstance(part, Output)] = count(part.text)
    left, waiting = tokens - sum(map(size, messages)) + sum(costs.values()), len(costs)
    shares: dict[tuple[int, str, bool], int] = {}
    for key in sorted(costs, key=lambda key: costs[key]):
        share = max(left // waiting, 0)
        if costs[key] > share:
            shares[key] = share
        left, waiting = left - min(costs[key], share), waiting - 1
    return shares


# ── parts ────────────────────────────────────────────────────────────────────────────────────────────


def _stand_in(clips: MessageClips, index: int, whole: str, text: str) -> None:
    message = clips.messages[index]
    clips.messages[index] = with_stand_ins(message, {blob_id(whole): text})
    if message.id:
        clips.texts.setdefault(message.id, {})[blob_id(whole)] = text
    else:
        clips.wholes.append(whole)


def _replace_texts(part: Part, texts: Mapping[str, str]) -> Part:
    if isinstance(part, Output) and media_in([part]):
        return replace(part, content=tuple(_replace_texts(content, texts) for content in part.content), wire=None)
    whole = part.text if isinstance(part, Text) else media_content(part) if isinstance(part, Media) else None
    text = texts.get(blob_id(whole)) if whole is not None else None
    return part if text is None else Text(text=text)
