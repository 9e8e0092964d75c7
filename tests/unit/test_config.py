"""Settings: which source wins, and what is said when one is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.config import Config, load
from clew.errors import UsageError


def env(folder: Path, **values: str) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(folder / "home"), **values}


def test_defaults_stand_when_nothing_is_said(tmp_path: Path) -> None:
    assert load(cwd=tmp_path, env=env(tmp_path)) == Config()


def test_the_nearer_source_wins(tmp_path: Path) -> None:
    (tmp_path / "home" / "clew").mkdir(parents=True)
    (tmp_path / "home" / "clew" / "config.toml").write_text("tenant = 'u'\nuser = 'u'\n[segments]\nmax_tokens = 1\n")
    (tmp_path / "pyproject.toml").write_text("[tool.clew]\ntenant = 'p'\nsegments.max_tokens = 2\n")
    (tmp_path / "clew.toml").write_text("[segments]\nmax_tokens = 3\n")
    config = load(cwd=tmp_path, env=env(tmp_path, CLEW_STORE="env.db"), store="call.db")
    assert (config.user, config.tenant, config.segments.max_tokens, config.store) == ("u", "p", 3, "call.db")


def test_the_environment_reaches_nested_settings(tmp_path: Path) -> None:
    config = load(cwd=tmp_path, env=env(tmp_path, CLEW_STORAGE__MASK_SECRETS="yes", CLEW_SEGMENTS__MAX_TOKENS="9"))
    assert (config.storage.mask_secrets, config.segments.max_tokens) == (True, 9)


def test_shares_are_summed_up_when_all_sources_are_in(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("[packing]\nknowledge_share = 0.5\n")
    config = load(cwd=tmp_path, env=env(tmp_path, CLEW_PACKING__CONVERSATION_SHARE="0.25"))
    assert (config.packing.knowledge_share, config.packing.conversation_share) == (0.5, 0.25)


def test_variables_of_others_are_left_alone(tmp_path: Path) -> None:
    assert load(cwd=tmp_path, env=env(tmp_path, CLEW_BENCH_DATA="/x")) == Config()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stroe = 'x'", "did you mean store"),
        ("[segments]\nmax_token = 3", "did you mean segments.max_tokens"),
        ("[segments]\nmax_tokens = 'many'", "must be of type int"),
        ("segments = 3", "must be a table"),
        ("store = [", "is not valid TOML"),
        (
            "[packing]\nknowledge_share = 0.5",
            "packing settings must add up to 1, not 1.05: system_share 0.15, knowledge",
        ),
        ("[packing]\nhigh_query_share = 0.2", "must add up to 1, not 1.1: high_system_share 0.1"),
        ("[packing]\nquery_share = nan", "must be from 0 to 1"),
    ],
)
def test_a_wrong_setting_is_a_clear_error(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "clew.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        load(cwd=tmp_path, env=env(tmp_path))
