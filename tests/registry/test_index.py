"""A history that no registry would have written is refused where it is read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interlock.errors import PromptError
from interlock.registry.index import Change, Index, fold, label_change, publish_change

AT = "2026-01-02T03:04:05.000006Z"


def _published() -> Change:
    made = publish_change(Index(entries={}, history=()), at=AT, name="r", version="1.0", layer="role", digest="d" * 16)
    assert made is not None
    return made


def test_a_version_that_is_published_twice_is_refused() -> None:
    published = _published()
    with pytest.raises(PromptError, match=r"`r@1\.0`: is published twice"):
        fold([published, published])


def test_a_label_that_goes_back_to_where_it_never_was_is_refused() -> None:
    published = _published()
    pointed = label_change(fold([published]), at=AT, name="r", version="1.0", label="production", share=None)
    with pytest.raises(PromptError, match=r"label `production` did not point to `1\.0` before"):
        fold([published, pointed, replace(pointed, act="rollback")])
