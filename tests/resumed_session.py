"""A session that clients resume, what is said in it, and what real clients sent when they had resumed it.

``make clients`` compares the requests in ``resumed_requests.json`` with what the clients send; with
``CLEW_WRITE_REQUESTS=1`` it writes them anew. Of what the clients add by themselves nothing is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from clew.codecs import registry
from clew.domain import Call, Json, Media, Message, Origin, Output, Role, Status, Text
from tests.builders import call, gives, injected, output, says, user

REQUESTS = Path(__file__).parent / "resumed_requests.json"
PROMPT = "Go on now."
PICTURE = Media(
    media_type="image/png",
    data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
)
_SAID = [
    user("Look at the ferry.", PICTURE),
    says("I look.", call("c1", "exec_command", cmd="cat ferry.py"), call("c2", "Bash", command="ls")),
    gives(output("c1", "def ferry(): ..."), Output(call_id="c2", content=(Text(text="no"),), status=Status.FAILED)),
    says("It leaks."),
    says(call("c3", "view", path="ferry.png")),
    gives(Output(call_id="c3", content=(Text(text="the hull"), PICTURE))),
    says("There."),
    injected("<system-reminder>three to-dos</system-reminder>"),
    Message(role=Role.USER, origin=Origin.CLIENT, parts=(Text(text="Skill: answer in verse."),)),
    user("Then mend it."),
    says("Mended."),
]
HISTORY = [replace(one, at=1777629600.0 + n) for n, one in enumerate(_SAID)]
#: What clients put into a request by themselves.
_CLIENTS_OWN = ("<system-reminder>\nAs you answer", "<environment_context>")

_IDS = {"uuid", "parentUuid", "sessionId", "cwd", "id", "version", "cli_version"}


def words(messages: list[Message]) -> list[Any]:
    """What was said, by the model or to it: texts, calls with arguments, outputs with their end, pictures, in order."""
    parts = [(one.role is Role.ASSISTANT, part) for one in messages for part in one.parts]
    return [(is_reply, said) for is_reply, part in parts for said in _words(part)]


def _words(part: Any) -> list[Any]:
    match part:
        case Text():
            return [part.text.strip()] if part.text.strip() else []
        case Output():
            content = [said for one in part.content for said in _words(one)]
            return [(part.call_id, part.status is Status.SUCCESS, content)]
        case Media():
            return [(part.media_type, part.data)]
        case Call():
            return [(part.id, part.name, part.arguments)]
    return []


def in_request(body: Json, provider: str) -> list[Any]:
    """What a request says."""
    read = registry.codec(provider).read
    found = [read(json.dumps(item).encode()).message for item in body[registry.MESSAGE_LISTS[provider]]]
    return words([message for message in found if message])


def without_clients_own(body: Json, provider: str) -> Json:
    """The conversation of a request, without what the client adds by itself, and without ids that it draws."""
    name = registry.MESSAGE_LISTS[provider]
    items = [one for one in body[name] if one.get("role") not in {"system", "developer"}]
    return {name: [kept for one in items if (kept := _without_own(one))]}


def _without_own(item: Json) -> Json | None:
    content = item.get("content")
    if isinstance(content, list):
        content = [part for part in content if not str(part.get("text", "")).startswith(_CLIENTS_OWN)]
        if not content:
            return None
        item = item | {"content": content}
    return {key: value for key, value in item.items() if key != "id"}


def without_ids(lines: Iterable[Json]) -> list[Json]:
    """Lines of a session file, without ids that follow from the session, its title, its place and our version."""
    return [_without_ids(line) for line in lines if line["type"] != "custom-title"]


def _without_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_ids(one) for key, one in value.items() if key not in _IDS}
