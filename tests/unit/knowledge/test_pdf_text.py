from __future__ import annotations

import sys

import pytest

from clew.knowledge.pdf_text import pdf_text
from clew.knowledge.problems import ModuleProblem

PAGE = b"BT /F1 12 Tf 10 100 Td (Rotate the keys) Tj ET"
OBJECTS = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    b"<</Length %d>>stream\n%s\nendstream" % (len(PAGE), PAGE),
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
)


def pdf() -> bytes:
    """The smallest file of one page."""
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(OBJECTS, 1):
        places.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj%s endobj\n" % (number, one)
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(places)
    return out + table + b"trailer<</Root 1 0 R/Size 6>>\nstartxref\n%d\n%%%%EOF\n" % len(out)


def test_the_text_of_pages_is_read() -> None:
    pytest.importorskip("pypdf")
    assert pdf_text(pdf(), "a.pdf") == "Rotate the keys"


def test_what_is_no_pdf_is_told() -> None:
    pytest.importorskip("pypdf")
    with pytest.raises(ModuleProblem, match="no PDF that can be read"):
        pdf_text(b"%PDF-1.4 nothing", "a.pdf")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(ModuleProblem, match=r"pip install 'clew\[pdf\]'"):
        pdf_text(pdf(), "a.pdf")
