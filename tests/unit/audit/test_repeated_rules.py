"""Rules that people had to say again."""

from __future__ import annotations

from pathlib import Path

from clew.audit.run import Audit
from clew.audit.values import Finding, FindingKind
from tests.audited_session import Lines

RULE = "Never use `git push --force` in this project."


def repeated(folder: Path, *sessions: Lines) -> list[Finding]:
    paths = [str(one.write(folder / f"{at}.jsonl")) for at, one in enumerate(sessions)]
    audit = Audit()
    audit.find_files(paths)
    audit.read_figures(lambda _path: None)
    return audit.read_findings(lambda _path: None).of_kind(FindingKind.REPEATED)


def said(session: str, *texts: str, cwd: str = "/srv/shop") -> Lines:
    lines = Lines(session, cwd=cwd)
    for text in texts:
        lines.says(text)
        lines.answers("All right.")
    return lines


def test_a_rule_said_in_two_sessions_of_a_folder_was_repeated(tmp_path: Path) -> None:
    (found,) = repeated(tmp_path, said("a", RULE), said("b", f"Tidy up.\n{RULE}"), said("c", RULE, cwd="/srv/other"))
    assert found.how == "said 2 times in 2 sessions"
    assert [Path(one.source).name for one in found.evidence] == ["0.jsonl", "1.jsonl"]


def test_a_rule_said_again_in_one_session_was_repeated(tmp_path: Path) -> None:
    (found,) = repeated(tmp_path, said("a", RULE, f"As I said: {RULE} Now tidy up."))
    assert [one.message for one in found.evidence] == ["m1", "m3"]


def test_the_core_of_a_rule_said_again_is_a_repetition_and_its_opposite_is_none(tmp_path: Path) -> None:
    first = "From now on no offline synchronisation."
    again = "Nobody uses the baskets yet, so from now on no offline synchronisation please."
    (found,) = repeated(tmp_path, said("a", first), said("b", again))
    assert found.how == "said 2 times in 2 sessions"
    opposite = "From now on always keep offline synchronisation."
    assert repeated(tmp_path, said("a", first), said("b", opposite)) == []


def test_a_message_that_was_sent_again_repeats_no_rule(tmp_path: Path) -> None:
    request = f"Move the taxes of all baskets into a module of their own, with tests for each country.\n{RULE}"
    assert repeated(tmp_path, said("a", request), said("b", request)) == []
