"""The digests of packs are the same in every run, and there is one for each target and budget."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bench import digests

from clew.codecs import registry
from clew.samples import sample

_LINE = re.compile(r"\S+ \S+ [a-z-]+ \d+: (\d+ tokens, epoch \d+, sha256:[0-9a-f]{64}|refused, .+)")


def test_a_pack_has_the_same_digest_in_every_run() -> None:
    first, second = (digests.digest_lines(sample(), targets=["text", "anthropic"], budgets=[2_500]) for _ in range(2))
    assert first == second
    assert [line.split(":")[0].split()[2:] for line in first] == [["text", "2500"], ["anthropic", "2500"]]
    assert all(_LINE.fullmatch(line) for line in first)


@pytest.mark.thorough
def test_a_budget_that_is_too_small_is_told_as_refused() -> None:
    (line,) = digests.digest_lines(sample(), targets=["anthropic"], budgets=[10])
    assert "10: refused, " in line


def test_a_file_has_a_line_for_each_target_and_budget(tmp_path: Path) -> None:
    talk, found = tmp_path / "talk.json", tmp_path / "new" / "found.txt"
    talk.write_text(json.dumps([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes?"}]))
    digests.write_digests(found, [talk])
    lines = found.read_text().splitlines()
    assert len({line.partition(":")[0] for line in lines}) == len(lines) == 3 * (1 + len(registry.PROVIDERS))
    assert all(_LINE.fullmatch(line) for line in lines)
