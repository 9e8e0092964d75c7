import gzip
import io
import os
import socket
import sys
from pathlib import Path

import pytest

from clew.codecs.sources import open_source, peek, zstd_module
from clew.errors import ClewError, NotFound, UnreadableSource

TEXT = b'{"role":"user","content":"hi"}\n' * 10_000


def read(path: Path) -> bytes:
    with open_source(path) as stream:
        return stream.read()


def refusal(path: Path | str) -> str:
    """The sentence with which a source is refused; it is one line."""
    with pytest.raises(ClewError) as caught, open_source(path):
        pass
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert isinstance(caught.value, NotFound | UnreadableSource)
    return sentence


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", TEXT),
        ("a.jsonl.gz", gzip.compress(TEXT, mtime=0)),
        ("a.jsonl.zst", zstd_module().compress(TEXT)),
        ("a.jsonl", gzip.compress(TEXT, mtime=0)),
        ("a.txt", zstd_module().compress(TEXT[:100_000]) + zstd_module().compress(TEXT[100_000:])),
        ("a.txt", gzip.compress(TEXT[:100_000], mtime=0) + gzip.compress(TEXT[100_000:], mtime=0) + bytes(512)),
    ],
)
def test_a_file_is_read_plain_or_compressed_whatever_its_name(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name) == TEXT


def test_looking_at_the_head_takes_nothing_away(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXT, mtime=0))
    with open_source(tmp_path / "a.gz") as stream:
        assert peek(stream) == TEXT[:65536]
        assert peek(stream, 5) == TEXT[:5]
        assert stream.read() == TEXT


def test_any_stream_that_can_go_back_can_be_peeked_into() -> None:
    stream = io.BytesIO(b"abcdef")
    stream.read(1)
    assert (peek(stream, 3), stream.read()) == (b"bcd", b"bcdef")


def test_a_plain_file_can_be_read_on_from_a_place(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(TEXT)
    with open_source(tmp_path / "a.jsonl") as stream:
        peek(stream)
        assert stream.seek(31) == 31
        assert stream.read() == TEXT[31:]


@pytest.mark.parametrize("compress", [gzip.compress, zstd_module().compress])
def test_a_compressed_file_that_was_cut_short_gives_what_is_there(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    noise = b"".join(b'{"n":"%s"}\n' % os.urandom(40).hex().encode() for _ in range(20_000))
    whole = compress(noise)
    (tmp_path / "a").write_bytes(whole[: len(whole) // 2])
    with open_source(tmp_path / "a") as stream:
        found = stream.read()
    assert 0 < len(found) < len(noise)
    assert noise.startswith(found)


@pytest.mark.parametrize(
    "content",
    [gzip.compress(TEXT, mtime=0)[:-8] + b"sum!size", zstd_module().compress(TEXT)[:20] + b"\xff" * 1000],
)
def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(UnreadableSource, match="is damaged"), open_source(tmp_path / "a") as stream:
        stream.read()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path} is a folder; name the files in it, such as {tmp_path}/*.jsonl"


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a") == f"no file {tmp_path}/a; check the path"


@pytest.mark.parametrize("content", [b"", b" \n\t", b"\xef\xbb\xbf", b"\x00\x00\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert refusal(tmp_path / "a") == f"{tmp_path}/a is empty; name a file that holds a conversation"


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n", b"SQLite format 3\x00 and text", b"PK\x03\x04 text", bytes(range(1, 256)) * 40],
)
def test_a_binary_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert "is binary" in refusal(tmp_path / "a")


def test_utf_16_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{}", "utf-16")
    assert "UTF-16" in refusal(tmp_path / "a")


@pytest.mark.parametrize(
    "content",
    [
        b'{"a":1}\n' + b"\x00" * 4096,
        b"\x00\x00" + b'{"a":1}',
        '{"a":"日本語 é 🎉"}'.encode(),
        b'{"a":"\x1b[31mred\x1b[0m"}',
        ("日" * 40_000).encode(),
        b'{"name":"caf\xe9, cr\xe8me, na\xefve and more words of plain text around them"}',
    ],
)
def test_text_with_traces_of_a_crash_colours_or_other_scripts_is_text(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert read(tmp_path / "a") == content


def test_pipes_sockets_and_devices_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "sock"))
        for odd in (tmp_path / "pipe", tmp_path / "sock", "/dev/zero", "/dev/null"):
            assert "is a pipe or device" in refusal(odd)


def test_a_path_that_no_system_takes_is_refused() -> None:
    assert "cannot be opened" in refusal("a\x00b")
    assert "cannot be opened" in refusal("a" * 5000)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as out:
        out.write(b"{}\n")
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with open_source("-") as stream:
            assert (peek(stream), stream.read()) == (b"{}\n", b"{}\n")
        assert not stdin.closed
