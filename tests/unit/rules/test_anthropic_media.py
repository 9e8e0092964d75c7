"""A15 beyond its first example: how large images and bodies may be."""

from __future__ import annotations

from clew.rules import OUTSIDE, check, repair
from tests.unit.rules.rule_examples import assistant, messages, png, result, text, use, user


def found(request, **terms):
    return [(finding.rule, finding.at, finding.id) for finding in check(request, "anthropic", **terms)]


def repaired(request, **terms):
    return repair(request, "anthropic", **terms)[0]


def test_images_of_a_crowd_must_be_smaller_also_inside_results():
    crowd = [png(10, 10)] * 20
    request = messages(user("go"), assistant(use("t1")), user(result("t1", [png(10, 2001)]), *crowd))
    assert found(request) == [("A15", 2, "")]
    assert found(messages(user("go"), assistant(use("t1")), user(result("t1", [png(10, 2001)]), *crowd[1:]))) == []
    after = repaired(request)
    assert after["messages"][2]["content"][0]["content"][0]["text"].startswith("[image/png, ")
    assert found(after) == []


def test_an_image_of_too_many_bytes_is_named_instead():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * ((5 << 20) + 4)}}
    assert found(messages(user(image))) == [("A15", 0, "")]
    assert repaired(messages(user(image))) == messages(user(text("[image/png, 3,932,163 bytes: not shown here]")))


def test_the_oldest_media_leave_a_body_that_is_too_large():
    def page(letter):
        data = letter * (12 << 20)
        return {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}

    request = messages(user(page("A")), user(page("B")), user(page("C")))
    assert found(request) == [("A15", OUTSIDE, "")]
    after = repaired(request)
    assert after == messages(user(text("[application/pdf, 9,437,184 bytes: not shown here]")), *request["messages"][1:])
