"""Models by name: ``anthropic/…``, ``openai/…``, ``gemini/…``, ``local/…``, or a name that tells its maker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from clew.config import ModelsConfig
from clew.environment import variable
from clew.errors import ModelUnauthorized, UsageError
from clew.models import anthropic, gemini, openai
from clew.models.callables import CallableModel, Summariser
from clew.models.endpoint import Endpoint, RequestClock, check_url, no_keys
from clew.models.http_post import Keys
from clew.plugins import Registry
from clew.ports import Model

#: Functions that make a summariser from the settings of models: a model, or a function from text to text.
SUMMARISERS: Registry[Callable[[ModelsConfig], Model | Summariser]] = Registry(
    "clew.summarisers", kind="summariser", built_in={}
)


@dataclass(frozen=True, slots=True)
class _Provider:
    """``header`` carries the key, with ``prefix`` before it; without ``variables`` no key is ever sent."""

    make: Callable[[str, Endpoint], Model]
    base_url: str = ""
    variables: tuple[str, ...] = ()
    header: str = ""
    prefix: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    tail: str = ""


#: ``tail`` ends an address as people write it: chat completions expect it there, the others add it themselves.
_PROVIDERS = {
    "anthropic": _Provider(
        anthropic.AnthropicModel,
        anthropic.BASE_URL,
        ("ANTHROPIC_API_KEY",),
        header="x-api-key",
        headers=anthropic.HEADERS,
        tail="/v1",
    ),
    "openai": _Provider(
        openai.OpenAIModel, openai.BASE_URL, ("OPENAI_API_KEY",), header="authorization", prefix="Bearer ", tail="/v1"
    ),
    "gemini": _Provider(
        gemini.GeminiModel,
        gemini.BASE_URL,
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        header="x-goog-api-key",
        tail="/v1beta",
    ),
    "local": _Provider(openai.OpenAIModel, tail="/v1"),
}
_MAKERS = (("claude", "anthropic"), ("gpt-", "openai"), ("chatgpt-", "openai"), ("gemini-", "gemini"))


def model_for(
    name: str,
    config: ModelsConfig,
    *,
    env: Mapping[str, str] | None = None,
    keys: Keys | None = None,
    clock: RequestClock | None = None,
) -> Model:
    """The model of that name. Nothing is sent yet, and a key that is missing shows when it is asked.

    ``keys`` lends the headers of somebody who is asking that model already, in place of the environment's key. They
    are fetched for each question, and live as long as whoever holds the model.
    """
    if name not in _PROVIDERS and name in SUMMARISERS:
        made = SUMMARISERS.get(name)(config)
        return CallableModel(made) if callable(made) else made
    maker, model = _split_name(name)
    return _PROVIDERS[maker].make(model, endpoint_for(maker, config, env=env, keys=keys, clock=clock))


def endpoint_for(
    maker: str,
    config: ModelsConfig,
    *,
    env: Mapping[str, str] | None = None,
    keys: Keys | None = None,
    clock: RequestClock | None = None,
) -> Endpoint:
    """Where a maker's models are asked, as the settings say."""
    provider = _PROVIDERS[maker]
    return Endpoint(
        _address(maker, provider, config.base_url, with_key=bool(keys or provider.variables)),
        keys=keys or _keys(provider, env),
        headers=provider.headers,
        max_retries=config.max_retries,
        clock=clock or RequestClock(),
    )


def _split_name(name: str) -> tuple[str, str]:
    maker, slash, model = name.partition("/")
    if slash and model and maker in _PROVIDERS:
        return maker, model
    known = next((maker for start, maker in _MAKERS if name.startswith(start)), "")
    if known:
        return known, name
    raise UsageError(f"unknown model {name!r}; write {', '.join(f'{maker}/…' for maker in _PROVIDERS)}")


def _address(maker: str, provider: _Provider, given: str, *, with_key: bool) -> str:
    if not given and not provider.base_url:
        raise UsageError(f"{maker}/… needs models.base_url: where it is served, such as http://127.0.0.1:8080/v1")
    url = check_url(given or provider.base_url, with_key=with_key)
    if provider.make is not openai.OpenAIModel:
        return url.removesuffix(provider.tail)
    url = url.removesuffix("/chat/completions")
    return url if urlsplit(url).path else url + provider.tail


def _keys(provider: _Provider, env: Mapping[str, str] | None) -> Keys:
    if not provider.variables:
        return no_keys

    def keys() -> Mapping[str, str]:
        key = variable(*provider.variables, env=env)
        if not key:
            raise ModelUnauthorized(f"no key: set {' or '.join(provider.variables)} in the environment")
        if not (key.isascii() and key.isprintable()):
            raise ModelUnauthorized(f"{' or '.join(provider.variables)} holds letters that no key has; set it anew")
        return {provider.header: provider.prefix + key}

    return keys
