import subprocess
import sys
from pathlib import Path

import pytest

from clew.codecs import registry
from clew.codecs.registry import FORMATS, PROVIDERS, codec, codec_for_file, detect, encoder
from clew.errors import UnreadableSource, UsageError
from tests.codec_examples import EXAMPLES


@pytest.mark.parametrize("name", [*FORMATS, "vscode-chat"])
def test_every_format_has_a_codec_of_its_name(name: str) -> None:
    assert codec(name).name == name


@pytest.mark.parametrize("name", [*PROVIDERS, "clew"])
def test_every_provider_can_be_written_to(name: str) -> None:
    assert encoder(name).name == name


def test_an_unknown_format_is_answered_with_the_nearest_and_all() -> None:
    with pytest.raises(UsageError) as caught:
        codec("Claude")
    assert str(caught.value) == (
        "no format 'Claude' (did you mean claude-code?); there are anthropic, openai-chat, openai-responses, gemini, "
        "claude-code, codex, cline, copilot, gemini-cli, opencode, swe-agent, aider, specstory, clew"
    )


def test_a_format_that_is_only_read_says_what_can_be_written() -> None:
    with pytest.raises(UsageError, match=r"no format 'word'; there are anthropic, .*gemini, claude-code, codex, clew$"):
        registry.encoder("word")
    with pytest.raises(UsageError, match=r"aider is read but not written; there are anthropic, .*clew"):
        encoder("aider")
    with pytest.raises(UsageError, match=r"codex is a session file, not a request"):
        encoder("codex")
    with pytest.raises(UsageError, match=r"session files of aider are not written; there are claude-code, codex$"):
        registry.session_writer("aider")


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (b"", "a.x is empty; name a file that holds a conversation"),
        (b"\x7fELF\x02", "a.x is binary, not text; name a session file or a JSON file of messages"),
        (
            b"# Notes\n\nnothing here\n",
            "a.x is in no format known here; name its format, one of " + ", ".join(FORMATS),
        ),
        (
            b'{"name":"package","version":"1.0"}',
            "a.x is in no format known here; name its format, one of " + ", ".join(FORMATS),
        ),
    ],
)
def test_what_is_no_transcript_is_refused_in_one_sentence(head: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableSource) as caught:
        detect(head, "a.x")
    assert str(caught.value) == sentence


def test_copilot_is_the_name_of_two_formats() -> None:
    assert codec_for_file("copilot", EXAMPLES["copilot"].file).name == "copilot"
    assert codec_for_file("copilot", EXAMPLES["vscode-chat"].file).name == "vscode-chat"
    assert codec_for_file("cline", EXAMPLES["vscode-chat"].file).name == "cline"


def test_codecs_are_imported_when_they_are_needed() -> None:
    program = (
        "import sys; from clew.codecs import registry\n"
        "places = ('clew.codecs.providers.', 'clew.codecs.transcripts.')\n"
        "print([name for name in sys.modules if name.startswith(places)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_codec_is_tried_when_a_file_is_judged() -> None:
    assert {*registry._OF_JSON, *registry._OF_TEXT} == {*FORMATS, "vscode-chat"}


def test_every_format_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text()
    assert [name for name in FORMATS if f"| `{name}` |" not in page] == []
