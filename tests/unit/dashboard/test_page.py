"""The files of the page: which are served, under which rules, and that those of others are as they were published."""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.stores("memory")
STATIC = files("clew.dashboard") / "static"
#: Files of other projects, as they were published.
VENDORED = {
    "htm-preact-3.1.1.js": "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7",
    "uplot-1.6.32.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uplot-1.6.32.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}


def test_the_page_is_served_with_its_own_files_alone(page: TestClient) -> None:
    answer = page.get("/")
    assert answer.headers["content-type"].startswith("text/html")
    named = re.findall(r'(?:src|href)="([^"#]+)"', answer.text)
    assert named
    for path in named:
        assert page.get(path).status_code == 200, path
    for path in ("/page/nothing.js", "/page/../routes.py", "/page/vendor/../../routes.py", "/page/%2e%2e/endpoint.py"):
        assert page.get(path).status_code == 404


def test_nothing_from_elsewhere_can_run_or_be_loaded(page: TestClient) -> None:
    policy = page.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    html = page.get("/").text
    assert not re.search(r"<script(?![^>]*\ssrc=)", html)
    assert not re.search(r"\son\w+=|style=", html)


def test_scripts_import_each_other_and_read_no_text_as_markup() -> None:
    for script in STATIC.iterdir():
        if not script.name.endswith(".js"):
            continue
        code = script.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|eval\(", code)
        assert "http://" not in code
        assert "https://" not in code
        for name in re.findall(r'from "\./([^"]+)"', code):
            assert STATIC.joinpath(name).is_file(), name


def test_text_can_be_read_in_light_and_dark() -> None:
    css = (STATIC / "style.css").read_text(encoding="utf-8")
    modes = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in re.findall(r"\{[^{}]*--ground:[^{}]*\}", css)
    ]
    assert len(modes) == 3
    for colors in modes:
        for text in ("ink", "dim", "accent", "good", "warning", "critical"):
            for ground in ("ground", "panel", "soft"):
                assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground, colors["ground"])


def contrast(one: str, other: str) -> float:
    """The ratio of contrast, as WCAG defines it."""
    dark, light = sorted(luminance(color) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    shares = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_files_of_others_are_as_they_were_published() -> None:
    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in (STATIC / "vendor").iterdir()}
    assert found == VENDORED
    notice = Path(__file__).parents[3].joinpath("NOTICE").read_text(encoding="utf-8")
    for name in ("htm 3.1.1", "uPlot 1.6.32", "Preact"):
        assert name in notice
