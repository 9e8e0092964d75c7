"""What is repaired is written only when it can be read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.cli.check_request.judged import (
    JudgedRequest,
    Terms,
    findings_of,
    refuse_bad_output,
    requests_to_judge,
    write_repaired,
)
from clew.errors import NotFound, StorageError, UsageError

TERMS = Terms("openai-responses", final=False, dialect=None)


def repaired_as(body: dict[str, Any]) -> JudgedRequest:
    return JudgedRequest("", "a file", body, lambda _terms: (body, ()), is_own=True)


def test_a_result_that_cannot_be_read_back_is_not_written(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_bytes(b"old")
    with pytest.raises(StorageError, match="is not written, as it could not be read back"):
        write_repaired([repaired_as({"input": []})], TERMS, out)
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


def test_one_conversation_is_written_and_no_more(tmp_path: Path) -> None:
    body = {"input": [{"role": "user", "content": "hi"}]}
    with pytest.raises(UsageError, match="there are 2"):
        write_repaired([repaired_as(body)] * 2, TERMS, tmp_path / "out.json")


def test_one_of_several_conversations_is_chosen_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    path.write_text('[{"id": "a", "messages": [{"role": "user", "content": "1"}]}, [{"role": "user", "content": "2"}]]')
    with requests_to_judge(f"{path}#2", None, "anthropic", "auto") as found:
        assert [one.request["messages"][0]["content"] for one in found] == ["2"]
    with pytest.raises(NotFound, match="there is a, 2"), requests_to_judge(f"{path}#c", None, "anthropic", "auto"):
        pass


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text("{}")
    for out, repair in ((None, True), (path, False), (path, True)):
        with pytest.raises(UsageError):
            refuse_bad_output(str(path), out, repair=repair, overwrite=False)
    refuse_bad_output(str(path), path, repair=True, overwrite=True)


def test_a_request_that_names_its_model_is_complete_and_a_history_goes_on(tmp_path: Path) -> None:
    talk = '"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]'
    path, terms = tmp_path / "request.json", Terms("anthropic", final=False, dialect=None)
    for model, rules_found in (("", []), ("claude-sonnet-5", ["A13"]), ("claude-opus-4-1", [])):
        path.write_text(f'{{"model": "{model}", {talk}}}')
        with requests_to_judge(str(path), None, "anthropic", "auto") as found:
            assert [one.rule for one in findings_of(found[0], terms)] == rules_found
            write_repaired(found, terms, tmp_path / "out.json")
        assert ("Continue." in (tmp_path / "out.json").read_text()) is bool(rules_found)
