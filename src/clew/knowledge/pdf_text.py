"""PDF as plain text, page by page. It needs the extra ``pdf``."""

from __future__ import annotations

from io import BytesIO

from clew.knowledge.problems import ModuleProblem


def pdf_text(content: bytes, name: str) -> str:
    """Returns the text of a PDF, pages apart by a blank line. Raises ModuleProblem for one that cannot be read."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise ModuleProblem(name, 0, "PDF needs an extra; pip install 'clew[pdf]'") from None
    try:
        pages = [page.extract_text() or "" for page in PdfReader(BytesIO(content)).pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise ModuleProblem(name, 0, f"it is no PDF that can be read: {type(error).__name__}") from None
    return "\n\n".join(page.strip() for page in pages if page.strip())
