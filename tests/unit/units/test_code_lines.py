"""Of code a reader gets what tells something."""

from __future__ import annotations

from clew.units.code_lines import telling_code

GO_TEST = 'package shop\n\nimport (\n\t"testing"\n)\n\nfunc TestTotal(t *testing.T) {\n' + "\tcheck(t)\n" * 8 + "}\n"


def test_imports_and_bare_braces_are_left_out() -> None:
    assert telling_code("import os\nfrom shop import cart\n\ntotal = 1\n}\n", "a.py") == "total = 1"
    assert telling_code('\t"strings"\n\t"time"\n', "a.go") == ""


def test_of_many_lines_of_tests_their_names_are_kept() -> None:
    assert telling_code(GO_TEST, "shop/cart_test.go") == "func TestTotal(t *testing.T)"
    assert "check(t)" in telling_code(GO_TEST, "shop/cart.go")
    assert (
        telling_code("def test_a():\n    assert total == 3", "tests/test_a.py")
        == "def test_a():\n    assert total == 3"
    )
