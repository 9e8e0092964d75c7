"""A15: how large images and the body of a request may be."""

from __future__ import annotations

from collections.abc import Iterator

from clew.codecs import jsonio
from clew.codecs.providers.losses import media_placeholder
from clew.domain import Finding, Json, Media, Repair
from clew.rules.anthropic_blocks import BlockPlace, each_block, kind_of, with_blocks
from clew.rules.base import OUTSIDE, Case, ProviderRule, string
from clew.text.images import pixels

MAX_PIXELS = 8000
#: The limit on each side once a request holds more than MANY_IMAGES.
MAX_PIXELS_OF_MANY = 2000
MANY_IMAGES = 20
#: Measured on the base64 text, as the provider does.
MAX_IMAGE_BYTES = 5 << 20
MAX_BODY_BYTES = 32 << 20


def _data(block: Json) -> str:
    source = block.get("source")
    return string(source.get("data")) if isinstance(source, dict) and source.get("type") == "base64" else ""


def _is_image(block: Json) -> bool:
    return kind_of(block) == "image"


def _side_limit(request: Json) -> int:
    many = sum(_is_image(block) for _, block in each_block(request)) > MANY_IMAGES
    return MAX_PIXELS_OF_MANY if many else MAX_PIXELS


def _excess(block: Json, limit: int) -> str | None:
    """What is too large about an image."""
    data = _data(block) if _is_image(block) else ""
    if len(data) > MAX_IMAGE_BYTES:
        return f"the image has {len(data):,} bytes of base64, more than {MAX_IMAGE_BYTES:,}"
    size = pixels(data) if data else None
    if size is not None and max(size) > limit:
        return f"the image has {size.width}x{size.height} pixels, more than {limit} on a side"
    return None


def media_fit(case: Case) -> Iterator[Finding]:
    limit = _side_limit(case.request)
    for place, block in each_block(case.request):
        excess = _excess(block, limit)
        if excess is not None:
            yield Finding("A15", place.at, f"{excess}: refused")
    size = _body_bytes(case.request)
    if size > MAX_BODY_BYTES:
        yield Finding("A15", OUTSIDE, f"the request has {size:,} bytes, more than {MAX_BODY_BYTES:,}: refused")


def _body_bytes(request: Json) -> int:
    return len(jsonio.dumps(request))


def name_large_media(case: Case) -> tuple[Json, list[Repair]]:
    """Large images become a short text, and so do the oldest media of a body that is still too large."""
    limit = _side_limit(case.request)
    repairs: list[Repair] = []

    def smaller(place: BlockPlace, block: Json) -> Json:
        excess = _excess(block, limit)
        return block if excess is None else _name_media(block, place, why=excess, repairs=repairs)

    request = with_blocks(case.request, smaller)
    surplus = _body_bytes(request) - MAX_BODY_BYTES

    def oldest(place: BlockPlace, block: Json) -> Json:
        nonlocal surplus
        if surplus <= 0 or not _data(block):
            return block
        named = _name_media(block, place, why="the request was too large", repairs=repairs)
        surplus -= len(_data(block)) - len(named["text"])
        return named

    return with_blocks(request, oldest), repairs


def _name_media(block: Json, place: BlockPlace, *, why: str, repairs: list[Repair]) -> Json:
    repairs.append(Repair("A15", f"messages[{place.at}]", f"named the media instead of sending it: {why}"))
    media = Media(media_type=string(block["source"].get("media_type")), data=_data(block), name=block.get("title"))
    return {"type": "text", "text": media_placeholder(media)}


RULES = (ProviderRule("A15", "images and body within the limits", media_fit, name_large_media),)
