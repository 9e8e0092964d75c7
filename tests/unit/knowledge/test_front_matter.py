from __future__ import annotations

import pytest

from clew.knowledge.front_matter import split_front_matter
from clew.knowledge.problems import ModuleProblem


def test_a_head_is_taken_as_it_is_written() -> None:
    head = split_front_matter(
        "---\nid: deploy\nversion: 1.10\nlast_updated: 2026-01-02\ntags: [a, b, a]\ndependencies: base\n---\nText\n",
        "x.md",
    )
    assert head.values == {
        "id": "deploy",
        "version": "1.10",
        "last_updated": "2026-01-02",
        "tags": ("a", "b"),
        "dependencies": ("base",),
    }
    assert (head.body, head.body_line, head.lines["version"]) == ("Text\n", 8, 3)


def test_a_text_without_a_head_is_all_body() -> None:
    assert split_front_matter("Just text\n---\n", "x.md").body == "Just text\n---\n"


@pytest.mark.parametrize(
    ("head", "line", "told"),
    [
        ("---\nid: a\nno end", 1, "no end"),
        ("---\nid: a\nname: [one\n---\n", 4, "broken front matter"),
        ("---\nid: a\n\tname: b\n---\n", 3, "broken front matter"),
        ("---\nid: a\nid: b\n---\n", 3, "given twice"),
        ("---\nid: a\ncolour: red\n---\n", 3, "no module has 'colour'"),
        ("---\nid: a b\n---\n", 2, "an id has letters"),
        ("---\nid: a\npriority: urgent\n---\n", 3, "priority is one of high, medium, low"),
        ("---\nid: a\nlast_updated: soon\n---\n", 3, "is a date"),
        ("---\nid: a\ntoken_count: many\n---\n", 3, "number of tokens"),
        ("---\nid: a\ntags:\n  - b\n  - {c: d}\n---\n", 5, "list of words"),
        ("---\n- a\n---\n", 2, "`name: value` lines"),
        ("---\nid: &x a\nname: *x\n---\n", 2, "anchors"),
        ("---\nid: a\nname: !!python/object:os.system b\n---\n", 3, "tags"),
        ("---\nid: a\nname: {b: c}\n---\n", 3, "one value"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(head: str, line: int, told: str) -> None:
    with pytest.raises(ModuleProblem, match=told) as caught:
        split_front_matter(head, "x.md")
    assert (caught.value.line, str(caught.value).startswith(f"x.md:{line}: ")) == (line, True)


def test_deep_nesting_is_told_and_crashes_nothing() -> None:
    for nested in ("[" * 20_000, "{a: " * 10_000):
        with pytest.raises(ModuleProblem, match=r"x\.md:2: .* nested too deeply"):
            split_front_matter(f"---\nname: {nested}\n---\n", "x.md")
