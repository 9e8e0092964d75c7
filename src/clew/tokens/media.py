"""What images, sound and documents cost. Base64 is never counted as text.

An image is priced by its size in pixels where its first bytes tell it, and as the dearest of its model
otherwise. Documents, sound and video are priced by their bytes, which is a rule of thumb: 3,000 tokens to
50 KB of a document (a dense page), 32 tokens to a second of sound at 128 kbit/s, 300 to a second of video at
1 Mbit/s.
"""

from __future__ import annotations

from math import ceil

from clew.domain import Media
from clew.text.images import pixels
from clew.tokens.models import ImagePrice, ModelInfo

_DOCUMENT_BYTES_TO_TOKEN = 50 * 1024 / 3_000
_SOUND_BYTES_TO_TOKEN = 500
_VIDEO_BYTES_TO_TOKEN = 400
#: For what stands behind an address or an id and cannot be weighed: ten pages.
_UNSEEN_TOKENS = 10 * 3_000


def media_tokens(media: Media, info: ModelInfo) -> int:
    """Tokens of the media when sent to the model; text documents are not for here."""
    if media.media_type.startswith("image"):
        return _image_tokens(pixels(media.data or ""), info.image)
    if media.data is None:
        return _UNSEEN_TOKENS
    size = len(media.data) * 3 / 4
    if media.media_type.startswith("audio"):
        return ceil(size / _SOUND_BYTES_TO_TOKEN)
    if media.media_type.startswith("video"):
        return ceil(size / _VIDEO_BYTES_TO_TOKEN)
    return ceil(size / _DOCUMENT_BYTES_TO_TOKEN)


def _image_tokens(size: tuple[int, int] | None, price: ImagePrice) -> int:
    if size is None:
        return price.most
    squares = ceil(size[0] / price.side) * ceil(size[1] / price.side)
    return min(price.most, price.base + ceil(squares * price.each))
