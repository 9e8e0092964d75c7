"""Where the tokens of a session went."""

from __future__ import annotations

from pathlib import Path

from clew.audit.recorded_session import read_sessions
from clew.audit.token_use import KIND, TOOL, TokenUse, part_sizes, token_use
from tests.audited_session import shop


def used(folder: Path) -> TokenUse:
    session = read_sessions(str(shop().write(folder / "s.jsonl"))).sessions[0]
    return token_use(session, part_sizes(session))


def test_every_token_is_of_one_kind_and_the_messages_behind_a_figure_add_up(tmp_path: Path) -> None:
    use = used(tmp_path)
    kinds = use.figures_of(KIND)
    assert set(kinds) == {"tool outputs", "tool calls", "user's words", "agent's words", "summaries"}
    assert sum(one.tokens for one in kinds.values()) == use.tokens
    for one in use.figures.values():
        assert sum(one.messages.values()) == one.tokens
    tools = use.figures_of(TOOL)
    assert {name: one.calls for name, one in tools.items()} == {"Read": 3, "Bash": 2, "Edit": 1}
    assert list(tools["Read"].messages) == [2, 3, 4, 5, 9, 10]


def test_tokens_are_sent_with_every_later_request_until_a_compaction(tmp_path: Path) -> None:
    use = used(tmp_path)
    words = use.figures["kind:user's words"]
    assert words.sent == 3 * words.tokens  # three replies before the compaction
    summary = use.figures["kind:summaries"]
    assert summary.sent == 4 * summary.tokens
