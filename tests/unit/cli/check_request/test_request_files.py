"""Requests are read from files as they stand, whatever the shape around the messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.cli.check_request.request_files import GivenRequest, detected_format, is_same_file, read_requests
from clew.errors import UnreadableSource, UsageError

HI: dict[str, Any] = {"role": "user", "content": " "}
REQUEST = {"model": "m", "messages": [HI]}
ONLY = [GivenRequest("", {"messages": [HI]})]


def written(folder: Path, text: str) -> str:
    path = folder / "file.json"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps(REQUEST), [GivenRequest("", REQUEST)]),
        (json.dumps([HI]), ONLY),
        (json.dumps(HI), ONLY),
        (json.dumps({"traj": [HI]}), ONLY),
        (f"{json.dumps(HI)}\n{json.dumps(HI)}\n", [GivenRequest("", {"messages": [HI, HI]})]),
        (
            json.dumps([REQUEST, {"id": "b", "messages": [HI]}]),
            [
                GivenRequest("1", REQUEST),
                GivenRequest("b", {"id": "b", "messages": [HI]}),
            ],
        ),
        (
            json.dumps([{"role": "wizard", "content": 5}, 7]),
            [
                GivenRequest("", {"messages": [{"role": "wizard", "content": 5}, 7]}),
            ],
        ),
    ],
)
def test_every_shape_gives_the_messages_untouched(tmp_path: Path, text: str, found: list[GivenRequest]) -> None:
    assert read_requests(written(tmp_path, text), "anthropic") == found


def test_half_a_character_is_still_there_to_be_found(tmp_path: Path) -> None:
    path = written(tmp_path, '[{"role": "user", "content": "a \\ud83d"}]')
    assert read_requests(path, "anthropic")[0].body["messages"][0]["content"] == "a \ud83d"


def test_a_request_of_another_provider_is_no_request_and_its_format_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}))
    with pytest.raises(UsageError, match="no messages under 'messages'; --format gemini has it judged"):
        read_requests(path, "anthropic")


@pytest.mark.parametrize("text", ["[]", '{"messages": []}', '{"a": 1}', "5"])
def test_a_file_without_messages_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="no messages"):
        read_requests(written(tmp_path, text), "anthropic")


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="is no JSON"):
        read_requests(written(tmp_path, '{"messages": [1,}'), "anthropic")


def test_a_torn_last_line_leaves_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, f'{json.dumps(HI)}\n{{"role": "us')
    assert read_requests(path, "anthropic") == ONLY
    assert ":2:" in capsys.readouterr().err


def test_a_format_is_detected_or_there_is_none(tmp_path: Path) -> None:
    assert detected_format(written(tmp_path, json.dumps([HI]))) == "openai-chat"
    assert detected_format(written(tmp_path, '[{"role": "wizard"}]')) is None


def test_the_same_file_is_known_by_any_path(tmp_path: Path) -> None:
    path = Path(written(tmp_path, "{}"))
    link = tmp_path / "link"
    link.symlink_to(path)
    assert is_same_file(str(path), link)
    assert not is_same_file(str(path), tmp_path / "other")
    assert not is_same_file("-", path)
