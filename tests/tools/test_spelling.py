"""A path inside a root has one spelling; each other one is refused with its reason."""

from __future__ import annotations

import pytest

from interlock.errors import ToolError
from interlock.tools.spelling import path_names, unspeakable


@pytest.mark.parametrize(
    ("path", "names"),
    [
        pytest.param("a.txt", ("a.txt",), id="a-name"),
        pytest.param("./a/b.txt", ("a", "b.txt"), id="from-here"),
        pytest.param("文档/é.md", ("文档", "é.md"), id="any-script"),
    ],
)
def test_a_plain_path_is_its_names(path: str, names: tuple[str, ...]) -> None:
    assert path_names(path, strict_names=True) == names
    assert not unspeakable(path)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        pytest.param("", "the path is empty", id="empty"),
        pytest.param("./", "the path is empty", id="here"),
        pytest.param("x" * 5000, "has 5000 characters", id="long"),
        pytest.param("a\x00b", "control or invisible", id="a-control-character"),
        pytest.param("a\\b", "holds a backslash", id="a-backslash"),
        pytest.param("e\u0301.md", "changes when normalised", id="not-composed"),
        pytest.param("/etc/passwd", "is absolute", id="absolute"),
        pytest.param("a/../../b", "leaves the working directory", id="upwards"),
        pytest.param("a//b", "is not a plain path", id="two-slashes"),
        pytest.param("a/./b", "is not a plain path", id="a-dot-within"),
        pytest.param("/".join("a" * 129), "has 129 names", id="deep"),
    ],
)
def test_any_other_spelling_is_refused(path: str, says: str) -> None:
    with pytest.raises(ToolError, match=says):
        path_names(path, strict_names=False)
    assert unspeakable(path)


@pytest.mark.parametrize("name", ["con", "LPT1.txt", "a:b", "dot.", "space "])
def test_a_name_that_some_system_reads_otherwise_is_refused_where_it_matters(name: str) -> None:
    assert path_names(f"a/{name}", strict_names=False) == ("a", name)
    with pytest.raises(ToolError, match="the system reads as something else"):
        path_names(f"a/{name}", strict_names=True)
