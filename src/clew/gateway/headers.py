"""Headers of requests and replies: all go on as they came but those that concern one connection, or Clew alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.gateway.bodies import ENCODINGS
from clew.gateway.upstreams import ANTHROPIC, Upstream

RawHeaders = Sequence[tuple[bytes, bytes]]
#: What concerns the connection on which it came.
_OF_CONNECTION = {
    b"connection",
    b"host",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
_OWN = b"x-clew-"
_KEYS = (b"authorization", b"x-api-key")
#: With this begin the tokens of this server, which no other is to see.
_TOKEN = b"clew_"


def request_headers(
    given: RawHeaders, upstream: Upstream, *, length: int, is_rewritten: bool = False, is_read: bool = False
) -> list[tuple[bytes, bytes]]:
    """Returns the headers with which a request goes on. ``length`` is that of its body, which ``is_rewritten`` where it
    is not the client's own; a reply that ``is_read`` comes in an encoding that can be.
    """
    dropped = _OF_CONNECTION | _named_by_connection(given) | {b"content-length"}
    token = own_token(given).encode("latin-1")
    kept = [(name, value) for name, value in given if name.lower() not in dropped and not _is_own(name, value, token)]
    secret = upstream.secret()
    if secret and upstream.has_own_key:
        kept = _without_headers(kept, *_KEYS)
    if secret and not any(name.lower() in _KEYS for name, _ in kept):
        kept.append(_key_header(upstream, secret))
    if is_rewritten:
        kept = _without_headers(kept, b"content-encoding")
    if length:
        kept.append((b"content-length", str(length).encode()))
    if is_read:
        accepted = b"".join(value for name, value in kept if name.lower() == b"accept-encoding").decode("latin-1")
        names = [one for one in accepted.replace(" ", "").split(",") if one.partition(";")[0] in ENCODINGS]
        kept = [
            *_without_headers(kept, b"accept-encoding"),
            (b"accept-encoding", ", ".join(names or ["identity"]).encode()),
        ]
    return kept


def response_headers(given: RawHeaders, added: Iterable[tuple[str, str]] = ()) -> list[tuple[bytes, bytes]]:
    """Returns the headers with which a reply goes back."""
    dropped = _OF_CONNECTION | _named_by_connection(given)
    kept = [(name.lower(), value) for name, value in given if name.lower() not in dropped]
    return [*kept, *((name.encode(), value.encode("latin-1", "replace")) for name, value in added)]


def own_token(given: RawHeaders) -> str:
    """Returns the token of this server that a request brings, as a key or in a header of its own; empty for none."""
    for name, value in given:
        secret = value[7:].strip() if name.lower() == b"authorization" and value[:7].lower() == b"bearer " else value
        if name.lower() == b"x-clew-token" or (name.lower() in _KEYS and secret.startswith(_TOKEN)):
            return secret.decode("latin-1").strip()
    return ""


def _is_own(name: bytes, value: bytes, token: bytes) -> bool:
    """True for what is Clew's alone: its own headers, and whatever holds a token of it."""
    is_token = name.lower() in _KEYS and value.rpartition(b" ")[2].startswith(_TOKEN)
    return is_token or name.lower().startswith(_OWN) or bool(token and token in value)


def _key_header(upstream: Upstream, secret: str) -> tuple[bytes, bytes]:
    if upstream.api == ANTHROPIC:
        return b"x-api-key", secret.encode()
    return b"authorization", b"Bearer " + secret.encode()


def _named_by_connection(given: RawHeaders) -> set[bytes]:
    values = b",".join(value for name, value in given if name.lower() == b"connection")
    return {name.strip().lower() for name in values.split(b",") if name.strip()}


def _without_headers(given: RawHeaders, *names: bytes) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in given if name.lower() not in names]
