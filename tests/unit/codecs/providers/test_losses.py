"""What a format cannot say is listed as lost, and named in its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.codecs import registry
from clew.domain import Loss, Media, Output, Reasoning, Text
from tests.builders import call, gives, says, user
from tests.codec_examples.providers import (
    FORMATS,
    PNG,
    decoded,
    without_wires,
)


@pytest.mark.parametrize("format", FORMATS)
def test_sealed_reasoning_of_another_provider_is_a_loss(format: str) -> None:
    reply = replace(says(Reasoning(text="hm", seal="sealed"), "Yes."), id="m2")
    request = registry.encoder(format).encode([user("Well?"), reply])
    assert request.losses == (Loss("m2", "reasoning of another provider, or not as its provider wrote it"),)
    assert decoded(registry.codec(format), request.body)[0][1].text == "Yes."


@pytest.mark.parametrize("format", FORMATS)
def test_media_that_cannot_travel_are_named_and_lost(format: str) -> None:
    film = Media(media_type="video/x-unheard-of", name="film.xyz")
    request = registry.encoder(format).encode([user("See?", film)])
    assert request.losses == (Loss("user", "video/x-unheard-of content, named in its place"),)
    text = "[video/x-unheard-of film.xyz: not shown here]"
    assert decoded(registry.codec(format), request.body)[0][0].text == f"See?\n{text}"


@pytest.mark.parametrize("format", FORMATS)
def test_pictures_travel(format: str) -> None:
    picture = Media(media_type="image/png", data=PNG)
    request = registry.encoder(format).encode([user("See?", picture)])
    assert request.losses == ()
    assert without_wires(decoded(registry.codec(format), request.body)[0][0].parts) == (Text(text="See?"), picture)


@pytest.mark.parametrize("format", ["anthropic", "openai-responses", "gemini"])
def test_pictures_in_outputs_travel_where_they_can(format: str) -> None:
    picture = Media(media_type="image/png", data=PNG)
    seen = Output(call_id="c1", content=(Text(text="seen"), picture))
    request = registry.encoder(format).encode([user("Look."), says(call("c1")), gives(seen)])
    assert request.losses == ()
    (found,) = decoded(registry.codec(format), request.body)[0][2].outputs
    assert without_wires(found.content) == seen.content


def test_pictures_in_outputs_are_named_where_tools_answer_in_words() -> None:
    seen = Output(call_id="c1", content=(Text(text="seen"), Media(media_type="image/png", data=PNG)))
    request = registry.encoder("openai-chat").encode([says(call("c1")), gives(seen)])
    assert request.losses == (Loss("tool", "image/png content, named in its place"),)
    assert request.body["messages"][1]["content"] == "seen\n[image/png, 9 bytes: not shown here]"
