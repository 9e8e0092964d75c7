"""Upstreams: where requests go on to. Settings name them, and no request ever does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from clew.config import GatewayConfig
from clew.environment import variable
from clew.errors import UsageError

ANTHROPIC, OPENAI = "anthropic", "openai"
_APIS = (ANTHROPIC, OPENAI)
#: Where requests of an API go that no upstream of the settings speaks, and the variable that holds the key.
_DEFAULTS = {
    ANTHROPIC: ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    OPENAI: ("https://api.openai.com", "OPENAI_API_KEY"),
}
_SETTINGS = ("url", "api", "models", "key")
#: With this begin the paths of both APIs; many addresses that people write down end with it.
_VERSION = "/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A server of models: its address, the API that it speaks, patterns of the names of models that it has, and the
    environment variable that holds its key. One that ``has_own_key`` is sent no key of a client.
    """

    name: str
    url: str
    api: str
    models: tuple[str, ...] = ("*",)
    key: str = ""
    has_own_key: bool = False

    def address(self, path: str, query: str = "") -> str:
        """Returns the address of a path there."""
        base = self.url.rstrip("/")
        if base.endswith(_VERSION) and path.startswith(f"{_VERSION}/"):
            base = base.removesuffix(_VERSION)
        return f"{base}{path}{'?' if query else ''}{query}"

    def secret(self) -> str:
        """Returns the key of this server, where the environment has one. It is read each time, and kept nowhere."""
        return variable(self.key) if self.key else ""


class Upstreams:
    """All upstreams, in the order in which they are asked for a model."""

    def __init__(self, upstreams: Iterable[Upstream]) -> None:
        self._all = tuple(upstreams)

    def find(self, api: str, model: str | None = None) -> Upstream:
        """Returns the first that speaks an API and has a model; for an empty one, the only one, or the first for all.
        None is a model that cannot be read: where several speak the API, nothing tells whom the request is for.
        Raises UsageError where there is none.
        """
        speaking = [one for one in self._all if one.api == api]
        if not model and len(speaking) == 1:
            return speaking[0]
        if model is None:
            raise UsageError(f"the model cannot be read, and several upstreams speak the {api} API")
        having = [one for one in speaking if any(fnmatchcase(model, name) for name in one.models)]
        if not having:
            raise UsageError(f"no upstream of the {api} API has the model that is asked for")
        return having[0]


def upstreams_of(config: GatewayConfig, given: Iterable[str] = ()) -> Upstreams:
    """Returns the upstreams of the settings, and before them those that are ``given`` as API=URL or NAME=URL.

    Raises UsageError for what is no address, or an API that there is not.
    """
    named = [_given_upstream(one, config.upstreams) for one in given]
    tables = [_upstream(name, table) for name, table in config.upstreams.items()]
    spoken = {one.api for one in (*named, *tables)}
    defaults = [
        Upstream(name=api, url=url, api=api, key=key) for api, (url, key) in _DEFAULTS.items() if api not in spoken
    ]
    return Upstreams([*named, *tables, *defaults])


def api_of_caller(headers: Mapping[str, str], path: str) -> str:
    """Returns the API that a client speaks, by its headers, or by the path that only one API has."""
    return ANTHROPIC if "anthropic-version" in headers or path.startswith("/v1/messages") else OPENAI


def _given_upstream(text: str, tables: Mapping[str, Mapping[str, str]]) -> Upstream:
    name, equals, url = text.partition("=")
    if not equals:
        raise UsageError(f"an upstream is given as anthropic=URL or openai=URL, not {text!r}", about="upstream")
    return _upstream(name, {**tables.get(name, {}), "url": url})


def _upstream(name: str, table: Mapping[str, str]) -> Upstream:
    where = f"the upstream {name}"
    if unknown := table.keys() - set(_SETTINGS):
        raise UsageError(f"{where} has {', '.join(_SETTINGS)}, and no {', '.join(sorted(unknown))}")
    api = table.get("api") or (name if name in _APIS else OPENAI)
    if api not in _APIS:
        raise UsageError(f"{where} speaks {' or '.join(_APIS)}, not {api!r}")
    parts = urlsplit(table.get("url", ""))
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(f"{where} needs an address such as {_DEFAULTS[api][0]}, not {table.get('url', '')!r}")
    key = table.get("key", _DEFAULTS[name][1] if name in _DEFAULTS else "")
    models = tuple(table.get("models", "*").split())
    return Upstream(name=name, url=table["url"], api=api, models=models, key=key, has_own_key="key" in table)
