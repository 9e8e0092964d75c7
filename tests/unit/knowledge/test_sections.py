from __future__ import annotations

from clew.knowledge.sections import document_sections


def headings(text: str) -> list[tuple[str, ...]]:
    return [section.headings for section in document_sections(text, "markdown")]


def test_sections_have_the_headings_that_lead_to_them() -> None:
    text = "Intro\n# A\none\n## B\ntwo\n### C\nthree\n## D\nfour\n"
    assert headings(text) == [(), ("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]


def test_a_heading_without_a_text_leads_on_to_the_next() -> None:
    sections = document_sections("# A\n\n## B\ntext\n", "markdown")
    assert [(one.start, one.headings) for one in sections] == [(0, ("A", "B"))]


def test_underlined_and_wiki_headings_are_headings() -> None:
    assert headings("Title\n=====\none\n\nPart\n----\ntwo\n") == [("Title",), ("Title", "Part")]
    assert headings(" = Game = \nabout\n = = Plot = = \nstory\n") == [("Game",), ("Game", "Plot")]


def test_marks_in_code_are_no_headings() -> None:
    assert headings("# A\n```sh\n# comment\n```\ntext\n") == [("A",)]


def test_sections_cover_the_whole_text() -> None:
    text = "Intro\n# A\none\n## B\ntwo\n"
    sections = document_sections(text, "markdown")
    assert "".join(text[one.start : one.end] for one in sections) == text
    assert len(document_sections(text, "text")) == 1
