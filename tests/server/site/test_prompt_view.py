"""What a change to a registry would do is known before it is made, and is sealed to what was seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from interlock.errors import PromptError
from interlock.registry import FileRegistry
from interlock.server.site.prompt_view import Wish, coming, entry_in, listed, next_version

WISH = Wish(act="publish", name="clerk", version="1.2", layer=None, text="Three.\n", label="production", share=None)


@pytest.fixture
def registry(tmp_path: Path) -> FileRegistry:
    """Return a registry with two versions."""
    made = FileRegistry(tmp_path)
    made.publish("clerk", "1.0", text="One.\n", layer="role", label="production")
    made.publish("clerk", "1.1", text="Two.\n", label="production")
    return made


def test_a_publication_is_compared_with_what_its_label_means(registry: FileRegistry) -> None:
    found = coming(registry, WISH)

    assert [(change.act, change.version, change.label) for change in found.changes] == [
        ("publish", "1.2", None),
        ("label", "1.2", "production"),
    ]
    assert found.before == "1.1"
    assert found.sides is not None
    assert found.sides.rows[0].kind == "changed"
    assert "1.2" not in registry.index().entry("clerk").versions


def test_a_rollback_goes_to_the_version_before(registry: FileRegistry) -> None:
    found = coming(registry, replace(WISH, act="rollback"))

    assert [(change.act, change.version) for change in found.changes] == [("rollback", "1.0")]
    assert found.before == "1.1"


def test_a_new_prompt_has_nothing_to_compare_with(registry: FileRegistry) -> None:
    found = coming(registry, replace(WISH, name="other", version="1.0", layer="role", label=""))

    assert (found.before, found.sides) == (None, None)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"text": "Four.\n"}, id="text"),
        pytest.param({"version": "1.3"}, id="version"),
        pytest.param({"label": "canary"}, id="label"),
        pytest.param({"label": "canary", "share": 5.0}, id="share"),
        pytest.param({"act": "rollback"}, id="act"),
    ],
)
def test_another_wish_has_another_seal(changed: dict[str, object], registry: FileRegistry) -> None:
    first = coming(registry, WISH).seal

    assert coming(registry, WISH).seal == first
    assert coming(registry, replace(WISH, **changed)).seal != first  # type: ignore[arg-type]  # parts by name


def test_a_change_by_somebody_else_breaks_the_seal(registry: FileRegistry) -> None:
    first = coming(registry, WISH).seal
    registry.publish("another", "1.0", text="Other.\n", layer="role")
    assert coming(registry, WISH).seal == first

    registry.rollback("clerk")
    assert coming(registry, WISH).seal != first


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        pytest.param({"text": "", "label": ""}, "give its text", id="nothing"),
        pytest.param({"version": "1.1", "text": "Two.\n", "label": ""}, "published already", id="the-same"),
        pytest.param({"version": "1.1"}, "give it a new number", id="another-text"),
        pytest.param({"act": "rollback", "label": "canary"}, "no earlier version", id="no-label"),
        pytest.param({"name": "other"}, "say which layer", id="no-layer"),
        pytest.param({"text": "", "version": "7.0"}, "no version `7.0`", id="no-version"),
    ],
)
def test_what_cannot_be_done_is_said_before(changed: dict[str, object], told: str, registry: FileRegistry) -> None:
    with pytest.raises(PromptError, match=told):
        coming(registry, replace(WISH, **changed))  # type: ignore[arg-type]  # parts by name


def test_a_text_that_was_changed_by_hand_says_so_and_the_rest_is_shown(registry: FileRegistry, tmp_path: Path) -> None:
    (tmp_path / "roles" / "clerk_v1.1.txt").write_text("Tampered.\n", encoding="utf-8")
    (tmp_path / "roles" / "draft_v0.1.txt").write_text("A draft.\n", encoding="utf-8")

    opened = entry_in(registry, "clerk", "", is_own=True)

    assert opened.prompt is None
    assert "is not what was published" in opened.problem
    assert [change.act for change in opened.history] == ["label", "publish", "label", "publish"]
    assert listed(registry, is_own=True).unpublished == ("roles/draft_v0.1.txt",)


@pytest.mark.parametrize(
    ("versions", "after"),
    [
        pytest.param([], "1.0", id="none"),
        pytest.param(["1.0", "1.9"], "1.10", id="two-parts"),
        pytest.param(["1.2.3"], "1.2.4", id="three-parts"),
    ],
)
def test_the_next_number(versions: list[str], after: str) -> None:
    assert next_version(versions) == after
