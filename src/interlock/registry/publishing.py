"""What a publication changes, whichever registry keeps it.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from interlock.errors import PromptError
from interlock.prompts import LAYERS, Layer
from interlock.prompts.layers import text_digest
from interlock.registry.base import check_text
from interlock.registry.index import Change, Index, fold, label_change, publish_change

__all__ = ["known_layer", "publication"]


def publication(
    index: Index,
    *,
    at: str,
    name: str,
    version: str,
    text: str | None,
    layer: Layer | None,
    label: str | None,
    share: float | None,
) -> tuple[Change, ...]:
    """Return the changes that publish `text`, where there is one, and that let `label` point to the version.

    Raises:
        PromptError: the text cannot be used, the version was published with another, or the label cannot be.
    """
    if share is not None and label is None:
        raise PromptError(f"`{name}@{version}`: a share belongs to a label; name one")
    changes: list[Change] = []
    if text is not None:
        found = layer or known_layer(index, name)
        check_text(found, text)
        published = publish_change(index, at=at, name=name, version=version, layer=found, digest=text_digest(text))
        changes += [] if published is None else [published]
    elif label is None:
        raise PromptError(f"`{name}@{version}`: a database reads no file by itself; give the text, as `--file`")
    if label is not None:
        after = fold((*index.history, *changes))
        changes.append(label_change(after, at=at, name=name, version=version, label=label, share=share))
    return tuple(changes)


def known_layer(index: Index, name: str) -> Layer:
    """Return which layer a published name is.

    Raises:
        PromptError: it was never published.
    """
    if name not in index.entries:
        raise PromptError(f"`{name}`: is new; say which layer it is: {', '.join(LAYERS)}")
    return index.entries[name].layer
