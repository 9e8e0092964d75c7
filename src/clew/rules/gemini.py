"""G1 to G6: the rules of the Gemini API."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from clew.codecs import jsonio
from clew.domain import Finding, Json, Repair
from clew.rules.base import GO_ON, NOT_SHOWN, Case, ProviderRule, is_model_role, objects, omit, string

#: Google's own value for calls that no model of theirs has signed: their check passes over it.
UNSIGNED = "skip_thought_signature_validator"
_SIGNATURES = ("thoughtSignature", "thought_signature")
#: Models from before signatures were checked.
_UNCHECKED = ("gemini-1", "gemini-2", "models/gemini-1", "models/gemini-2")
_ROLES = frozenset({"user", "model"})


def _contents(request: Json) -> list[Json]:
    return objects(request.get("contents"))


def _role(content: Json) -> str:
    """A content without a role is the user's."""
    return str(content.get("role") or "user")


def _parts(content: Json) -> list[Json]:
    return objects(content.get("parts"))


def _member(part: Json, camel: str, snake: str) -> Json | None:
    value = part.get(camel, part.get(snake))
    return value if isinstance(value, dict) else None


def _call(part: Json) -> Json | None:
    return _member(part, "functionCall", "function_call")


def _response(part: Json) -> Json | None:
    return _member(part, "functionResponse", "function_response")


def _count_calls(content: Json) -> int:
    return sum(_call(part) is not None for part in _parts(content))


def _count_responses(content: Json) -> int:
    return sum(_response(part) is not None for part in _parts(content))


def _signature(part: Json) -> str:
    return next((string(part[name]) for name in _SIGNATURES if part.get(name)), "")


def _join_contents(contents: list[Json]) -> Json:
    """One content with the parts of all."""
    if len(contents) == 1:
        return contents[0]
    return contents[0] | {"parts": [part for content in contents for part in _parts(content)]}


def as_many_responses_as_calls(case: Case) -> Iterator[Finding]:
    """Calls that were split over several contents of the model are one turn; G2 tells of the split."""
    calls = where = 0
    for index, content in enumerate(_contents(case.request)):
        if _role(content) == "model":
            where = index if _count_calls(content) else where
            calls += _count_calls(content)
            continue
        responses = _count_responses(content)
        if calls and responses != calls:
            yield Finding("G1", where, f"calls: {calls}, responses: {responses}; refused, there must be as many")
        calls = 0
    if calls and case.final:
        yield Finding("G1", where, f"calls: {calls}, responses: none; refused, there must be as many")


def join_responses(case: Case) -> tuple[Json, list[Repair]]:
    groups: list[list[Json]] = []
    repairs: list[Repair] = []
    responded = False
    for index, content in enumerate(_contents(case.request)):
        responds = _role(content) != "model" and _count_responses(content) > 0
        if responds and responded:
            groups[-1].append(content)
            repairs.append(Repair("G1", f"contents[{index}]", "joined responses of one turn"))
        else:
            groups.append([content])
        responded = responds
    return (
        (case.request | {"contents": [_join_contents(group) for group in groups]}, repairs)
        if repairs
        else (case.request, [])
    )


def calls_follow_the_user(case: Case) -> Iterator[Finding]:
    before = ""
    for index, content in enumerate(_contents(case.request)):
        if _count_calls(content) and before in {"", "model"}:
            yield Finding("G2", index, "a turn with calls comes after neither a user nor a response turn: refused")
        before = _role(content)


def join_calls(case: Case) -> tuple[Json, list[Repair]]:
    indexes = {finding.at for finding in calls_follow_the_user(case)}
    if not indexes:
        return case.request, []
    groups: list[list[Json]] = [[_user(NOT_SHOWN)]] if 0 in indexes else []
    for index, content in enumerate(_contents(case.request)):
        if index in indexes and index:
            groups[-1].append(content)
        else:
            groups.append([content])
    text = "joined turns of the model, or put a user turn first"
    return case.request | {"contents": [_join_contents(group) for group in groups]}, [
        Repair("G2", f"contents[{index}]", text) for index in sorted(indexes)
    ]


def _user(text: str) -> Json:
    return {"role": "user", "parts": [{"text": text}]}


def responses_follow_calls(case: Case) -> Iterator[Finding]:
    calls = 0
    for index, content in enumerate(_contents(case.request)):
        if _count_responses(content) and not calls:
            yield Finding("G3", index, "a response turn does not come right after a turn with calls: refused")
        calls = _count_calls(content)


def _current_turn(contents: list[Json]) -> int:
    """Where the turn under way starts: after the last words of the user. Past the end when it is over."""
    if not contents or not (_count_calls(contents[-1]) or _count_responses(contents[-1])):
        return len(contents)
    index = len(contents)
    while index and (_role(contents[index - 1]) == "model" or _count_responses(contents[index - 1])):
        index -= 1
    return index


def _unsigned_calls(case: Case) -> Iterator[tuple[int, int]]:
    """Content and part of each first call of a step that lacks its signature."""
    contents = _contents(case.request)
    if string(case.request.get("model")).startswith(_UNCHECKED):
        return
    for index in range(_current_turn(contents), len(contents)):
        parts = _parts(contents[index])
        first = next((number for number, part in enumerate(parts) if _call(part) is not None), None)
        if first is not None and not _signature(parts[first]):
            yield index, first


def first_calls_are_signed(case: Case) -> Iterator[Finding]:
    for index, number in _unsigned_calls(case):
        call = _call(_parts(_contents(case.request)[index])[number]) or {}
        text = "the first call of a step under way lacks its thoughtSignature: refused by Gemini 3 and later"
        yield Finding("G4", index, text, string(call.get("id")))


def sign_first_calls(case: Case) -> tuple[Json, list[Repair]]:
    indexes = list(_unsigned_calls(case))
    if not indexes:
        return case.request, []
    contents = list(case.request["contents"])
    for index, number in indexes:
        parts = list(contents[index]["parts"])
        parts[number] = omit(parts[number], *_SIGNATURES) | {"thoughtSignature": UNSIGNED}
        contents[index] = contents[index] | {"parts": parts}
    text = "gave the call Google's stand-in for a signature"
    return case.request | {"contents": contents}, [Repair("G4", f"contents[{index}]", text) for index, _ in indexes]


def _without_signature(part: Json) -> bytes:
    return jsonio.dumps(omit(part, *_SIGNATURES))


def signatures_are_untouched(case: Case) -> Iterator[Finding]:
    """Parts are told apart by what they say; several that say the same may bear any of their signatures."""
    if case.previous is None:
        return
    known: defaultdict[bytes, set[str]] = defaultdict(set)
    for content in _contents(case.previous):
        for part in _parts(content):
            if _signature(part):
                known[_without_signature(part)].add(_signature(part))
    for index, content in enumerate(_contents(case.request)):
        for part in _parts(content):
            signature = _signature(part)
            if (
                signature
                and signature != UNSIGNED
                and signature not in known.get(_without_signature(part), {signature})
            ):
                identity = string((_call(part) or {}).get("id"))
                yield Finding("G5", index, "the thoughtSignature is not as it came: refused as corrupted", identity)


def roles_are_known(case: Case) -> Iterator[Finding]:
    """G2 tells of a history that begins with a call."""
    contents = _contents(case.request)
    for index, content in enumerate(contents):
        if _role(content) not in _ROLES:
            yield Finding("G6", index, f"the role {_role(content)!r} is refused: please use a valid role: user, model")
    if contents and _role(contents[0]) == "model" and not _count_calls(contents[0]):
        yield Finding("G6", 0, "the conversation begins with the model: refused, first content should be of the user")
    if case.final and contents and _role(contents[-1]) == "model":
        yield Finding("G6", len(contents) - 1, "the conversation ends with the model: refused")


def _known_role(content: Any) -> Any:
    if not isinstance(content, dict) or _role(content) in _ROLES:
        return content
    from_model = is_model_role(content.get("role")) or _count_calls(content)
    return content | {"role": "model" if from_model else "user"}


def give_known_roles(case: Case) -> tuple[Json, list[Repair]]:
    """Pending calls at the end are left alone: what they wait for is responses, not words."""
    old = case.request.get("contents")
    if not isinstance(old, list):
        return case.request, []
    new = [_known_role(content) for content in old]
    changed = [index for index, content in enumerate(new) if content is not old[index]]
    repairs = [Repair("G6", f"contents[{index}]", "gave it a role that is known") for index in changed]
    first = _contents({"contents": new})[:1]
    if first and _role(first[0]) == "model" and not _count_calls(first[0]):
        repairs.append(Repair("G6", "contents[0]", "put a turn of the user first"))
        new.insert(0, _user(NOT_SHOWN))
    last = _contents({"contents": new})[-1:]
    if case.final and last and _role(last[0]) == "model" and not _count_calls(last[0]):
        repairs.append(Repair("G6", f"contents[{len(new)}]", "asked the model to go on"))
        new.append(_user(GO_ON))
    return (case.request | {"contents": new}, repairs) if repairs else (case.request, [])


RULES = (
    ProviderRule("G1", "as many responses as calls", as_many_responses_as_calls, join_responses),
    ProviderRule("G2", "calls come after a user or response turn", calls_follow_the_user, join_calls),
    ProviderRule("G3", "responses come right after their calls", responses_follow_calls),
    ProviderRule("G4", "the first call of each current step is signed", first_calls_are_signed, sign_first_calls),
    ProviderRule("G5", "signatures are untouched", signatures_are_untouched),
    ProviderRule("G6", "roles are user and model, the user first and last", roles_are_known, give_known_roles),
)
