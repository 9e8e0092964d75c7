"""Files as text: Markdown, plain text, source code, HTML and PDF. What cannot be read is refused early."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from clew.knowledge.problems import ModuleProblem

#: How the texts of files are structured, by the endings of their names.
_FORMATS = {
    "markdown": (".md", ".markdown", ".mdx"),
    "text": (".txt", ".rst", ".adoc", ".org", ".log", ""),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
    "code": (
        *(".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".go", ".rs", ".java", ".kt", ".swift", ".c", ".h"),
        *(".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".lua", ".pl", ".sh", ".sql", ".toml", ".yaml", ".yml", ".json"),
    ),
}
FORMAT_OF = {ending: format for format, endings in _FORMATS.items() for ending in endings}
#: Bytes at the beginning that tell whether a file is text.
_HEAD_BYTES = 8_192
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class FileText:
    """What a file says, and how its text is structured (markdown, text or code)."""

    text: str
    format: str


def format_of(path: Path) -> str:
    """Returns the format that a file's name tells; empty for a file that no module is made of."""
    return FORMAT_OF.get(path.suffix.lower(), "") if path.suffix else ""


def read_file(path: Path, *, max_bytes: int) -> FileText:
    """Returns the text of a file; HTML and PDF become Markdown and plain text.

    Raises ModuleProblem for a file that is not there, empty, larger than ``max_bytes``, binary, or no UTF-8.
    """
    name, format = str(path), format_of(path) or "text"
    try:
        size = path.stat().st_size
        if size > max_bytes:
            limit = "knowledge.max_file_bytes"
            raise ModuleProblem(name, 0, f"it has {size:,} bytes, and {limit} allows {max_bytes:,}; split it")
        content = path.read_bytes()
    except OSError as error:
        raise ModuleProblem(name, 0, f"it cannot be read: {error.strerror}") from None
    if format == "pdf":
        from clew.knowledge.pdf_text import pdf_text

        return FileText(_ensure_text(pdf_text(content, name), name), "text")
    text = _ensure_text(decode_text(content, name), name)
    if format == "html":
        from clew.knowledge.html_text import html_text

        return FileText(_ensure_text(html_text(text), name), "markdown")
    return FileText(text, format)


def decode_text(content: bytes, name: str) -> str:
    """Returns bytes as text: UTF-8, or what a byte order mark names. Raises ModuleProblem with the line where not."""
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")
    if encoding != "utf-16" and b"\0" in content[:_HEAD_BYTES]:
        raise ModuleProblem(name, 0, "it is binary, not text")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ModuleProblem(name, line, f"it is no {encoding.upper()} text; save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _ensure_text(text: str, name: str) -> str:
    if not text.strip():
        raise ModuleProblem(name, 0, "it is empty")
    return text
