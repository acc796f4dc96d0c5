"""The JSON behind the page: what each endpoint gives, does and refuses."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from interlock.registry import open_registry

Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]


def double(number: int, twice: bool = False) -> int:
    """Double a number.

    Args:
        number: What is doubled.
        twice: Do it again.
    """
    return number * (4 if twice else 2)


@pytest.fixture
def at() -> Iterator[Callable[..., Any]]:
    """Return a function that asks, and gives status and JSON."""
    with httpx2.Client(timeout=30) as client:

        def ask(method: str, url: str, **given: Any) -> tuple[int, Any]:
            response = client.request(method, url, **given)
            assert response.headers["content-type"] == "application/json"
            return response.status_code, response.json()

        yield ask


Ask = Callable[..., tuple[int, Any]]


def test_a_run_is_started_followed_and_read(serve: Serve, at: Ask, shop: Path) -> None:
    url = f"{serve()}/api/v1"
    status, begun = at("POST", f"{url}/runs", json={"task": "What does src/alpha.ts export?", "directory": str(shop)})
    assert status == 201
    run = begun["run_id"]

    events = list(_events(f"{url}/runs/{run}/events"))
    assert [event["type"] for event in events[:1]] == ["run_started"]
    assert events[-1]["type"] == "run_ended"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))

    status, told = at("GET", f"{url}/runs/{run}")
    assert (status, told["run"]["state"], told["started"]["task"]) == (
        200,
        "delivered",
        "What does src/alpha.ts export?",
    )
    listed = at("GET", f"{url}/runs?state=delivered&text=alpha")[1]
    assert [each["run_id"] for each in listed["runs"]] == [run]
    assert at("GET", f"{url}/runs?state=waiting")[1]["total"] == 0

    page = at("GET", f"{url}/runs/last/records?limit=2&type=decision")[1]
    rest = at("GET", f"{url}/runs/last/records?limit=500&type=decision&after={page['next']}")[1]
    assert rest["next"] is None
    assert len(page["records"]) + len(rest["records"]) == told["run"]["decisions"]
    assert at("GET", f"{url}/runs/{run}/verify")[1]["verdict"] == "verified"
    assert at("GET", f"{url}/runs/{run}/verify?head={'0' * 64}")[1]["verdict"] == "mismatch"
    assert at("POST", f"{url}/runs/{run}/stop")[0] == 409
    assert at("POST", f"{url}/runs/{run}/resume")[0] == 409


def test_a_call_is_approved_once_for_what_was_shown(serve: Serve, at: Ask, park: Park) -> None:
    approval, run = park("delete_file", {"path": "build.lock"})
    url = f"{serve()}/api/v1/approvals"
    assert [each["id"] for each in at("GET", f"{url}?run={run}")[1]["approvals"]] == [approval]

    shown = at("GET", f"{url}/{approval[:12]}")[1]
    assert shown["arguments"] == {"path": "build.lock"}
    assert "build.lock: file, 38 bytes" in shown["saw"]
    given = {"approved": True, "by": "Ada", "seen": "0" * 64}
    assert at("POST", f"{url}/{approval}", json=given)[0] == 409
    status, answered = at("POST", f"{url}/{approval}", json={**given, "seen": shown["seen"]})
    assert (status, answered["state"], answered["answer"]["by"]) == (200, "approved", "Ada")
    assert at("POST", f"{url}/{approval}", json={**given, "seen": shown["seen"]})[0] == 409
    assert at("POST", f"{url}/{'0' * 64}", json=given)[0] == 404


def test_a_person_answers_what_a_run_asks(serve: Serve, at: Ask, shop: Path) -> None:
    url = f"{serve(judges=('human',))}/api/v1/runs"
    run = at("POST", url, json={"task": "Say hello", "directory": str(shop)})[1]["run_id"]

    def asked() -> list[dict[str, Any]]:
        return list(at("GET", f"{url}/{run}/questions")[1]["questions"])

    wait_until(asked)
    question = asked()[0]
    given = {"question": question["id"], "by": "Ada", "pick": 0}
    assert at("POST", f"{url}/{run}/questions", json={**given, "pick": len(question["outcomes"])})[0] == 422
    assert at("POST", f"{url}/{run}/questions", json={**given, "question": "none"})[0] == 409
    assert at("POST", f"{url}/{run}/questions", json=given)[0] == 200
    assert at("POST", f"{url}/{run}/questions", json=given)[0] == 409
    assert at("GET", f"{url}/{run}")[1]["is_working"]
    assert at("POST", f"{url}/{run}/stop")[0] == 200
    wait_until(lambda: not at("GET", f"{url}/{run}")[1]["is_working"])


def test_recorded_decisions_are_decided_again(serve: Serve, at: Ask, park: Park) -> None:
    run = park("delete_file", {"path": "build.lock"})[1]
    url = f"{serve()}/api/v1/replay"
    assert at("POST", url, json={})[1]["changed"] == []
    status, told = at("POST", url, json={"runs": [run], "gates": {"needs_tool": 0.95}})
    assert status == 200
    assert [(each["decision"], each["was"], each["now"]) for each in told["changed"]] == [
        ("needs_tool", "use_tool", "answer")
    ]
    assert at("POST", url, json={"gates": {"other": 0.5}})[0] == 422
    assert at("POST", url, json={"runs": ["none"]})[0] == 404
    assert at("POST", url, json={"contract": "none"})[0] == 404


def test_contracts_are_listed_checked_and_planned(serve: Serve, at: Ask) -> None:
    url = f"{serve()}/api/v1"
    assert [each["name"] for each in at("GET", f"{url}/contracts")[1]["contracts"]] == ["shipped"]
    shown = at("GET", f"{url}/contracts/shipped")[1]
    assert shown["check"]["verdict"] == "ok"
    wrong = at("POST", f"{url}/check", json={"text": shown["text"].replace("prob:ok >= 0.6", "prob:ok >= 1.6")})[1]
    assert [each["code"] for each in wrong["findings"] if each["severity"] == "error"] == ["threshold-out-of-range"]
    plan = at("POST", f"{url}/plan", json={"contract": "shipped", "plan": "fused"})[1]
    assert plan["plan"] == "fused"
    assert plan["contract_digest"] == shown["check"]["digest"]
    assert at("POST", f"{url}/plan", json={"text": "# nothing"})[0] == 422
    assert at("POST", f"{url}/plan", json={})[0] == 422
    assert at("GET", f"{url}/contracts/no/such.md")[0] == 404


def test_a_function_is_called_from_its_form(serve: Serve, at: Ask) -> None:
    url = f"{serve(functions={'double': double})}/api/v1/functions"
    assert [each["name"] for each in at("GET", url)[1]["functions"]] == ["double"]
    form = at("GET", f"{url}/double")[1]
    assert [(field["name"], field["control"]) for field in form["fields"]] == [("number", "line"), ("twice", "toggle")]
    called = at("POST", f"{url}/double", json={"arguments": {"number": "21", "twice": False}})[1]
    assert (called["state"], called["result"]) == ("ok", "42")
    assert at("GET", f"{url.replace('functions', 'calls')}/{called['id']}")[1]["result"] == "42"
    assert "`number`" in at("POST", f"{url}/double", json={"arguments": {"number": "many"}})[1]["error"]
    assert at("POST", f"{url}/double", json={"arguments": {"hidden": "1"}})[0] == 422
    assert at("POST", f"{url}/eval", json={"arguments": {}})[0] == 404


def test_prompts_and_reports_are_read(serve: Serve, at: Ask, tmp_path: Path) -> None:
    place, report = str(tmp_path / "prompts"), tmp_path / "report.json"
    registry = open_registry(place)
    registry.publish("clerk", "1.0", text="One.\n", layer="role", label="production")
    registry.publish("clerk", "1.1", text="Two.\n")
    report.write_text("[]", encoding="utf-8")
    url = f"{serve(prompts=place, reports=(report,))}/api/v1"

    listed = at("GET", f"{url}/prompts")[1]["prompts"]
    assert [each["name"] for each in listed if each["is_own"]] == ["clerk"]
    assert at("GET", f"{url}/prompts/clerk?version=production")[1]["text"] == "One.\n"
    assert at("GET", f"{url}/prompts/clerk/diff?old=1.0")[1]["lines"][-2:] == ["-One.", "+Two."]
    assert at("GET", f"{url}/prompts/clerk?version=9.9")[0] == 404
    found = at("GET", f"{url}/experiments")[1]["experiments"]
    assert (found[0]["file"], found[0]["report"]) == ("report.json", None)
    assert at("GET", f"{url}/experiments/2")[0] == 404


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        pytest.param(b"{", 400, "cannot be parsed", id="cut"),
        pytest.param(b'{"text": "a", "text": "b"}', 400, "a key is repeated", id="a-key-twice"),
        pytest.param(b'{"text": NaN}', 400, "a number is not finite", id="nan"),
        pytest.param(b'{"text": "\\ud800"}', 400, "a lone surrogate", id="half-a-character"),
        pytest.param(b'{"text": "\xff"}', 400, "cannot be parsed", id="no-utf-8"),
        pytest.param(b'{"text": ' + b"[" * 40 + b"]" * 40 + b"}", 400, "nested deeper than 32", id="deep"),
        pytest.param(b'{"text": ' + b"[" * 99999 + b"]" * 99999 + b"}", 400, "nested too deep", id="very-deep"),
        pytest.param(b"[]", 422, "not a JSON object", id="a-list"),
        pytest.param(b"{}", 422, "`text`: field required", id="nothing"),
        pytest.param(b'{"text": 1}', 422, "`text`: input should be a valid string", id="a-number-for-text"),
        pytest.param(b'{"text": "", "more": 1}', 422, "unknown; known: `text`", id="an-unknown-field"),
        pytest.param(b'{"text": "' + b"a" * 300_000 + b'"}', 422, "`text`: string should have at most", id="long"),
    ],
)
def test_a_body_is_read_strictly(serve: Serve, body: bytes, status: int, says: str) -> None:
    url = f"{serve()}/api/v1/check"
    found = httpx2.post(url, content=body, headers={"content-type": "application/json"})
    assert (found.status_code, found.headers["content-type"]) == (status, "application/json")
    assert says in found.json()["error"]
    assert list(found.json()) == ["error"]


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
def test_a_body_is_taken_as_json_alone(serve: Serve, kind: str | None) -> None:
    headers = {} if kind is None else {"content-type": kind}
    found = httpx2.post(f"{serve()}/api/v1/check", content=b'{"text": ""}', headers=headers)
    assert (found.status_code, found.json()) == (415, {"error": "send the body as `application/json`"})


@pytest.mark.parametrize(
    ("query", "says"),
    [
        pytest.param("page=0", "`page`: input should be greater than or equal to 1", id="out-of-range"),
        pytest.param("page=1.0", "`page`: input should be a valid integer", id="no-integer"),
        pytest.param("page=1&page=2", "a field of the query is repeated", id="repeated"),
        pytest.param("colour=red", "unknown; known: `text`, `state`, `page`", id="unknown"),
        pytest.param("state=sleeping", "`state`: input should be", id="none-of-the-list"),
    ],
)
def test_a_query_is_read_strictly(serve: Serve, at: Ask, query: str, says: str) -> None:
    status, told = at("GET", f"{serve()}/api/v1/runs?{query}")
    assert status == 422
    assert says in told["error"]


def test_the_document_names_every_endpoint_of_the_page_that_lists_them(serve: Serve, at: Ask) -> None:
    url = serve()
    document = at("GET", f"{url}/api/openapi.json")[1]
    page = httpx2.get(f"{url}/api").text
    assert document["openapi"] == "3.1.0"
    for path, methods in document["paths"].items():
        assert path in page
        for told in methods.values():
            assert set(told["responses"]) >= {"400", "401", "405", "413", "421", "422"}


def test_a_method_that_a_path_does_not_take_is_named_with_those_it_takes(serve: Serve) -> None:
    found = httpx2.delete(f"{serve()}/api/v1/runs")
    assert (found.status_code, list(found.json())) == (405, ["error"])
    assert set(found.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}


def wait_until(true: Callable[[], object]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _events(url: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a stream until it ends."""
    with httpx2.stream("GET", url, timeout=30) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in response.iter_lines():
            kind, _, value = line.partition(": ")
            if kind == "event":
                name = value
            elif kind.startswith("data") and name == "end":
                return
            elif kind == "data":
                yield json.loads(value)
