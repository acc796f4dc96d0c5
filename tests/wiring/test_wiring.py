"""From ids to judges and writers: what is made, what is refused and with which words, and what is never shown."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from interlock.errors import SettingsError
from interlock.judge.base import Caps
from interlock.judge.options import JudgeOptions
from interlock.judge.profile import endpoint, parse_profiles
from interlock.loop.writer import WriteRequest
from interlock.models.closing import close
from interlock.questions import Noul
from interlock.testing import ScriptedJudge
from interlock.wiring import make_judge, make_writer

KEY = "sk-canary"
DOWN = "http://127.0.0.1:9"
REQUEST = WriteRequest(system=None, task="t", earlier="", evidence=(), facts=(), halt="agent_done")
CASES = [
    pytest.param(
        "ruls", {}, r"^judge: no provider `ruls`; did you mean `rules`\?$", id="an-unknown-provider-with-a-near-one"
    ),
    pytest.param("xyz:1", {}, r"write one of: `rules`, `scripted`, `replay`", id="an-unknown-provider"),
    pytest.param("", {}, r"no provider ``; write one of", id="an-empty-id"),
    pytest.param(
        "openai:m",
        {},
        r"`openai:m` writes text; say how its answers are read: set `judging.readout` to one of `json`, `logprobs`, "
        r"as in INTERLOCK_JUDGING=readout=json$",
        id="a-writer-as-a-judge",
    ),
    pytest.param("rules,", {}, r"an id of the chain is empty; write `ID,ID`$", id="a-chain-with-a-hole"),
    pytest.param("rules, ruls", {}, r"no provider `ruls`", id="an-unknown-provider-in-a-chain"),
    pytest.param("baseline:first", {}, r"may decide nothing; it answers in evaluations$", id="a-baseline"),
    pytest.param("replay", {}, r"names no recording; write `replay:JOURNAL`", id="a-replay-of-nothing"),
    pytest.param("replay:/nowhere/x.db", {}, r"recording cannot be read: No such file", id="no-recording-there"),
    pytest.param("extractive", {}, r"`extractive` writes text and judges nothing", id="the-extractive-writer"),
    pytest.param(
        "typesafe",
        {"TYPESAFE_API_KEY": KEY},
        r"names no model; write `typesafe:MODEL` or set `TYPESAFE_DEFAULT_MODEL`$",
        id="no-model",
    ),
    pytest.param("openrouter:", {}, r"names no model; write `openrouter:MODEL`$", id="no-model-and-no-variable"),
    pytest.param("typesafe:jev-1.13.0", {}, r"^typesafe: no key; set `TYPESAFE_API_KEY`$", id="no-key"),
    pytest.param("typesafe:m", {"TYPESAFE_API_KEY": ""}, r"no key", id="an-empty-key-is-no-key"),
    pytest.param("typesafe:m", {"TYPESAFE_API_KEY": f"{KEY}\n"}, r"copy it again", id="a-key-with-a-line-end"),
    pytest.param("typesafe:m", {"TYPESAFE_API_KEY": f"{KEY}é"}, r"copy it again", id="a-key-that-is-not-ascii"),
    pytest.param(
        "system-one:m",
        {},
        r"has no address; write `system-one:http://HOST:PORT` or set `SYSTEM_ONE_BASE_URL`$",
        id="no-address",
    ),
    pytest.param("system-one:http://", {}, r"address is not usable", id="half-an-address"),
    pytest.param("system-one:http://h:99999", {}, r"address is not usable", id="an-impossible-port"),
    pytest.param("laya:m", {"SYSTEM_ONE_BASE_URL": "ftp://h"}, r"address is not usable", id="another-scheme"),
    pytest.param(f"system-one:http://u:{KEY}@h", {}, r"no user, password or query", id="a-password-in-the-address"),
    pytest.param(f"system-one:http://h/?k={KEY}", {}, r"no user, password or query", id="a-query-in-the-address"),
    pytest.param("scripted", {}, r"names no file; write `scripted:FILE`$", id="a-script-without-a-file"),
    pytest.param("scripted:/nowhere/x.json", {}, r"cannot be read: No such file", id="a-script-that-is-not-there"),
    pytest.param("rules:no.such.module:Judge", {}, r"no module `no", id="a-module-that-is-not-there"),
    pytest.param("rules:json:nothing", {}, r"no callable `nothing`", id="an-attribute-that-is-not-there"),
    pytest.param("rules:interlock.wiring:make_juge", {}, r"did you mean `make_judge`\?", id="a-near-attribute"),
    pytest.param("rules:builtins:dict", {}, r"does not make a judge", id="something-that-makes-no-judge"),
    pytest.param("rules::x", {}, r"names no module", id="no-module-at-all"),
]


@pytest.mark.parametrize(("id_", "environ", "message"), CASES)
def test_an_id_that_cannot_work_says_what_would(id_: str, environ: Mapping[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        make_judge(id_, environ=environ, tools={})
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("id_", "environ", "message"),
    [
        pytest.param("extractiv", {}, r"^writer: no provider `extractiv`; did you mean `extractive`\?$", id="near"),
        pytest.param("rules", {}, r"`rules` is a judge and writes no text", id="a-judge-as-a-writer"),
        pytest.param("typesafe:m", {}, r"`typesafe` is a judge and writes no text", id="a-provider-of-judges"),
        pytest.param("openai", {}, r"names no model; write `openai:MODEL`$", id="no-model"),
        pytest.param("openai:m", {}, r"^openai: no key; set `OPENAI_API_KEY`$", id="no-key"),
        pytest.param("openai:m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "h"}, r"not usable", id="an-odd-address"),
        pytest.param("scripted:/nowhere/x.json", {}, r"cannot be read", id="a-script-that-is-not-there"),
    ],
)
def test_a_writer_that_cannot_work_says_what_would(id_: str, environ: Mapping[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_writer(id_, environ=environ)


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    for name in [name for name in sys.modules if name.startswith("interlock.models.openai")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SettingsError, match=r'`openai` is not installed: pip install "interlock\[openai\]"'):
        make_writer("openai:m", environ={"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize(
    ("id_", "environ", "model", "options"),
    [
        pytest.param(
            "typesafe:jev-1.13.0", {"TYPESAFE_BASE_URL": DOWN, "TYPESAFE_API_KEY": KEY}, "jev-1.13.0", 255, id="pinned"
        ),
        pytest.param(
            "typesafe",
            {"TYPESAFE_BASE_URL": DOWN, "TYPESAFE_API_KEY": KEY, "TYPESAFE_DEFAULT_MODEL": "jev-2"},
            "jev-2",
            255,
            id="the-variable-names-the-model",
        ),
        pytest.param(
            f"openrouter:{DOWN}#typesafe/jev-1", {"OPENROUTER_API_KEY": KEY}, "typesafe/jev-1", 255, id="catalogue"
        ),
        pytest.param(f"laya:{DOWN}/v1#m", {}, "m", 100, id="address-and-model"),
        pytest.param(f"system-one:{DOWN}", {}, "jev-latest", 26, id="an-address"),
        pytest.param("system-one:m", {"SYSTEM_ONE_BASE_URL": DOWN}, "m", 26, id="the-variable-names-the-address"),
    ],
)
@pytest.mark.enable_socket
@pytest.mark.anyio
async def test_an_id_names_a_judge_a_model_and_its_limits(
    id_: str, environ: Mapping[str, str], model: str, options: int
) -> None:
    """Nothing listens at the address, so every reply says who would have been asked."""
    made = make_judge(id_, environ=environ, tools={}, options=JudgeOptions(timeout_s=0.3))
    reply = await made.answer("s", {"q": Noul(instructions="q")})
    await close(made)
    assert made.caps.max_options == options
    assert (reply.requested_model, reply.wire, reply.readings["q"].judge) == (model, "systemone", id_)
    assert reply.readings["q"].kind == "transport_error"
    assert reply.readings["q"].reason in ("connect", "deadline")
    assert KEY not in repr(reply)


@pytest.mark.enable_socket
@pytest.mark.anyio
async def test_a_chain_answers_from_the_next_judge_when_the_first_is_down(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"q": 0.8}', encoding="utf-8")
    chain = make_judge(f"laya:{DOWN}, scripted:{script}", environ={}, tools={}, options=JudgeOptions(timeout_s=2))
    reading = (await chain.answer("s", {"q": Noul(instructions="q")})).readings["q"]
    await close(chain)
    assert (reading.kind, reading.degraded, reading.judge) == ("answered", True, f"scripted:{script}")


@pytest.mark.anyio
async def test_a_chain_may_begin_with_a_judge_that_is_code(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"q": null}', encoding="utf-8")
    chain = make_judge(f"scripted:{script},scripted:{script}", environ={}, tools={})
    assert (await chain.answer("s", {"q": Noul(instructions="q")})).readings["q"].reason == "abstained"


@pytest.mark.anyio
async def test_a_script_file_makes_a_judge_and_another_a_writer(tmp_path: Path) -> None:
    script, texts = tmp_path / "script.json", tmp_path / "texts.json"
    script.write_text('{"q": [0.8, 0.1]}', encoding="utf-8")
    texts.write_text('["first", "第二"]', encoding="utf-8")
    judge = make_judge(f"scripted:{script}", environ={}, tools={})
    assert isinstance(judge, ScriptedJudge)
    assert (await judge.answer("s", {"q": Noul(instructions="q")})).readings["q"].kind == "answered"
    writer = make_writer(f"scripted:{texts}", environ={})
    drafts = [(await writer.write(REQUEST)).text for _ in range(2)]
    assert drafts == ["first", "第二"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(b"[1", "not JSON", id="cut"),
        pytest.param(b"\xff", "not JSON in UTF-8", id="binary"),
        pytest.param(b'{"a": 1, "a": 2}', "not JSON", id="a-repeated-key"),
    ],
)
def test_a_script_that_is_broken_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    script = tmp_path / "script.json"
    script.write_bytes(text)
    with pytest.raises(SettingsError, match=message):
        make_judge(f"scripted:{script}", environ={}, tools={})


def test_a_script_of_the_wrong_shape_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"q": 1}', encoding="utf-8")
    with pytest.raises(SettingsError, match="must hold one JSON list of texts"):
        make_writer(f"scripted:{script}", environ={})


def own(tools: object) -> ScriptedJudge:
    """What a user's module may offer behind `rules:module:attribute`."""
    return ScriptedJudge({}, judge=repr(tools))


def test_a_judge_of_ones_own_is_made_from_the_tool_table(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("my_rules")
    module.own = own  # type: ignore[attr-defined] # a module made here
    monkeypatch.setitem(sys.modules, "my_rules", module)
    judge = make_judge("rules:my_rules:own", environ={}, tools={})
    assert isinstance(judge, ScriptedJudge)
    assert judge.id == "{}"


def test_the_built_in_rules_are_a_judge_that_reports_rules() -> None:
    assert make_judge("rules", environ={}, tools={}).caps.basis == "rule"


def test_the_extractive_writer_is_made_from_its_name() -> None:
    assert make_writer("extractive", environ={}).id == "extractive"


def test_every_profile_names_a_key_and_a_narrow_stranger_is_asked_one_by_one() -> None:
    profiles = parse_profiles(files("interlock").joinpath("judge/profiles.toml").read_text(encoding="utf-8"))
    assert list(profiles) == ["typesafe", "openrouter", "openai-decisions", "laya", "system-one"]
    assert profiles["system-one"].caps == Caps(max_options=26, max_levels=5, max_questions=1, joint_reads=True)
    assert profiles["openrouter"].bare_label
    assert {profile.key_env for profile in profiles.values()} == {
        "TYPESAFE_API_KEY",
        "OPENROUTER_API_KEY",
        "OPENAI_API_KEY",
        "SYSTEM_ONE_API_KEY",
    }


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://h", "/v1/systemone", "https://h/v1/systemone"),
        ("https://h/", "/v1/systemone", "https://h/v1/systemone"),
        ("https://h/v1", "/v1/systemone", "https://h/v1/systemone"),
        ("https://h/v1/", "/v1/systemone", "https://h/v1/systemone"),
        ("https://h/api", "/alpha/decisions", "https://h/api/alpha/decisions"),
        ("https://h/v1", "/alpha/decisions", "https://h/v1/alpha/decisions"),
    ],
)
def test_a_version_in_the_address_is_not_doubled(base: str, path: str, url: str) -> None:
    assert endpoint(base, path) == url


HEAVY = (
    "httpx2",
    "httpcore2",
    "starlette",
    "uvicorn",
    "openai",
    "xllamacpp",
    "opentelemetry",
    "jevcompat",
    "typesafe",
    "numpy",
)
ASK = """
import asyncio, sys
from interlock.questions import Noul
from interlock.testing import ScriptedJudge
from interlock.wiring import make_judge
for judge in (make_judge("rules", environ={}, tools={}), ScriptedJudge({"needs_tool": 1})):
    reply = asyncio.run(judge.answer({"task": "t"}, {"needs_tool": Noul(instructions="q")}))
    assert set(reply.readings) == {"needs_tool"}
print(*sorted(name for name in sys.modules if name.split(".")[0] in HEAVY))
"""


def test_deciding_with_rules_or_a_script_loads_no_network_or_model_library() -> None:
    code = ASK.replace("HEAVY", repr(HEAVY))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_the_reference_page_states_the_limits_of_every_profile() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/judges.md").read_text(encoding="utf-8")
    profiles = parse_profiles(files("interlock").joinpath("judge/profiles.toml").read_text(encoding="utf-8"))
    for name, profile in profiles.items():
        caps = profile.caps
        questions = 1 if caps.joint_reads else caps.max_questions or "any"
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.endswith(f"| {caps.max_options} | {caps.max_levels} | {questions} |")
        for value in (profile.base, profile.key_env, profile.base_env, profile.model_env or profile.alias):
            assert value is None or f"`{value}`" in row
        assert ("optional" in row) != profile.key_required
