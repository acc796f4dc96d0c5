"""What every registry promises: versions that never change, labels that move and go back, a history of both."""

from __future__ import annotations

import pytest

from interlock.errors import PromptError
from interlock.prompts.layers import text_digest
from interlock.registry import DatabaseRegistry, FileRegistry, find_prompt, load_pack, pack_of, shipped_registry

Registry = FileRegistry | DatabaseRegistry
SYSTEM = "Take finish, tool_call, ask_user or replan.\r\n\n  Trailing blanks stay.  \n"
ROLE = "You review code.\n中文也保留。\n"


def test_what_was_published_is_read_back_character_for_character(registry: Registry) -> None:
    registry.publish("rules", "1.0", text=SYSTEM, layer="system")
    registry.publish("review", "1.0", text=ROLE, layer="role")

    for name, text in (("rules", SYSTEM), ("review", ROLE)):
        prompt = registry.get(name, "1.0")
        assert prompt.text == text
        assert prompt.ref().digest == text_digest(text) == registry.index().entries[name].versions["1.0"]


def test_changed_content_under_an_old_number_is_refused(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    before = registry.index()
    with pytest.raises(PromptError, match="give it a new number"):
        registry.publish("review", "1.0", text=f"{ROLE} ")

    assert registry.index() == before
    assert registry.get("review").text == ROLE


def test_the_same_content_again_changes_nothing(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role")

    assert registry.publish("review", "1.0", text=ROLE) == ()
    assert len(registry.index().history) == 1


def test_rollback_restores_the_layer_byte_for_byte(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    first = registry.get("review")
    registry.publish("review", "1.1", text="Another text.", label="production")
    assert registry.get("review").version == "1.1"
    change = registry.rollback("review")

    assert registry.get("review") == first
    assert registry.get("review").text.encode() == ROLE.encode()
    assert (change.act, change.version, change.label) == ("rollback", "1.0", "production")


def test_rollbacks_go_back_one_by_one(registry: Registry) -> None:
    """Not back and forth between the last two."""
    for number in ("1.0", "1.1", "1.2"):
        registry.publish("review", number, text=f"Text {number}", layer="role", label="production")
    seen = [registry.rollback("review").version, registry.rollback("review").version]

    assert seen == ["1.1", "1.0"]
    with pytest.raises(PromptError, match="no earlier version"):
        registry.rollback("review")
    registry.publish("review", "1.2", label="production")
    assert registry.rollback("review").version == "1.0"


def test_history_tells_everything_in_order(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    registry.publish("review", "1.1", text="Other.", label="canary", share=10)
    registry.publish("review", "1.1", label="production")
    registry.rollback("review")

    assert [(item.act, item.version, item.label, item.share) for item in registry.index().history] == [
        ("publish", "1.0", None, None),
        ("label", "1.0", "production", None),
        ("publish", "1.1", None, None),
        ("label", "1.1", "canary", 10),
        ("label", "1.1", "production", None),
        ("rollback", "1.0", "production", None),
    ]
    assert registry.index().history[0].at == "2026-01-02T03:05:05Z"


def test_a_label_moves_and_a_version_is_named_by_its_number(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    registry.publish("review", "1.1", text="Other.", label="canary")

    assert registry.get("review").version == "1.0"
    assert registry.get("review", "canary").version == "1.1"
    assert registry.get("review", "1.1").text == "Other."


def test_a_share_gives_some_keys_another_version_and_always_the_same(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    registry.publish("review", "1.1", text="Other.", label="canary", share=10)
    entry = registry.index().entry("review")
    keys = [f"user-{n}" for n in range(2000)]
    given = {key: entry.resolve("production", key) for key in keys}

    assert registry.get("review", key="user-1").version == given["user-1"]
    assert {key: entry.resolve("production", key) for key in keys} == given
    assert 140 <= sum(version == "1.1" for version in given.values()) <= 260
    assert entry.resolve("production") == "1.0"
    assert entry.resolve("canary", "user-1") == "1.1"


def test_a_growing_share_takes_nobody_back(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    chosen: list[set[str]] = []
    for share in (5, 25, 100):
        registry.publish("review", "1.1", text="Other.", label="canary", share=share)
        entry = registry.index().entry("review")
        chosen.append({key for key in map(str, range(400)) if entry.resolve("production", key) == "1.1"})

    assert chosen[0] < chosen[1] < chosen[2]
    assert len(chosen[2]) == 400


@pytest.mark.parametrize(
    ("name", "version", "text", "layer", "message"),
    [
        pytest.param("Review", "1.0", ROLE, "role", "lower-case letters", id="name"),
        pytest.param("../review", "1.0", ROLE, "role", "lower-case letters", id="a-way-out"),
        pytest.param("review", "v1", ROLE, "role", "a number such as", id="version"),
        pytest.param("review", "1", ROLE, "role", "a number such as", id="version-of-one-part"),
        pytest.param("review", "1.0", " \n", "role", "is empty", id="empty"),
        pytest.param("rules", "1.0", "Say hello.", "system", "does not name the action `finish`", id="no-actions"),
        pytest.param("state", "1.0", "{", "loop", "is not JSON", id="not-json"),
        pytest.param("state", "1.0", "[]", "loop", "is not a JSON object", id="not-an-object"),
        pytest.param("state", "1.0", '{"goal": "", "goal": ""}', "loop", "names a key twice", id="a-key-twice"),
        pytest.param("state", "1.0", '{"goal": ""}', "loop", "lacks", id="keys-missing"),
        pytest.param("review", "1.0", "a\0b", "role", "holds a NUL or half of a character", id="a-nul"),
        pytest.param("review", "1.0", "a\ud800b", "role", "holds a NUL or half of a character", id="half-a-character"),
        pytest.param("review", "1.0", "字" * 400_000, "role", "larger than 1,048,576 bytes", id="too-large"),
        pytest.param("state", "1.0", "[" * 100_000, "loop", "is not JSON", id="too-deep"),
        pytest.param("state", "1.0", '{"goal": NaN}', "loop", "is not JSON", id="not-a-number"),
        pytest.param("new", "1.0", ROLE, None, "is new; say which layer", id="unknown-layer"),
    ],
)
def test_what_cannot_be_used_cannot_be_published(
    *, registry: Registry, name: str, version: str, text: str, layer: str | None, message: str
) -> None:
    with pytest.raises(PromptError, match=message):
        registry.publish(name, version, text=text, layer=layer)  # type: ignore[arg-type]  # a parameter of this test

    assert registry.index().history == ()


def test_a_name_keeps_its_layer(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role")
    with pytest.raises(PromptError, match="is a role layer"):
        registry.publish("review", "1.1", text=SYSTEM, layer="system")


@pytest.mark.parametrize(
    ("label", "share", "message"),
    [
        pytest.param("Canary", None, "lower-case letters", id="label"),
        pytest.param("1.0", None, "lower-case letters", id="like-a-number"),
        pytest.param("canary", 101.0, "from 0 to 100", id="share-too-large"),
        pytest.param("canary", -1.0, "from 0 to 100", id="share-below-zero"),
        pytest.param("canary", float("nan"), "from 0 to 100", id="share-that-is-no-number"),
        pytest.param("canary", 60.0, "come to 110 percent", id="shares-together"),
    ],
)
def test_a_label_that_cannot_be_is_refused(registry: Registry, label: str, share: float | None, message: str) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="beta", share=50)
    with pytest.raises(PromptError, match=message):
        registry.publish("review", "1.0", label=label, share=share)


def test_a_share_without_a_label_is_refused(registry: Registry) -> None:
    with pytest.raises(PromptError, match="a share belongs to a label; name one"):
        registry.publish("review", "1.0", text=ROLE, layer="role", share=10)

    assert registry.index().history == ()


def test_a_label_that_cannot_be_keeps_the_version_unpublished(registry: Registry) -> None:
    """Publishing and labelling are one change."""
    with pytest.raises(PromptError, match="lower-case letters"):
        registry.publish("review", "1.0", text=ROLE, layer="role", label="No!")

    assert registry.index().history == ()
    assert registry.publish("review", "1.0", text="Another text.", layer="role")


@pytest.mark.parametrize(
    ("name", "which", "message"),
    [
        pytest.param("reviw", "1.0", "no prompt `reviw`; did you mean `review`", id="name"),
        pytest.param("review", "1.1", "no version `1.1`; did you mean `1.0`", id="version"),
        pytest.param("review", "prodction", "no label `prodction`; did you mean `production`", id="label"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(registry: Registry, name: str, which: str, message: str) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    with pytest.raises(PromptError, match=message):
        registry.get(name, which)


def test_a_label_cannot_point_to_what_was_never_published(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role")
    with pytest.raises(PromptError, match=r"1\.7"):
        registry.publish("review", "1.7", label="production")


def test_a_registry_of_ones_own_stands_before_the_shipped_one(registry: Registry) -> None:
    registry.publish("web_research", "2.0", text=ROLE, layer="role", label="production")
    both = [registry, shipped_registry()]

    assert find_prompt(both, "web_research").version == "2.0"
    assert find_prompt(both, "web_research@1.0").version == "1.0"
    assert find_prompt(both, "coder").version == "1.0"
    with pytest.raises(PromptError, match=r"no version `9\.9`"):
        find_prompt(both, "coder@9.9")
    with pytest.raises(PromptError, match="no prompt `poet` in"):
        find_prompt(both, "poet")
    pack = load_pack(both)
    assert (pack.role, pack.version) == (ROLE, "decision_engine@1.1 web_research@2.0 state_schema@1.0")


def test_a_pack_takes_each_layer_in_its_place(registry: Registry) -> None:
    registry.publish("review", "1.0", text=ROLE, layer="role", label="production")
    prompt = registry.get("review")
    with pytest.raises(PromptError, match="is a role layer; name a system layer here"):
        pack_of({"system": prompt, "role": prompt, "loop": prompt})


@pytest.mark.parametrize("ref", ["", "@1.0", "name@"])
def test_a_reference_without_a_name_is_refused(ref: str) -> None:
    with pytest.raises(PromptError, match="names no prompt"):
        find_prompt([shipped_registry()], ref)
