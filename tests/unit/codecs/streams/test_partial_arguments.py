"""Calls of the Gemini API whose arguments arrive one by one."""

from __future__ import annotations

from typing import Any

from clew.domain import Json
from tests.unit.codecs.streams.test_gemini import parts_of, response


def piece(*arguments: Json, more: bool = True, **about: Any) -> Json:
    return {"functionCall": about | {"partialArgs": list(arguments), "willContinue": more}}


def at(path: str, **value: Any) -> Json:
    return {"jsonPath": path} | value


STREAM = [
    {"functionCall": {"name": "edit", "id": "c1", "willContinue": True}, "thoughtSignature": "c2ln"},
    piece(at("$.path", stringValue="log", willContinue=True)),
    piece(at("$.path", stringValue="in.py"), at("$.lines[0].at", numberValue=12)),
    piece(at("$.lines[0].text", stringValue="x"), at("$['dry run']", boolValue=True)),
    piece(at("$.why", nullValue="NULL_VALUE")),
    piece(at("$.lines[7].at", numberValue=1), at("nonsense", numberValue=1), at("$.path.x", numberValue=1)),
]


def test_the_arguments_are_put_together_by_their_paths() -> None:
    (call,) = parts_of(*STREAM[:5], {"functionCall": {}})
    arguments = {"path": "login.py", "lines": [{"at": 12, "text": "x"}], "dry run": True, "why": None}
    assert call == {"functionCall": {"name": "edit", "id": "c1", "args": arguments}, "thoughtSignature": "c2ln"}


def test_paths_that_fit_nothing_are_ignored() -> None:
    (call,) = parts_of(*STREAM, {"functionCall": {}})
    assert call["functionCall"]["args"]["lines"] == [{"at": 12, "text": "x"}]


def test_a_call_that_is_not_whole_is_kept_aside() -> None:
    found = response({"text": "I edit."}, *STREAM[:2], finish=None)
    assert found["candidates"][0]["content"]["parts"] == [{"text": "I edit."}]
    assert found["unfinished"][0]["functionCall"]["args"] == {"path": "log"}
