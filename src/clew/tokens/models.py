"""What is known of models by their names: window, answer limit, how their tokens are counted. One table.

Windows and limits are those the providers publish (November 2026). The table is read from the top: the first
row whose pattern is found in the name holds. A name may carry what hosts put around it (``anthropic/``,
``us.anthropic.``, ``@20251101``, ``-v1:0``), and ``[1m]`` behind a Claude's name asks for the large window.

Ratios say how many tokens of the model's own a token of o200k becomes, at most, for nearly all content:
the 99th percentile, rounded, over tool outputs, replies and calls of more than 1,000 tokens from 44 recorded
coding sessions (English, code, logs; 16 million characters). Open tokenizers counted for themselves, and a
public reconstruction for Claude's, which agreed with the usage that replies report.

- Claude up to 4.6: median 1.11, 99 % under 1.33; of runs of 5,000 tokens none above 1.32. Usage by itself
  gives a median of 1.12 to 1.15, and nine tenths under 1.38, hidden reminders included. With this ratio and
  the frames below, 87 of 88 stretches of 20,000 tokens and more were not under, by a fifth at the median.
- Claude from Opus 4.7 and from generation 5 on (a new tokenizer): median 1.48, 99 % under 1.86.
- Gemini: median 1.16, 99 % under 1.33. Mistral: 1.13 and 1.30. Qwen: 1.08 and 1.27. DeepSeek: 1.02 and
  1.18. Llama 3 and 4: 1.00 and 1.02.
- Others are not measured and get the highest of the open ones.

A name that no row knows counts by o200k as it is, with a window of 128,000: the smallest that current
models share, so that a request for an unknown one is not refused. That window is assumed, and so is the one
of a family whose name comes without a version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from clew.config import ModelsConfig
from clew.tokens.encodings import CL100K, O200K


class Frame(NamedTuple):
    """Tokens that a provider adds around what is said: to each message, each tool call, each output."""

    message: int
    call: int
    output: int


class ImagePrice(NamedTuple):
    """Tokens of an image: ``base``, and ``each`` for every square of ``side`` pixels begun; ``most`` at most."""

    side: int
    each: float
    most: int
    base: int = 0


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as far as its name tells. ``ratio`` is 1 where ``encoding`` is the model's own.
    ``is_known`` says that the name tells the window; else it is assumed.
    """

    name: str
    family: str
    window: int
    max_output: int
    encoding: str
    ratio: float
    frame: Frame
    image: ImagePrice
    is_known: bool = True

    @property
    def exact(self) -> bool:
        return self.ratio == 1.0


#: Claude's frame is what 1,395 steps with one call left over when content had been counted: 59 to 90 tokens
#: for call and output together; a bare message costs 6 or 7. The others' are a few tokens; these are upper ends.
_PLAIN = Frame(0, 0, 0)
_CHAT = Frame(4, 12, 8)
_CLAUDE = Frame(7, 45, 45)
_OTHER = Frame(6, 16, 12)

#: Prices as published, or as measured over sizes from 256 pixels square to 12 megapixels.
_CLAUDE_IMAGE = ImagePrice(28, 1.0, 1_600)
_CLAUDE_LARGE = ImagePrice(28, 1.0, 4_784)
_TILES = ImagePrice(512, 170.0, 1_445, base=85)
_PATCHES = ImagePrice(32, 1.2, 15_000)
_SMALL_PATCHES = ImagePrice(32, 2.46, 3_779)
_MINI_TILES = ImagePrice(512, 5_667.0, 48_169, base=2_833)
_GEMINI_TILES = ImagePrice(768, 258.0, 6_192)
_GEMINI_FLAT = ImagePrice(1, 1.0, 1_120)

_MILLION = 1_048_576


class _Row(NamedTuple):
    pattern: str
    family: str
    window: int
    max_output: int
    ratio: float = 1.0
    encoding: str = O200K
    frame: Frame = _OTHER
    image: ImagePrice = _CLAUDE_LARGE


def _claude(pattern: str, window: int, max_output: int) -> _Row:
    return _Row(pattern, "claude", window, max_output, 1.35, frame=_CLAUDE, image=_CLAUDE_IMAGE)


def _claude_5(pattern: str) -> _Row:
    return _Row(pattern, "claude", 1_000_000, 128_000, 1.85, frame=_CLAUDE, image=_CLAUDE_LARGE)


def _gpt(pattern: str, window: int, max_output: int, image: ImagePrice = _TILES) -> _Row:
    return _Row(pattern, "gpt", window, max_output, frame=_CHAT, image=image)


def _gpt_4(pattern: str, window: int) -> _Row:
    return _Row(pattern, "gpt-4", window, 4_096, encoding=CL100K, frame=_CHAT, image=_TILES)


def _gemini(pattern: str, window: int, max_output: int, image: ImagePrice = _GEMINI_TILES) -> _Row:
    return _Row(pattern, "gemini", window, max_output, 1.35, image=image)


#: ``V`` is a dot or dash between the digits of a version; ``\b`` keeps o1 out of names that merely hold it.
_TABLE = (
    _claude(r"claude-3V5", 200_000, 8_192),
    _claude(r"claude-3V7", 200_000, 64_000),
    _claude(r"claude-3\b|claude-(2|instant)", 200_000, 4_096),
    _claude(r"claude-haiku-4", 200_000, 64_000),
    _claude(r"claude-(opus|sonnet)-4V6|claude-4V6", 1_000_000, 128_000),
    _claude_5(r"claude-(opus|sonnet)-4V[789]|claude-4V[789]"),
    _claude(r"claude-(opus|sonnet)-4V5|claude-4V5|claude-sonnet-4|claude-4-sonnet", 200_000, 64_000),
    _claude(r"claude-opus-4|claude-4-opus", 200_000, 32_000),
    _claude_5(r"claude|anthropic|^(opus|sonnet|haiku|fable|mythos)\b"),
    _gpt(r"gpt-oss", 131_072, 32_768),
    _gpt(r"gpt-5-chat", 128_000, 16_384),
    _gpt(r"codex-spark", 128_000, 32_768, _PATCHES),
    _gpt(r"gpt-5.*-(mini|nano)|gpt-5V?\d?-codex-mini", 400_000, 128_000, _SMALL_PATCHES),
    _gpt(r"gpt-5.*-codex", 400_000, 128_000),
    _gpt(r"gpt-5V[4-9]|gpt-[6-9]", 1_050_000, 128_000, _PATCHES),
    _gpt(r"gpt-5|openai$", 400_000, 128_000),
    _gpt(r"gpt-4V1-(mini|nano)", 1_047_576, 32_768, _SMALL_PATCHES),
    _gpt(r"gpt-4V1\b", 1_047_576, 32_768),
    _gpt(r"gpt-4V5\b", 128_000, 16_384),
    _gpt(r"gpt-4o-mini", 128_000, 16_384, _MINI_TILES),
    _gpt(r"gpt-4o|chatgpt-4o", 128_000, 16_384),
    _gpt(r"\bo1-(mini|preview)", 128_000, 32_768),
    _gpt(r"\bo4-mini|codex-mini", 200_000, 100_000, _SMALL_PATCHES),
    _gpt(r"\bo[134]\b", 200_000, 100_000),
    _gpt(r"codex", 400_000, 128_000),
    _gpt_4(r"gpt-4-(turbo|1106|0125|vision)", 128_000),
    _gpt_4(r"gpt-4-32k", 32_768),
    _gpt_4(r"gpt-4", 8_192),
    _gpt_4(r"gpt-3V?5", 16_385),
    _gemini(r"gemini-1V5-pro", 2 * _MILLION, 8_192),
    _gemini(r"gemini-(1V5|2V0)", _MILLION, 8_192),
    _gemini(r"gemini-2", _MILLION, 65_536),
    _gemini(r"gemini", _MILLION, 65_536, _GEMINI_FLAT),
    _gemini(r"gemma", 131_072, 8_192),
    _Row(r"deepseek.*v[4-9]", "deepseek", 1_000_000, 131_072, 1.2),
    _Row(r"deepseek", "deepseek", 131_072, 8_192, 1.2),
    _Row(r"qwen-?[3-9](?!\d*b)|qwen.*coder", "qwen", 262_144, 65_536, 1.3),
    _Row(r"qwen|qwq", "qwen", 131_072, 8_192, 1.3),
    _Row(r"codestral|devstral-2|mistral-large-3|ministral-3", "mistral", 256_000, 32_768, 1.3),
    _Row(r"mistral|mixtral|ministral|magistral|devstral|pixtral", "mistral", 131_072, 16_384, 1.3),
    _Row(r"llama-?4(?!\d)", "llama", _MILLION, 16_384, 1.05),
    _Row(r"llama-?3V?[1-9]", "llama", 131_072, 8_192, 1.05),
    _Row(r"llama", "llama", 8_192, 2_048, 1.35),
    _Row(r"grok.*-fast", "grok", 2_000_000, 65_536, 1.35),
    _Row(r"grok-(code|[4-9])", "grok", 256_000, 65_536, 1.35),
    _Row(r"grok", "grok", 131_072, 16_384, 1.35),
    _Row(r"kimi|moonshot", "kimi", 262_144, 32_768, 1.35),
    _Row(r"glm", "glm", 131_072, 65_536, 1.35),
    _Row(r"minimax", "minimax", 204_800, 65_536, 1.35),
    _Row(r"command-(a|r)|cohere", "command", 128_000, 8_192, 1.35),
    # Everything else, and "text", which is what Clew calls its own plain format.
    _Row(r"", "text", 128_000, 16_384, frame=_PLAIN),
)
_LARGE_WINDOW, _LARGE_SUFFIX = 1_000_000, "[1m]"
#: The API of each maker that has one of its own; models of all others are offered behind that of Chat Completions.
_APIS = {"claude": "anthropic", "gemini": "gemini"}
_OF_OTHERS = "openai-chat"
#: What a server on one's own machine offers speaks Chat Completions, whoever made it.
_LOCAL = "local/"


@lru_cache(maxsize=256)
def model_info(name: str) -> ModelInfo:
    """What the name tells; never fails."""
    plain = name.lower()
    row = next(row for row in _TABLE if re.search(row.pattern.replace("V", "[.-]"), plain))
    is_large = asks_for_large_window(name)
    return ModelInfo(
        name,
        row.family,
        max(row.window, _LARGE_WINDOW) if is_large else row.window,
        row.max_output,
        row.encoding,
        row.ratio,
        frame=row.frame,
        image=row.image,
        is_known=is_large or (row is not _TABLE[-1] and any(map(str.isdigit, plain))),
    )


def api_of(name: str) -> str:
    """The API that a model is asked by: its maker's own, whatever host the name carries, or Chat Completions."""
    return _OF_OTHERS if name.lower().startswith(_LOCAL) else _APIS.get(model_info(name).family, _OF_OTHERS)


def is_known_maker(name: str) -> bool:
    """Whether the name tells who made the model. Else its API, window and tokens are assumed."""
    return model_info(name).family != _TABLE[-1].family or name.lower().startswith(_LOCAL)


def asks_for_large_window(name: str) -> bool:
    """True for a name that says which of a model's windows is meant: the large one."""
    return _LARGE_SUFFIX in name.lower()


def with_large_window(name: str) -> str:
    """Returns the name that asks for the large one of a model's windows."""
    return name if asks_for_large_window(name) else name + _LARGE_SUFFIX


def window_for(name: str, config: ModelsConfig) -> int:
    """The window, in tokens, of a model that is asked: as the settings tell of the one they name, or as its name tells.

    Servers for local models often run with less than a name tells; then they refuse what is larger, with their window.
    """
    is_meant = config.model in ("", name) or config.model.endswith(f"/{name}")
    return config.window if config.window and is_meant else model_info(name).window
