"""The skill file beside a module: what it says, and at which line it is wrong."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

from interlock.functions import Skill, SkillError, skills
from interlock.functions.skills import skills_block

GOOD = "---\nname: refunds\ndescription: |\n  Give money\n  back.\ntriggers: [refund, money back]\n---\n\n# Refunds\n"


@pytest.fixture
def module(tmp_path: Path) -> types.ModuleType:
    """A module in a folder of its own."""
    made = types.ModuleType("shop")
    made.__file__ = str(tmp_path / "shop.py")
    return made


def write(module: types.ModuleType, text: str) -> None:
    assert module.__file__ is not None
    Path(module.__file__).with_name("SKILL.md").write_text(text, encoding="utf-8")


def test_a_skill_is_read(module: types.ModuleType) -> None:
    write(module, GOOD)

    assert skills(module) == (Skill(name="refunds", description="Give money back.", triggers=("refund", "money back")),)
    assert skills_block(module) == "Skills:\nrefunds: Give money back. (triggers: refund, money back)"


def test_keys_of_other_readers_are_passed_over(module: types.ModuleType) -> None:
    write(module, "---\nname: a\nlicense: MIT\ndescription: d\n---\n")

    assert skills(module) == (Skill(name="a", description="d", triggers=()),)


def test_no_file_is_no_skill(module: types.ModuleType) -> None:
    assert skills(module) == ()
    assert skills_block(module) == ""
    assert skills(types.ModuleType("typed_in")) == ()


def test_a_changed_file_is_read_again(module: types.ModuleType) -> None:
    write(module, GOOD)
    assert skills(module)[0].name == "refunds"

    write(module, GOOD.replace("name: refunds", "name: money"))

    assert skills(module)[0].name == "money"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("", 1, "front matter is missing", id="empty"),
        pytest.param("# Refunds\n", 1, "front matter is missing", id="no-front-matter"),
        pytest.param("---\nname: a\n", 1, "front matter is not closed", id="not-closed"),
        pytest.param("---\nname: a\ndescription: [\n---\n", 3, "front matter is not YAML", id="no-yaml"),
        pytest.param("---\nname: a\n bad: b\n---\n", 3, "front matter is not YAML", id="bad-indent"),
        pytest.param("---\nname: !!python/name:os.system\n---\n", 2, "is missing", id="a-python-tag"),
        pytest.param("---\n- a\n---\n", 2, "is a mapping", id="a-list"),
        pytest.param("---\ndescription: d\n---\n", 2, "`name` is missing; write text", id="no-name"),
        pytest.param("---\nname: a\n---\n", 2, "`description` is missing; write text", id="no-description"),
        pytest.param("---\ndescription: d\n\nname: 3\n---\n", 4, "`name` is text", id="a-number-for-a-name"),
        pytest.param("---\nname: a\ndescription: 3\n---\n", 3, "`description` is text", id="a-number"),
        pytest.param("---\nname: a\ndescription: d\ntriggers: refund\n---\n", 4, "list of text", id="triggers-as-text"),
        pytest.param(
            "---\nname: a\ndescription: d\ntriggers:\n  - a\n  - 3\n---\n", 6, "list of text", id="a-number-in-it"
        ),
        pytest.param("---\nname: ''\ndescription: d\n---\n", 2, "`name` is text", id="an-empty-name"),
    ],
)
def test_a_bad_file_is_named_with_its_line(module: types.ModuleType, text: str, line: int, message: str) -> None:
    write(module, text)

    with pytest.raises(SkillError, match=rf"SKILL\.md:{line}: .*{message}"):
        skills(module)


def test_a_file_that_is_no_text_is_named(module: types.ModuleType) -> None:
    assert module.__file__ is not None
    Path(module.__file__).with_name("SKILL.md").write_bytes(b"---\nname: \xff\n---\n")

    with pytest.raises(SkillError, match=r"SKILL\.md:2: is not UTF-8"):
        skills(module)
