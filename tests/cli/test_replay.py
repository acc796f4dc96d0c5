"""`interlock replay` and `interlock diff` from outside, on a journal that real runs have left."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.contract.declaration import capabilities_to_json
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_text

SHOP = Path(__file__).parents[2] / "examples" / "shop"
TEXT = shipped_text()


def interlock(*args: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of two runs."""
    directory = tmp_path_factory.mktemp("recorded")
    shop = shutil.copytree(SHOP, directory / "shop")
    for task in ("Which function does src/alpha.ts export?", "List the files"):
        code, _, _ = interlock("run", task, "--cwd", shop, "--journal", directory / "journal.db")
        assert code == 0
    return directory / "journal.db"


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    """The shipped contract with one threshold raised, one question reworded and one gate gone."""
    path = tmp_path / "DECISION.md"
    text = TEXT.replace("prob:done >= 0.6", "prob:done >= 0.99").replace("How risky is", "How dangerous is")
    path.write_text(text.replace("  - prob:needs_auth >= 0.5 → ask_human\n", ""), encoding="utf-8")
    return path


def statuses(*flags: object) -> Counter[str]:
    """Return status → how many decisions; how the judge finds its way is not what is tested here."""
    return sum((Counter(counts) for counts in told("replay", *flags)["counts"].values()), Counter())


def told(*args: object) -> dict[str, Any]:
    code, out, _ = interlock(*args, "--json")
    assert code in (0, 1)
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_without_a_change_every_decision_is_the_same(place: Path) -> None:
    code, out, _ = interlock("replay", "--journal", place, "--fail-on-change")
    assert code == 0
    found = statuses("--journal", place)
    assert set(found) <= {"same", "discarded"}
    assert out.startswith(f"2 runs, {found.total()} decisions: {found['same']} same")
    assert "changed:" not in out


def test_a_threshold_lists_what_it_changes(place: Path) -> None:
    flags = ("replay", "--journal", place, "--gate", "is_done=0.99")
    code, out, _ = interlock(*flags)
    assert code == 0
    before, after = statuses("--journal", place), statuses(*flags[1:])
    assert (after["changed"], after["same"]) == (2, before["same"] - 2)
    assert f"{after['same']} same, 2 changed" in out
    assert re.search(r"^is_done +\d+  .*2 changed.*\n +2  finish → keep_going$", out, re.MULTILINE)
    assert out.count("  is_done: finish → keep_going  else → keep_going, margin") == 2
    assert interlock(*flags, "--fail-on-change")[0] == 1


def test_one_run_can_be_named(place: Path) -> None:
    answer = told("replay", "last", "--journal", place, "--gate", "is_done=0.99")
    assert (answer["runs"], len(answer["changed"])) == (1, 1)
    assert answer["gates"] == {"is_done": 0.99}
    assert answer["contract_digest"] is None
    assert interlock("replay", "nobody", "--journal", place)[0] == 1


def test_another_contract_lists_what_needs_a_judge(place: Path, contract: Path) -> None:
    code, out, _ = interlock("replay", "--journal", place, "--contract", contract, "--fail-on-change")
    assert code == 1
    calls = sum(
        item["decision"] == "grade_risk" for item in told("replay", "--journal", place, "--contract", contract)["fresh"]
    )
    assert f"2 changed, {calls} need a fresh judgement" in out
    assert f"needs a fresh judgement: {calls} records, {calls} requests, tokens unknown\n" in out
    assert "  grade_risk: question `risk`: instructions changed\n" in out
    assert "(after an earlier change of its run)" in out


def test_gates_and_a_contract_go_together(place: Path, contract: Path) -> None:
    flags = ("replay", "--journal", place, "--contract", contract, "--gate", "is_done=0.6")
    assert told(*flags)["changed"] == []


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        pytest.param(["--gate", "is_don=0.7"], 2, "no such threshold; did you mean `is_done`?", id="unknown-gate"),
        pytest.param(["--gate", "is_done=7"], 1, "out-of-range", id="gate-out-of-range"),
        pytest.param(["--gate", "is_done"], 2, "write `decision.question=number`", id="gate-without-number"),
        pytest.param(["--contract", "nowhere.md"], 2, "no such file", id="no-contract"),
        pytest.param(["--capabilities", "none"], 2, "`none` compiles nothing here", id="no-host"),
    ],
)
def test_what_cannot_be_decided_under_is_said(place: Path, flags: list[str], code: int, says: str) -> None:
    found, out, err = interlock("replay", "--journal", place, *flags)
    assert (found, out) == (code, "")
    assert says in err


def test_a_schema_of_another_release_has_its_own_exit_code(place: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text(TEXT.replace("decision-contract/v1", "decision-contract/v9"), encoding="utf-8")
    assert interlock("replay", "--journal", place, "--contract", other)[0] == 3
    assert interlock("diff", other, other)[0] == 3


def test_a_damaged_row_stops_the_replay_and_is_named(place: Path, tmp_path: Path) -> None:
    copy = tmp_path / "journal.db"
    with sqlite3.connect(place) as original, sqlite3.connect(copy) as connection:
        original.backup(connection)
    connection.execute("UPDATE events SET body = replace(body, '\"readings\":', '\"reading\":') WHERE seq = 4")
    connection.commit()
    connection.close()
    original.close()
    code, _, err = interlock("replay", "--journal", copy)
    assert code == 1
    assert "row 4: `readings` is missing; run `interlock verify`" in err


def test_a_contract_compared_with_itself_has_no_change(contract: Path) -> None:
    assert interlock("diff", contract, contract) == (
        0,
        "no change of meaning\n",
        interlock("diff", contract, contract)[2],
    )


def test_changes_are_grouped_by_decision_and_gates_are_counted(tmp_path: Path, contract: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text(TEXT, encoding="utf-8")
    code, out, _ = interlock("diff", old, contract)
    assert code == 1
    assert out.splitlines() == [
        "grade_risk",
        "  ~ question `risk`: instructions: How risky is this tool call? → How dangerous is this tool call?",
        "  - gate `prob:needs_auth >= 0.5 → ask_human`",
        "is_done",
        "  ~ threshold of `prob:done >= 0.6 → finish`: 0.6 → 0.99",
        "3 changes of meaning; gates lost: 1",
    ]


def test_a_difference_tells_which_recorded_decisions_it_flips(place: Path, tmp_path: Path, contract: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text(TEXT, encoding="utf-8")
    answer = told("diff", old, contract, "--runs", "all", "--journal", place)
    assert [change["part"] for change in answer["changes"]] == ["question", "gate", "threshold"]
    assert (answer["runs"]["runs"], len(answer["runs"]["changed"]), len(answer["runs"]["fresh"])) == (2, 2, 3)
    _, out, _ = interlock("diff", old, contract, "--runs", "last", "--journal", place)
    assert "1 run, 9 decisions" in out
    assert told("diff", old, contract)["runs"] is None


def test_a_host_of_its_own_can_be_named(place: Path, tmp_path: Path, contract: Path) -> None:
    host = tmp_path / "host.json"
    host.write_text(json.dumps(capabilities_to_json(REFERENCE)), encoding="utf-8")
    assert told("replay", "--journal", place, "--capabilities", host)["changed"] == []
    assert told("diff", contract, contract, "--capabilities", host)["changes"] == []
