"""Listings: names stand by folder."""

from __future__ import annotations

from clew.curation.reducers import listings


def test_files_are_listed_folder_by_folder() -> None:
    text = "/home/ada/src/a.py\n/home/ada/src/b.py\n/home/ada/docs/c.md\n/home/ada/src/node_modules/x/y.js"

    assert listings.reduce(text, 1_000) == "in /home/ada:\nsrc/: a.py, b.py\ndocs/c.md\nsrc/node_modules/ (1 files)"


def test_folders_with_the_same_files_are_said_together() -> None:
    text = "\n".join(f"apps/{name}/models.py" for name in ("crane", "pilot", "quay"))

    assert listings.reduce(text, 1_000) == "apps/{crane,pilot,quay}/models.py"


def test_a_long_listing_keeps_names_and_sizes() -> None:
    text = "total 8\ndrwxr-xr-x 2 ada ada 4096 May  4 10:00 src\n-rw-r--r-- 1 ada ada 812 May  4 10:00 a.py"

    assert listings.reduce(text, 1_000) == "total 8\n./: src/, a.py 812"
