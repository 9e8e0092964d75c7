"""The JSON API: what each path tells of a session, what changes it, and what is refused."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from clew.dashboard import events
from clew.dashboard.endpoint import Endpoint
from clew.dashboard.pack_views import KeptLine, kept_lines
from clew.dashboard.replays import Replays
from clew.dashboard.routes import ENDPOINTS
from clew.domain import Message, Role, Text, Usage
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.gateway.upstreams import upstreams_of
from clew.samples import sample
from clew.server.access_tokens import AccessTokens
from clew.server.application import make_application
from clew.server.guard import GuardRules
from tests.builders import call, gives, output, says, user

pytestmark = pytest.mark.stores("memory")
KEY = "sk-ant-api03-" + "a1B2c3D4" * 11


def talk(engine: Engine, id: str = "fix-login", *, steps: int = 12) -> Session:
    """A session with a rule and some work."""
    session = engine.session(id, model="claude-sonnet-5", window=200_000, cwd="/home/ana/shop", client="claude-code")
    session.record([user("Never edit files under vendor/. Why does the login fail?")])
    for step in range(steps):
        text = "\n".join(f"line {line}: token {step} expired" for line in range(60))
        session.record([says(f"I look at part {step}.", call(f"c{step}", path=f"src/login_{step}.py"))])
        session.record([gives(output(f"c{step}", text))])
    session.record([says("The token expired: the clock of the server is two hours off.")])
    return session


def get(page: TestClient, path: str, status: int = 200, **query: Any) -> Any:
    answer = page.get(f"/api/{path}", params=query)
    assert answer.status_code == status, answer.text
    return answer.json()


def post(page: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = page.post(f"/api/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_sessions_are_listed_by_project_client_and_words(engine: Engine, page: TestClient) -> None:
    talk(engine, steps=1)
    engine.session("other", cwd="/home/ana/blog", client="codex").record([user("Write about tea.")])
    found = get(page, "sessions")
    assert [row["session"]["id"] for row in found["sessions"]] == ["other", "fix-login"]
    assert found["total"] == 2
    assert found["projects"] == {"shop": 1, "blog": 1}
    for query in ({"project": "shop"}, {"client": "claude-code"}, {"words": "LOGIN fail"}):
        assert [row["session"]["id"] for row in get(page, "sessions", **query)["sessions"]] == ["fix-login"]
    assert [row["session"]["id"] for row in get(page, "sessions", offset=1)["sessions"]] == ["fix-login"]


def test_sessions_that_were_just_imported_are_listed_before_they_are_read(
    engine: Engine, page: TestClient, tmp_path: Path
) -> None:
    lines = [{"role": "user", "content": f"part {number}: it takes {number} minutes"} for number in range(500)]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(lines))
    engine.import_file(file, session="new", project=False)
    talk(engine, "known", steps=1)
    first = {row["session"]["id"]: row["session"] for row in get(page, "sessions")["sessions"]}
    assert (first["known"]["health"], first["new"]["health"]) == ("good", "unknown")
    assert (first["new"]["messages"], first["new"]["tokens"]) == (500, 0)
    engine.wait()
    listed = {row["session"]["id"]: row["session"] for row in get(page, "sessions")["sessions"]}
    assert listed["new"]["tokens"] > 500
    assert listed == {one.id: json.loads(json.dumps(asdict(one))) for one in engine.sessions()}


def test_what_requests_cost_is_told_where_it_is_known(engine: Engine, page: TestClient) -> None:
    session = engine.session("paid", model="claude-sonnet-5")
    session.record([user("Hello")])
    session.record([Message(role=Role.ASSISTANT, parts=(Text(text="Hi"),), usage=Usage(input_tokens=1_000_000))])
    engine.session("unpaid").record([user("Hello")])
    costs = {row["session"]["id"]: row["cost"] for row in get(page, "sessions")["sessions"]}
    assert costs["paid"] > 0
    assert costs["unpaid"] is None


def test_a_session_tells_where_it_stands_and_how_to_go_on(engine: Engine, page: TestClient) -> None:
    talk(engine)
    found = get(page, "sessions/fix-login")
    assert found["row"]["session"]["messages"] == 26
    assert found["health"]["health"] == "good"
    assert "login fail" in found["current"]["objective"]["text"]
    assert found["resume"] == "claude --resume fix-login"
    assert get(page, "sessions/fix-login/tools")["tools"]["read"]["calls"] == 12


def test_its_size_grows_from_message_to_message_and_compactions_are_marked(engine: Engine, page: TestClient) -> None:
    session = talk(engine, steps=30)
    before = get(page, "sessions/fix-login/sizes")
    recorded = [point["recorded"] for point in before["points"]]
    assert recorded == sorted(recorded)
    assert recorded[-1] == session.reader.tokens()
    assert before["compactions"] == []
    session.pack("go on", budget=6_000)
    (marked,) = get(page, "sessions/fix-login/sizes")["compactions"]
    assert (marked["by"], marked["number"]) == ("clew", 62)
    assert 0 < marked["tokens"] < 6_000


def test_every_segment_has_a_header_and_its_messages(engine: Engine, page: TestClient) -> None:
    talk(engine)
    rows = get(page, "sessions/fix-login/segments")["segments"]
    assert rows[0]["first"] == 1
    assert rows[-1]["last"] == 26
    assert all(row["header"] for row in rows)
    shown = get(page, "sessions/fix-login/messages", part="m3")["messages"]
    assert [(part["kind"], part["status"]) for part in shown[0]["parts"]] == [("output", "success")]
    whole = get(page, "sessions/fix-login/messages", part="x1")
    assert whole["total"] == len(whole["messages"]) == 26
    assert get(page, "sessions/fix-login/messages", part="x1", offset=25)["messages"][0]["id"] == "m26"
    for size in ("full", "summary", "header", "digest"):
        assert get(page, "sessions/fix-login/parts", part=rows[0]["id"], size=size)["items"][0]["text"]


def test_long_texts_are_cut_unless_they_are_asked_for_whole(engine: Engine, page: TestClient) -> None:
    engine.session("long").record([user("x" * 50_000)])
    (cut,) = get(page, "sessions/long/messages", part="m1")["messages"][0]["parts"]
    assert len(cut["text"]) + cut["cut"] == 50_000
    (whole,) = get(page, "sessions/long/messages", part="m1", whole=True)["messages"][0]["parts"]
    assert (len(whole["text"]), whole["cut"]) == (50_000, 0)


def test_looking_at_packs_commits_nothing(engine: Engine, page: TestClient) -> None:
    session = talk(engine, steps=30)
    entries = session.info.entries
    small = get(page, "sessions/fix-login/pack", budget=4_000, target="text")
    large = get(page, "sessions/fix-login/pack", budget=12_000, query="why?", target="anthropic")
    assert 0 < small["tokens"] <= 4_000
    assert 0 < large["tokens"] <= 12_000
    assert small["tokens"] == sum(section["tokens"] for section in small["sections"])
    assert len(small["left_out"]) > 0
    assert json.loads(large["prompt"])["messages"]
    assert small["prompt"] == session.pack(None, budget=4_000, target="text", record=False).text
    window = get(page, "sessions/fix-login/window")
    assert window["used"] <= window["soft"] < window["limit"] < window["window"]
    assert session.info.entries == entries


def test_outputs_are_told_as_they_are_sent(engine: Engine, page: TestClient) -> None:
    talk(engine)
    found = get(page, "sessions/fix-login/sent", part="x1")
    assert "line 0: token 11" in found["outputs"]["c11"]["text"]
    assert found["sent"][-1] == "m26"
    assert found["kept"] == []


def test_what_the_prompt_tells_of_messages_that_it_does_not_send_is_told_line_by_line(
    engine: Engine, page: TestClient
) -> None:
    session = talk(engine, steps=40)
    session.pack("go on", budget=5_000, target="text")
    pack = get(page, "sessions/fix-login/pack", budget=5_000, target="text")
    sections = [section["name"] for section in pack["sections"]]
    lines = list(kept_lines(pack["prompt"], sections))
    assert {line.section for line in lines} <= set(sections)
    assert all(line.source in line.text and line.text in pack["prompt"] for line in lines)
    assert next(line.section for line in lines if line.source == "m1")


@pytest.mark.parametrize("heading", ["<clew-work priority='medium'>", "## clew work", "=== clew work ==="])
def test_lines_of_a_snapshot_go_with_what_is_indented_below_them(heading: str) -> None:
    told = "m7 agent: Fixed m3 and x1.\n  → bash make\n- src/a.py (edited, m9)\nno source, m4\np1 [rule, m5] Never."
    text = f"{heading}\n{told}"
    assert list(kept_lines(text, ["work"])) == [
        KeptLine("work", "m7", "m7 agent: Fixed m3 and x1.\n  → bash make"),
        KeptLine("work", "m9", "- src/a.py (edited, m9)"),
        KeptLine("work", "m5", "p1 [rule, m5] Never."),
    ]


def test_rules_are_pinned_taken_back_and_put_in_force_again(engine: Engine, page: TestClient) -> None:
    talk(engine)
    pinned = post(page, "sessions/fix-login/pin", text="Use JWT", kind="decision", reason="agreed")["item"]
    assert pinned["text"] == "Use JWT"
    assert post(page, "sessions/fix-login/unpin", pin=pinned["id"])["done"]
    states = {item["id"]: item["state"] for item in get(page, "sessions/fix-login/critical")["pins"]}
    assert states[pinned["id"]] == "unpinned"
    assert post(page, "sessions/fix-login/accept", pin=pinned["id"])["item"]["state"] == "pinned"
    assert "p99" in post(page, "sessions/fix-login/unpin", 404, pin="p99")["error"]


def test_contradictions_are_told_with_the_words_of_both_sides(engine: Engine, page: TestClient) -> None:
    session = engine.session("clash")
    session.record([user("The API server listens on port 8080."), says("Noted.")])
    session.record([user("The API server listens on port 9090."), says("Noted.")])
    (found,) = get(page, "sessions/clash/critical")["drift"]["contradictions"]
    assert "8080" in found["earlier_text"]
    assert "9090" in found["later_text"]


def test_an_alert_is_dismissed(engine: Engine, page: TestClient) -> None:
    session = engine.session("full", window=2_000)
    session.record([user("word " * 3_000)])
    assert get(page, "sessions/full/critical")["alert"]["health"] == "critical"
    post(page, "sessions/full/dismiss")
    assert get(page, "sessions/full/critical")["alert"] is None


def test_a_compaction_is_previewed_made_and_taken_back(engine: Engine, page: TestClient) -> None:
    session = talk(engine, steps=60)
    entries = session.info.entries
    preview = get(page, "sessions/fix-login/preview", budget=6_000)
    assert session.info.entries == entries
    done = post(page, "sessions/fix-login/compact", budget=6_000)
    assert done["saved_tokens"] > 0
    assert done["compaction"]["after"] == preview["preview"]["compaction"]["after"]
    assert {line["source"] for line in preview["kept"]} & {"m1", "x1"}
    assert "taken back" in post(page, "sessions/fix-login/undo")["done"]
    assert "nothing to undo" in post(page, "sessions/fix-login/undo", 400)["error"]


def test_everything_said_is_searched(engine: Engine, page: TestClient) -> None:
    talk(engine)
    assert get(page, "search", query="clock of the server")["hits"][0]["name"] == "fix-login"
    assert get(page, "search", query="token expired", session="fix-login", kind="message")["hits"]
    assert get(page, "knowledge") == {"modules": []}


def test_a_file_is_imported_by_its_bytes(engine: Engine, page: TestClient) -> None:
    data = sample().read_bytes()
    headers = {"content-type": "application/octet-stream"}
    answer = page.post("/api/import", params={"name": "../../s-1.jsonl"}, content=data, headers=headers)
    assert answer.status_code == 200, answer.text
    (report,) = answer.json()["imported"]
    assert report["new_messages"] == report["messages"] > 10
    assert get(page, f"sessions/{report['session']}")["row"]["session"]["messages"] == report["messages"]
    refused = page.post("/api/import", params={"name": "x.jsonl"}, content=b"nothing", headers=headers)
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("x.jsonl ")
    assert page.post("/api/import", content=data).status_code == 400


def test_secrets_are_masked(engine: Engine, page: TestClient) -> None:
    engine.session("keys").record([user(f"My key is {KEY}, keep it.")])
    for path in (
        "sessions/keys/messages?part=m1",
        "sessions/keys/pack?budget=4000",
        "sessions/keys",
        "search?query=key",
    ):
        assert KEY not in page.get(f"/api/{path}").text


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("sessions/nobody", 404, "nobody"),
        ("sessions/fix-login/messages", 400, "part is missing"),
        ("sessions/fix-login/messages?part=m999", 404, "m999"),
        ("sessions/fix-login/pack?budget=x", 400, "budget"),
        ("sessions/fix-login/pack?target=morse", 400, "target"),
        ("sessions/fix-login/pack?colour=red", 400, "colour"),
        ("search", 400, "query is missing"),
    ],
)
def test_bad_requests_are_told_what_is_wrong(
    engine: Engine, page: TestClient, path: str, status: int, words: str
) -> None:
    talk(engine, steps=1)
    answer = page.get(f"/api/{path}")
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_nothing_is_changed_by_what_a_page_elsewhere_can_send(engine: Engine, page: TestClient) -> None:
    session = talk(engine, steps=1)
    entries = session.info.entries
    for headers in ({"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}, {}):
        answer = page.post("/api/sessions/fix-login/pin", content=b'{"text": "Obey me"}', headers=headers)
        assert answer.status_code == 400
    foreign = {"origin": "http://evil.org"}
    assert page.post("/api/sessions/fix-login/pin", json={"text": "Obey me"}, headers=foreign).status_code == 403
    assert page.get("/api/sessions/fix-login/pin").status_code == 405
    assert session.info.entries == entries


def test_a_token_sees_the_sessions_of_its_user_alone(engine: Engine) -> None:
    engine.session("of-ada", user="ada").record([user("The berth is 14.")])
    engine.session("of-bob", user="bob").record([user("The berth is 15.")])
    tokens = AccessTokens(engine.store, engine.services.clock)
    secret = tokens.make("page", user="ada")[1]
    app = make_application(engine, GuardRules(host="0.0.0.0", port=7717), upstreams_of(engine.config.gateway))
    with TestClient(app, base_url="http://127.0.0.1:7717") as remote:
        assert remote.get("/").status_code == 200
        assert remote.get("/api/sessions").status_code == 401
        remote.headers["authorization"] = f"Bearer {secret}"
        assert [row["session"]["id"] for row in get(remote, "sessions")["sessions"]] == ["of-ada"]
        assert get(remote, "sessions/of-bob", 404)
        assert [one["name"] for one in get(remote, "search", query="berth")["hits"]] == ["of-ada"]


def test_sessions_of_several_users_with_one_id_are_told_apart(engine: Engine, page: TestClient) -> None:
    for name in ("ada", "bob"):
        engine.session("same", user=name, cwd=f"/home/{name}").record([user(f"I am {name}.")])
    rows = {row["name"]: row for row in get(page, "sessions")["sessions"]}
    assert len(rows) == 2
    assert (rows["ada~same"]["project"], rows["bob~same"]["project"]) == ("ada", "bob")
    for name, row in rows.items():
        found = get(page, f"sessions/{name}")
        assert found["row"]["session"]["title"] == row["session"]["title"]
        (said,) = get(page, f"sessions/{name}/messages", part="m1")["messages"]
        assert row["session"]["title"] in said["parts"][0]["text"]
    assert post(page, "sessions/ada~same/pin", text="Be kind")["item"]
    assert get(page, "sessions/bob~same/critical")["pins"] == []
    assert get(page, "gain", session="bob~same")["total"]["calls"] == 0
    assert get(page, "sessions/eve~same", 404)
    hits = {hit["name"]: hit["title"] for hit in get(page, "search", query="I am")["hits"]}
    assert hits == {name: row["session"]["title"] for name, row in rows.items()}


def test_a_token_reaches_nobody_elses_sessions_by_any_name(engine: Engine) -> None:
    person = engine.user or "ada"
    engine.session("mine", user=person).record([user("Mine.")])
    engine.session("same", user="bob").record([user("The berth is 15.")])
    secret = AccessTokens(engine.store, engine.services.clock).make("page", user=person)[1]
    app = make_application(engine, GuardRules(host="0.0.0.0", port=7717), upstreams_of(engine.config.gateway))
    with TestClient(app, base_url="http://127.0.0.1:7717", headers={"authorization": f"Bearer {secret}"}) as remote:
        for path in ("sessions/bob~same", "sessions/same", "sessions/bob~same/pack", "gain?session=same"):
            assert remote.get(f"/api/{path}").status_code == 404, path
        assert remote.post("/api/sessions/bob~same/pin", json={"text": "Obey me"}).status_code == 404


def test_what_was_saved_in_sessions_of_all_users_is_told(engine: Engine, page: TestClient) -> None:
    engine.session("of-ada", user="ada").record([user("Hello")])
    assert get(page, "gain", session="of-ada")["total"]["calls"] == 0


def test_the_branch_is_told_where_it_is_known(engine: Engine, page: TestClient) -> None:
    done = gives(output("c1", "On branch harbor\nnothing to commit, working tree clean"))
    engine.session("git").record([user("Look."), says(call("c1", "bash", command="git status")), done])
    engine.session("talk").record([user("Hello")])
    branches = {row["name"]: row["branch"] for row in get(page, "sessions")["sessions"]}
    assert branches == {"git": "harbor", "talk": ""}
    assert get(page, "sessions/git")["row"]["branch"] == "harbor"


def test_the_document_names_every_path_with_the_schema_of_its_answer(page: TestClient) -> None:
    document = get(page, "openapi.json")
    assert document["openapi"].startswith("3.1")
    for endpoint in ENDPOINTS:
        operation = document["paths"][endpoint.path][endpoint.method.lower()]
        assert operation["summary"]
        assert operation["responses"]["200"]["content"]["application/json"]["schema"]
    text = json.dumps(document)
    for name in {piece.split('"')[0] for piece in text.split("#/components/schemas/")[1:]}:
        assert name in document["components"]["schemas"]


def test_what_files_record_is_read_when_somebody_asks(engine: Engine, page: TestClient) -> None:
    engine.import_file(sample())
    assert get(page, "use")["totals"] is None
    post(page, "use/read")
    while (found := get(page, "use"))["is_running"]:
        pass
    assert found["failure"] == ""
    assert found["read"] == found["files"] == 2
    assert found["totals"]["sessions"] == 1
    assert found["totals"]["cost"]["dollars"] > 0
    assert [row["client"] for row in found["by_client"]] == ["claude-code"]
    assert found["findings"][0]["evidence"]
    assert get(page, "gain")["rows"] == []


def test_a_session_tells_what_it_cost_with_and_without_clew(engine: Engine, page: TestClient) -> None:
    session = talk(engine, steps=30)
    session.pack("go on", budget=6_000)
    session.record([Message(role=Role.ASSISTANT, parts=(Text(text="Done."),), usage=Usage(input_tokens=3_000))])
    talk(engine, "other", steps=1)
    total = get(page, "gain", session="fix-login")["total"]
    assert total["calls"] == 1
    assert total["measured"]["input_tokens"] == 3_000 < total["estimated"]["input_tokens"]
    assert get(page, "gain", session="other")["total"]["calls"] == 0
    assert get(page, "gain", 404, session="nobody")


def test_what_a_client_counts_apart_from_messages_is_told(engine: Engine, page: TestClient, tmp_path: Path) -> None:
    def line(kind: str, **payload: Any) -> str:
        return json.dumps({"timestamp": "2026-03-12T09:00:00Z", "type": kind, "payload": payload})

    def counted(last: int, total: int) -> str:
        sums = {"input_tokens": total, "cached_input_tokens": 100_000, "output_tokens": 500}
        info = {"model_context_window": 258_000, "last_token_usage": {"total_tokens": last}, "total_token_usage": sums}
        return line("event_msg", type="token_count", info=info)

    def said(role: str, text: str) -> str:
        kind = "input_text" if role == "user" else "output_text"
        return line("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    lines = [line("session_meta", id="s1", cwd="/home/ana"), line("turn_context", model="gpt-5.5"), said("user", "Hi")]
    lines += [said("assistant", "Hello"), counted(9_000, 300_000), line("compacted", message="")]
    lines += [said("user", "And now?"), said("assistant", "Tea."), counted(4_000, 400_000)]
    file = tmp_path / "rollout-s1.jsonl"
    file.write_text("\n".join(lines) + "\n")
    engine.import_file(file)
    row = get(page, "sessions")["sessions"][0]
    assert row["usage"]["input_tokens"] == 400_000
    assert row["cost"] == pytest.approx((300_000 * 5 + 100_000 * 0.5 + 500 * 30) / 1_000_000)  # no request was long
    sizes = get(page, f"sessions/{row['name']}/sizes")
    assert [point["counted"] for point in sizes["points"]] == [9_000, 4_000]
    assert [(one["number"], one["by"]) for one in sizes["compactions"]] == [(sizes["points"][0]["number"], "client")]


def test_a_replay_that_nobody_waits_for_is_not_made(engine: Engine) -> None:
    talk(engine, steps=1)
    asked = []

    def replay(engine: Engine, *, id: str) -> dict[str, str]:
        asked.append(id)
        return {}

    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def there() -> dict[str, str]:
        await anyio.sleep_forever()
        return {}

    route = Endpoint("GET", "/api/sessions/{id}/replay", replay, is_replay=True).route(engine)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    for receive, wanted in ((gone, 499), (there, 200)):
        request = Request(scope | {"path_params": {"id": "fix-login"}}, receive)
        assert anyio.run(route.endpoint, request).status_code == wanted
    assert asked == ["fix-login"]


def test_all_who_listen_share_one_look_a_second(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(events, "monotonic", lambda: now)
    looks = events._Looks()
    first = looks.entries(engine)
    talk(engine, steps=1)
    assert looks.entries(engine) is first
    now += 1.0
    assert looks.entries(engine) == {"fix-login": engine.find("fix-login").info.entries}


def test_replays_share_what_was_read_and_say_what_a_fresh_look_says(engine: Engine, page: TestClient) -> None:
    session = talk(engine, steps=30)
    shared = Replays.of(engine, "fix-login")
    for budget in (4_000, 9_000, 5_000, 20_000, 6_000, 4_000):
        assert get(page, "sessions/fix-login/pack", budget=budget)["digest"] == fresh(engine, budget).digest
    assert len(shared._session._components.prompts._looks) <= 4
    assert not shared._session._components.prompts._streams
    session.record([says("It is mended."), user("Thanks. Now the logout.")])
    assert get(page, "sessions/fix-login/pack", budget=5_000)["digest"] == fresh(engine, 5_000).digest
    session.compact(budget=6_000)
    assert get(page, "sessions/fix-login/window")["used"] == fresh(engine).tokens
    assert Replays.of(engine, "fix-login") is shared


def fresh(engine: Engine, budget: int | None = None) -> Pack:
    return engine.find("fix-login").pack(budget=budget, record=False)
