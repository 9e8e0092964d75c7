from __future__ import annotations

import sys

import pytest

from clew.knowledge.pdf_text import pdf_text
from clew.knowledge.problems import ModuleProblem

PAGE = b"BT /F1 12 Tf 10 100 Td (Rotate the keys) Tj ET"
PDF = b"".join(
    [
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R",
        b"/Resources<</Font<</F1 5 0 R>>>>>>endobj\n",
        b"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n" % (len(PAGE), PAGE),
        b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R/Size 6>>\n%%EOF\n",
    ]
)


def test_the_text_of_pages_is_read() -> None:
    pytest.importorskip("pypdf")
    assert pdf_text(PDF, "a.pdf") == "Rotate the keys"


def test_what_is_no_pdf_is_told() -> None:
    pytest.importorskip("pypdf")
    with pytest.raises(ModuleProblem, match="no PDF that can be read"):
        pdf_text(b"%PDF-1.4 nothing", "a.pdf")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(ModuleProblem, match=r"pip install 'clew\[pdf\]'"):
        pdf_text(PDF, "a.pdf")
