"""Histories as they may come: sound ones, and broken in every way."""

from __future__ import annotations

from hypothesis import strategies as st

from clew.codecs.providers import anthropic_blocks, responses_items
from clew.domain import Call, Media, Message, Origin, Output, Part, Reasoning, Role, Status, Text

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=20)
ids = st.sampled_from(["c1", "c2", "c3", "toolu_4", "call with spaces", "x" * 60])
arguments = st.one_of(
    st.dictionaries(
        st.sampled_from(["path", "n", "ümlaut"]), st.one_of(st.integers(-9, 9), words, st.none()), max_size=2
    ),
    words,
)
texts = st.builds(Text, text=words)
media = st.builds(
    Media, media_type=st.sampled_from(["image/png", "application/pdf", "audio/wav"]), data=st.just("aGk=")
)
calls = st.builds(Call, id=ids, name=st.sampled_from(["read", "bash"]), arguments=arguments)
outputs = st.builds(
    Output,
    call_id=ids,
    content=st.lists(st.one_of(texts, media), max_size=2).map(tuple),
    status=st.sampled_from(Status),
)
#: Sealed by providers, told by a server, and what nobody sends.
reasoning = st.one_of(
    words.map(lambda text: anthropic_blocks.read_part({"type": "thinking", "thinking": text, "signature": "sealed"})),
    st.just({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}).map(
        lambda item: responses_items.read_item(item).parts[0]
    ),
    st.builds(Reasoning, text=words, seal=st.one_of(st.none(), st.just("sealed"))),
)


def _message(role: Role, origin: Origin, parts: st.SearchStrategy[Part]) -> st.SearchStrategy[Message]:
    return st.builds(Message, role=st.just(role), origin=st.just(origin), parts=st.lists(parts, max_size=4).map(tuple))


messages = st.one_of(
    _message(Role.USER, Origin.PERSON, st.one_of(texts, outputs, media)),
    _message(Role.ASSISTANT, Origin.MODEL, st.one_of(texts, calls, outputs, reasoning)),
    _message(Role.TOOL, Origin.TOOL, outputs),
    _message(Role.SYSTEM, Origin.SYSTEM, texts),
)
#: Anything at all: calls without outputs, outputs without calls, ids used twice, blanks, wrong places.
histories = st.lists(messages, max_size=12)
