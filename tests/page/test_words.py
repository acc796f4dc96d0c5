"""Every word of the page has its Chinese, and nothing is translated that the page does not say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import interlock.server
from interlock.server.site.drawing import environment
from interlock.server.site.language import LANGUAGES, catalogue

TEMPLATES = sorted((Path(interlock.server.__file__).parent / "templates").glob("*.html"))
PLACES = re.compile(r"%\(\w+\)[sd]")


def said() -> set[str]:
    """Return every message that a template holds."""
    found: set[str] = set()
    for template in TEMPLATES:
        for _, _, message in environment("en").extract_translations(template.read_text(encoding="utf-8")):  # type: ignore[attr-defined]  # added by the extension
            found.update(message if isinstance(message, tuple) else (message,))
    return found - {None}


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_a_language_says_all_that_the_page_says_and_nothing_else(language: str) -> None:
    known = catalogue(language)

    assert said() - set(known) == set()
    assert set(known) - said() == set()
    assert [text for text, told in known.items() if not told.strip()] == []


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_a_translation_fills_in_what_the_message_fills_in(language: str) -> None:
    for text, told in catalogue(language).items():
        assert sorted(PLACES.findall(text)) == sorted(PLACES.findall(told)), text


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_a_template_brings_neither_style_nor_script_of_its_own(template: Path) -> None:
    """The page's own policy would not run them."""
    text = template.read_text(encoding="utf-8")

    assert not re.search(r"\sstyle\s*=|\son\w+\s*=|javascript:", text)
    assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", text)
    assert not re.search(r"(?:src|href|action|hx-\w+)\s*=\s*\"(?:https?:)?//", text)
