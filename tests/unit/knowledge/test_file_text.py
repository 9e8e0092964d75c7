from __future__ import annotations

from pathlib import Path

import pytest

from clew.knowledge.file_text import FileText, format_of, read_file
from clew.knowledge.problems import ModuleProblem

LIMIT = 1_000_000


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_files_are_read_by_their_endings(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, "a.md", b"# A\r\nb"), max_bytes=LIMIT) == FileText("# A\nb", "markdown")
    assert read_file(written(tmp_path, "a.py", b"x = 1"), max_bytes=LIMIT) == FileText("x = 1", "code")
    page = read_file(written(tmp_path, "a.html", b"<h1>A</h1><p>b"), max_bytes=LIMIT)
    assert page == FileText("# A\n\nb", "markdown")
    assert [format_of(Path(name)) for name in ("a.png", "a.PDF", "Makefile")] == ["", "pdf", ""]


def test_a_byte_order_mark_names_the_encoding(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, "a.txt", "Grüße".encode("utf-16")), max_bytes=LIMIT).text == "Grüße"
    assert read_file(written(tmp_path, "b.txt", "Grüße".encode("utf-8-sig")), max_bytes=LIMIT).text == "Grüße"


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        (b"", 0, "it is empty"),
        (b" \n\n", 0, "it is empty"),
        (b"a\x00b", 0, "it is binary"),
        (b"one\ntwo\nGr\xfc\xdfe\n", 3, "no UTF-8 text"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, line: int, told: str) -> None:
    with pytest.raises(ModuleProblem, match=told) as caught:
        read_file(written(tmp_path, "a.txt", content), max_bytes=LIMIT)
    assert caught.value.line == line


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.md"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(ModuleProblem, match="1,073,741,824 bytes"):
        read_file(path, max_bytes=LIMIT)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModuleProblem, match="cannot be read"):
        read_file(tmp_path / "none.md", max_bytes=LIMIT)
