"""Settings: which source wins, and what is said when one is wrong."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from clew.config import Config, ModelsConfig, load, range_of, with_settings
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


def test_the_environment_has_tables_as_files_have_them(tmp_path: Path) -> None:
    text = 'local = {url = "http://127.0.0.1:8080/v1", models = "qwen* llama*"}'
    config = load(cwd=tmp_path, env=env(tmp_path, CLEW_GATEWAY__UPSTREAMS=text, CLEW_PRICES='"my-model" = {input = 2}'))
    assert config.gateway.upstreams == {"local": {"url": "http://127.0.0.1:8080/v1", "models": "qwen* llama*"}}
    assert config.prices == {"my-model": {"input": 2}}
    with pytest.raises(UsageError, match=r"gateway.upstreams in the environment must be tables in TOML"):
        load(cwd=tmp_path, env=env(tmp_path, CLEW_GATEWAY__UPSTREAMS="anthropic=http://127.0.0.1:8080"))


def test_shares_are_summed_up_when_all_sources_are_in(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("[packing]\nknowledge_share = 0.5\n")
    config = load(cwd=tmp_path, env=env(tmp_path, CLEW_PACKING__CONVERSATION_SHARE="0.25"))
    assert (config.packing.knowledge_share, config.packing.conversation_share) == (0.5, 0.25)


MODELS = "[models]\nmodel = 'local/qwen3'\nbase_url = 'http://127.0.0.1:1'\n"


def home(folder: Path) -> Path:
    (folder / "home" / "clew").mkdir(parents=True)
    return folder / "home" / "clew" / "config.toml"


def test_the_user_chooses_the_model(tmp_path: Path) -> None:
    home(tmp_path).write_text(MODELS)
    assert load(cwd=tmp_path, env=env(tmp_path)).models == ModelsConfig("local/qwen3", "http://127.0.0.1:1")


def test_so_do_the_environment_and_the_call(tmp_path: Path) -> None:
    home(tmp_path).write_text(MODELS)
    given = env(tmp_path, CLEW_MODELS__BASE_URL="http://127.0.0.1:2", CLEW_MODELS__CALLS_PER_HOUR="5")
    config = load(cwd=tmp_path, env=given, models={"model": "local/llama", "window": 8_192})
    assert config.models == ModelsConfig("local/llama", "http://127.0.0.1:2", 8_192, calls_per_hour=5)


@pytest.mark.parametrize("name", ["clew.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "setting",
    ["model = 'claude-opus-5'", "base_url = 'https://evil.example'", "window = 1", "tokens_per_hour = 0", ""],
)
def test_a_cloned_project_chooses_no_model_no_address_and_no_limit(tmp_path: Path, name: str, setting: str) -> None:
    table = "[models]" if name == "clew.toml" else "[tool.clew.models]"
    (tmp_path / name).write_text(f"{table}\n{setting}\n")
    with pytest.raises(UsageError, match=rf"\[models\] in .*{name}: a project cannot .* set it in .*config\.toml"):
        load(cwd=tmp_path, env=env(tmp_path))


def test_a_project_may_set_the_rest_beside_the_users_model(tmp_path: Path) -> None:
    home(tmp_path).write_text(MODELS)
    (tmp_path / "clew.toml").write_text("[segments]\nmax_tokens = 3\n")
    config = load(cwd=tmp_path, env=env(tmp_path))
    assert (config.models.model, config.segments.max_tokens) == ("local/qwen3", 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [("WINDOW", "-1"), ("CALLS_PER_HOUR", "-5"), ("TIMEOUT_SECONDS", "nan"), ("TIMEOUT_SECONDS", "inf")],
)
def test_limits_are_numbers_from_0_on(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(UsageError, match=rf"models\.{name.lower()} must be 0 or more, not {value}"):
        load(cwd=tmp_path, env=env(tmp_path, **{f"CLEW_MODELS__{name}": value}))


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


def test_every_number_has_a_range_and_what_is_beyond_it_is_refused() -> None:
    seen = 0
    for table in fields(Config):
        node = getattr(Config(), table.name)
        for one in fields(node) if is_dataclass(node) else ():
            if (bounds := range_of(one.default)) is None:
                continue
            seen += 1
            name, kind = f"{table.name}.{one.name}", type(one.default)
            for wrong in (-1, 7) if bounds[1] == 1 else (-1,):
                with pytest.raises(UsageError, match=rf"{name} must be|must be from 0 to 1.*{one.name} {wrong}"):
                    with_settings(Config(), {name: kind(wrong)})
    assert seen > 40
