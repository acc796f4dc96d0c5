"""`interlock judge probe` from outside, against a small server on this machine."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.judge.profile import parse_profiles
from interlock.loop.reference import shipped_text

pytestmark = pytest.mark.enable_socket

MOST_OPTIONS = 40


class _Server(BaseHTTPRequestHandler):
    """Takes the first option of anything, at most forty options and eight questions."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65536

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        sizes = [len(asked["criteria"]) for asked in body["questions"].values() if asked["type"] == "choice"]
        fits = len(body["questions"]) <= 8 and all(size <= MOST_OPTIONS for size in sizes)
        answers = {id_: _first(asked) for id_, asked in body["questions"].items()}
        self._send(200, {"model": "tiny-1", "answers": answers}) if fits else self._send(422, {"detail": []})

    def do_GET(self) -> None:
        self._send(200, {"models": [{"name": "tiny-1"}, {"name": "tiny\x1b-2"}, {"no": "name"}]})

    def _send(self, status: int, told: object) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name in the base class
        pass


def _first(asked: dict[str, Any]) -> dict[str, Any]:
    if asked["type"] == "noul":
        return {"type": "noul", "noul": 0.25}
    names = list(asked["criteria"]) if asked["type"] == "choice" else [str(at) for at in range(len(asked["criteria"]))]
    spread = {name: float(name == names[0]) for name in names}
    told = {"choice": names[0]} if asked["type"] == "choice" else {"score": 0}
    return {"type": asked["type"], "probabilities": spread, **told}


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def probe(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["judge", "probe", *args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_limits_are_measured_shown_saved_and_used(url: str, tmp_path: Path) -> None:
    id_, file = f"system-one:{url}", tmp_path / "judges.toml"
    file.write_text('[other]\nwire = "systemone"\n', encoding="utf-8")
    code, out, _ = probe(id_, "--save", str(file))
    assert code == 0
    rows = {line[2:25].strip(): line[25:].strip() for line in out.splitlines()[1:]}
    assert rows["options"] == "40"
    assert rows["questions per request"] == "8"
    assert rows["flipped by order"] == "4 of 4"
    assert rows["moved by neighbours"] == "0.000 (steady)"
    assert rows["served model"] == "tiny-1"
    assert rows["models"] == "tiny-1, tiny\\x1b-2"
    text = file.read_text(encoding="utf-8")
    assert text.startswith('[other]\nwire = "systemone"\n\n["system-one:http')
    caps = parse_profiles(text.partition("\n\n")[2])[id_].caps
    assert (caps.max_options, caps.max_questions, caps.joint_reads) == (40, 8, False)
    code, _, err = probe(id_, "--save", str(file))
    assert (code, "holds" in err, "already" in err) == (1, True, True)


def test_what_a_probe_is_refused_is_not_logged(url: str, caplog: pytest.LogCaptureFixture) -> None:
    assert probe(f"system-one:{url}")[0] == 0
    assert not [record for record in caplog.records if record.name == "interlock.judge"]
    assert logging.getLogger("interlock.judge").level == logging.NOTSET


def test_json_is_one_object(url: str) -> None:
    code, out, _ = probe(f"system-one:{url}", "--json")
    told = json.loads(out)
    assert code == 0
    assert told["models"] == ["tiny-1", "tiny\x1b-2"]
    assert (told["judge"], told["max_options"], told["orders"], told["flips"]) == (f"system-one:{url}", 40, 4, 4)


def test_a_judge_that_is_code_is_measured_and_has_no_profile(tmp_path: Path) -> None:
    code, out, _ = probe("hash")
    assert (code, out.splitlines()[0]) == (0, "hash")
    code, _, err = probe("hash", "--save", str(tmp_path / "x.toml"))
    assert (code, err) == (2, "interlock: --save: `hash` is no server and has no profile\n")


@pytest.mark.parametrize(
    ("args", "exit_code", "message"),
    [
        pytest.param(("system-one:http://127.0.0.1:9",), 1, "cannot be measured: connect", id="nothing-listens"),
        pytest.param(("rules",), 1, "cannot be measured: abstained", id="rules-know-no-made-up-questions"),
        pytest.param(("hsah",), 2, "no provider `hsah`; did you mean `hash`?", id="an-unknown-judge"),
        pytest.param(("hash, rules",), 2, "a chain is not measured as one", id="a-chain"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(args: tuple[str, ...], exit_code: int, message: str) -> None:
    code, out, err = probe(*args)
    assert (code, out) == (exit_code, "")
    assert message in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("no/such/dir.toml", None, "cannot be added to: no such directory", id="no-directory"),
        pytest.param("broken.toml", "x =", "cannot be added to: is not TOML in UTF-8", id="not-toml"),
    ],
)
def test_a_file_that_cannot_be_added_to_is_one_sentence(url: str, name: str, content: str | None, message: str) -> None:
    if content is not None:
        Path(name).write_text(content, encoding="utf-8")
    code, _, err = probe("system-one:http://127.0.0.1:9", "--save", name)
    assert code == 1
    assert message in err.splitlines()[-1]


def lock(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["judge", "lock", *args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def advice(judge: str) -> set[str]:
    (contract,) = Path("contracts").glob("*.md")
    result = CliRunner().invoke(main, ["check", str(contract), "--judge", judge, "--format", "json"])
    return {found["code"] for found in json.loads(result.stdout)["diagnostics"]}


def test_thresholds_are_locked_to_the_model_that_answers(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = f"system-one:{url}#tiny"
    Path("contracts").mkdir()
    Path("contracts", "loop.md").write_text(shipped_text(), encoding="utf-8")
    code, out, _ = lock(id_, "--save", "locks.json")
    made = json.loads(Path("locks.json").read_text(encoding="utf-8"))["locks"]
    assert (code, out) == (0, f"{len(made)} questions locked to tiny-1 (decision_model)\n")
    assert {(item["model"], item["requested"]) for item in made} == {("tiny-1", "tiny")}
    assert lock(id_, "--save", "locks.json")[0] == 0
    assert len(json.loads(Path("locks.json").read_text(encoding="utf-8"))["locks"]) == len(made)
    monkeypatch.setenv("INTERLOCK_JUDGING", "locks=locks.json")
    assert "confidence-cut" not in advice(id_)
    assert "confidence-cut" in advice(f"system-one:{url}#other")


@pytest.mark.parametrize(
    ("args", "exit_code", "message"),
    [
        pytest.param(["typesafe:jev-latest", "--save", "l.json"], 1, "HOST:PORT#MODEL", id="an-alias"),
        pytest.param(["hash", "--save", "no/l.json"], 1, "no/l.json: cannot be written", id="no-directory"),
        pytest.param(["hash", "--save", "broken.json"], 1, "holds no locks", id="another-file"),
        pytest.param(["rules", "--save", "l.json"], 1, "rules: cannot be locked: unscored: abstained", id="no-answer"),
        pytest.param(["hash"], 2, "--save", id="nowhere-to-save"),
    ],
)
def test_what_cannot_be_locked_says_why(
    args: list[str], exit_code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("broken.json").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("TYPESAFE_API_KEY", "k")
    code, _, err = lock(*args)
    assert (code, message in err) == (exit_code, True), err
