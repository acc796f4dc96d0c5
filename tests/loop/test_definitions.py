"""Definitions of several languages, each with its exact lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.loop.definitions import definitions

PYTHON = '''import os

LIMIT = 5
TABLE = {
    "def": "no definition",
}


@cached
@other(1)
def first(
    a: int,
) -> int:
    """def inner(): no."""
    def inner() -> None:
        pass

    return a


async def second() -> None:
    ...


class Third(Base):
    """One."""

    def method(self) -> None:
        pass

# the end
_hidden = 1
'''
TYPESCRIPT = """import { x } from "./x";

interface Item {
  name: string;
}

export const add = (a: number, b: number) => {
  return a + b;
};
export type Kind =
  | "a"
  | "b";
const text = "function no() {";
export default async function main(): Promise<void> {
  // function neither() {
  for (const i of [1]) { add(i, i); }
}
export class Box<T> {
  open(lid: T): void {
    if (lid) { return; }
  }
}
"""
GO = """package p

// Area is a comment.
func Area(w int) int {
\treturn w
}

type Box struct {
\tW int
}

func (b *Box) grow() {
}

const Max = 3
"""
RUST = """#[derive(Debug)]
pub struct P {
    x: i32,
}

pub fn area(w: u32) -> u32
where
    u32: Copy,
{
    w
}

fn hidden() {}
"""
JAVA = """public class Foo {
    @Override
    public int size() {
        return "}".length();
    }

    private static String name(int a) throws E {
        return "x";
    }
}
"""
C = """#include <stdio.h>

static int add(int a, int b)
{
    return a + b;
}

struct point { int x; };

int main(void) {
    return add(1, 2);
}
"""


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param(
            PYTHON,
            "a.py",
            [
                ("LIMIT", "value", 3, 3, True),
                ("TABLE", "value", 4, 6, True),
                ("first", "function", 9, 18, True),
                ("second", "function", 21, 22, True),
                ("Third", "class", 25, 29, True),
                ("_hidden", "value", 32, 32, False),
            ],
            id="python",
        ),
        pytest.param(
            TYPESCRIPT,
            "a.ts",
            [
                ("Item", "class", 3, 5, False),
                ("add", "function", 7, 9, True),
                ("Kind", "value", 10, 12, True),
                ("text", "value", 13, 13, False),
                ("main", "function", 14, 17, True),
                ("Box", "class", 18, 22, True),
            ],
            id="typescript",
        ),
        pytest.param(
            GO,
            "a.go",
            [
                ("Area", "function", 4, 6, True),
                ("Box", "class", 8, 10, True),
                ("grow", "function", 12, 13, False),
                ("Max", "value", 15, 15, True),
            ],
            id="go",
        ),
        pytest.param(
            RUST,
            "a.rs",
            [("P", "class", 1, 4, True), ("area", "function", 6, 11, True), ("hidden", "function", 13, 13, False)],
            id="rust",
        ),
        pytest.param(JAVA, "A.java", [("Foo", "class", 1, 10, True)], id="java"),
        pytest.param(
            C,
            "a.c",
            [("add", "function", 3, 6, True), ("point", "class", 8, 8, True), ("main", "function", 10, 12, True)],
            id="c",
        ),
    ],
)
def test_outer_definitions_have_their_exact_lines(
    text: str, path: str, expected: list[tuple[str, str, int, int, bool]]
) -> None:
    """A copy is byte-identical only if first and last line are right."""
    found = [(d.name, d.kind, d.first, d.last, d.exported) for d in definitions(text, path) if not d.nested]

    assert found == expected


@pytest.mark.parametrize(
    ("text", "path", "names"),
    [
        pytest.param(PYTHON, "a.py", ["inner", "method"], id="python"),
        pytest.param(TYPESCRIPT, "a.ts", ["open"], id="typescript"),
        pytest.param(JAVA, "A.java", ["size", "name"], id="java"),
    ],
)
def test_definitions_inside_of_others_are_marked(text: str, path: str, names: list[str]) -> None:
    assert [d.name for d in definitions(text, path) if d.nested] == names


@settings(max_examples=150, deadline=None)
@given(
    text=st.lists(
        st.sampled_from(["def f(", "class A:", "  x = (", "}", "{", "export function g() {", "`", '"', "/*", "", ")"])
    ).map("\n".join),
    path=st.sampled_from(["a.py", "a.ts", "a"]),
)
def test_any_text_has_definitions_within_its_lines(text: str, path: str) -> None:
    count = text.count("\n") + 1

    assert all(1 <= d.first <= d.line <= d.last <= count for d in definitions(text, path))
