"""Each file has one name, however it is mentioned."""

from __future__ import annotations

from clew.packing.path_resolver import PathResolver, common_root


def test_a_file_below_the_root_is_named_from_there() -> None:
    assert PathResolver("/home/ana/shop").resolve("/home/ana/shop/src/cart.py") == "src/cart.py"


def test_a_tail_that_fits_one_known_file_means_that_file() -> None:
    places = PathResolver("/home/ana/shop", ["/home/ana/shop/src/cart/total.py"])
    assert places.resolve("cart/total.py") == "src/cart/total.py"


def test_a_tail_that_fits_two_files_stays_what_it_is() -> None:
    places = PathResolver("", ["a/cart/total.py", "b/cart/total.py"])
    assert places.resolve("cart/total.py") == "cart/total.py"


def test_a_path_from_an_unknown_folder_is_a_file_only_when_its_tail_is_known() -> None:
    places = PathResolver("/home/ana/shop", ["/home/ana/shop/src/cart/total.py"])
    assert places.resolve_mention("../../cart/total.py") == "src/cart/total.py"
    assert places.resolve_mention("../cart/other.py") == ""


def test_the_root_is_the_deepest_folder_that_all_share() -> None:
    assert common_root(["/home/ana/shop/src/a.py", "/home/ana/shop/src/b/c.py", "relative.py"]) == "/home/ana/shop/src"
    assert common_root(["/home/a.py", "/srv/b.py"]) == ""
    assert common_root([]) == ""
