"""Every link between the pages of the repository leads somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
PAGES = sorted([*REPO.glob("*.md"), *(REPO / "docs").rglob("*.md"), *(REPO / "spec").glob("*.md")])
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def _text(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    """Return what the headings of a page are linked as."""
    found: set[str] = set()
    for heading in _HEADING.findall(_text(page)):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(plain if plain not in found else f"{plain}-1")
    return found


def _broken(page: Path) -> Iterator[str]:
    for target in _LINK.findall(re.sub(r"`[^`\n]*`", "", _text(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = page if not path else page.parent / path
        if not to.exists() or (anchor and to.suffix == ".md" and anchor not in _anchors(to)):
            yield target


@pytest.mark.parametrize("page", [pytest.param(page, id=page.relative_to(REPO).as_posix()) for page in PAGES])
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert list(_broken(page)) == []


def test_the_list_of_pages_names_every_page() -> None:
    index = REPO / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in _LINK.findall(_text(index))}
    pages = {page for page in PAGES if page.is_relative_to(index.parent) and page.parent.name != "adr"} - {index}
    assert pages - linked == set()
