"""Content a caller hands to a model: text, or a list of text and image items.

Source: next-step specification, section 17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

__all__ = ["Items", "PromptContent", "TextItem", "read_content", "shown", "text_of", "with_text"]


class TextItem(TypedDict):
    """One piece of text."""

    type: Literal["text"]
    text: str


class ImageItem(TypedDict):
    """One image file."""

    type: Literal["image"]
    path: str


Items: TypeAlias = tuple[TextItem | ImageItem, ...]
PromptContent: TypeAlias = str | Sequence[TextItem | ImageItem]


def read_content(content: object) -> Items:
    """Return the items of `content`.

    Raises:
        TypeError: it is neither text nor a list of items of a known form.
        ValueError: it is empty.
    """
    if isinstance(content, str):
        items: Items = (TextItem(type="text", text=content),)
    elif isinstance(content, list | tuple):
        items = tuple(_item(item) for item in content)
    else:
        raise TypeError(f"the prompt is text or a list of content items, got {type(content).__name__}")
    if not any(item["type"] == "image" or item["text"].strip() for item in items):
        raise ValueError("the prompt is empty; write what is asked")
    return items


def with_text(items: Items, text: str) -> Items:
    """Return `items` followed by `text`: joined to a lone text by a blank line, else as one more item."""
    if len(items) == 1 and items[0]["type"] == "text":
        return (TextItem(type="text", text=f"{items[0]['text']}\n\n{text}"),)
    return (*items, TextItem(type="text", text=text))


def text_of(items: Items) -> str:
    """Return the text of `items`, images left out."""
    return "\n".join(item["text"] for item in items if item["type"] == "text")


def shown(items: Items) -> str:
    """Return `items` as a graph shows them, images by their path."""
    return "\n".join(item["text"] if item["type"] == "text" else f"(image {item['path']})" for item in items)


def _item(item: object) -> TextItem | ImageItem:
    if isinstance(item, Mapping):
        if item.get("type") == "text" and isinstance(item.get("text"), str):
            return TextItem(type="text", text=item["text"])
        if item.get("type") == "image" and isinstance(item.get("path"), str):
            return ImageItem(type="image", path=item["path"])
    raise TypeError('a content item is {"type": "text", "text": …} or {"type": "image", "path": …}')
