"""A session graph as a tree: nested, bounded, and without what is hidden."""

from __future__ import annotations

from interlock.functions.visibility import Node, NodeKind
from interlock.server.site.session_view import MAX_DEPTH, MAX_NODES, Branch, tree_of


def node(seq: int, caller: int | None, kind: NodeKind = "function", **parts: object) -> Node:
    usual: dict[str, object] = {
        "name": f"n{seq}",
        "input": {"x": seq},
        "output": "out",
        "status": "ok",
        "duration_s": 0.1 * (seq + 1),
    }
    return Node(seq=seq, caller=caller, kind=kind, **{**usual, **parts})  # type: ignore[arg-type]  # parts by name


def names(branches: tuple[Branch, ...]) -> list[object]:
    return [(branch.name, names(branch.children)) if branch.children else branch.name for branch in branches]


def test_calls_stand_below_their_caller() -> None:
    tree = tree_of([node(0, None), node(1, 0), node(2, 1, "llm"), node(3, 0, "decision"), node(4, None)])

    assert names(tree.branches) == [("n0", [("n1", ["n2"]), "n3"]), "n4"]
    assert [(mark.seq, mark.y < tree.height, mark.from_y is None) for mark in tree.marks] == [
        (0, True, True),
        (1, True, False),
        (2, True, False),
        (3, True, False),
        (4, True, True),
    ]
    assert max(mark.bar or 0 for mark in tree.marks) == tree.marks[4].bar


def test_what_is_hidden_and_all_below_it_is_left_out() -> None:
    tree = tree_of([node(0, None), node(1, 0, expose="hidden"), node(2, 1), node(3, 0, hidden={"till": "SECRET"})])

    assert names(tree.branches) == [("n0", ["n3"])]
    assert tree.left_out == 0
    assert "SECRET" not in repr(tree)


def test_too_many_and_too_deep_nodes_are_counted() -> None:
    deep = [node(at, at - 1 if at else None) for at in range(1_000)]
    wide = [node(at, None) for at in range(1_000)]

    assert len(tree_of(deep).marks) == MAX_DEPTH
    assert tree_of(deep).left_out == 1_000 - MAX_DEPTH
    assert tree_of(wide).left_out == 1_000 - MAX_NODES


def test_a_node_that_runs_and_one_whose_caller_is_not_there() -> None:
    tree = tree_of([node(7, 3, status="running", duration_s=None, output=None, name="a\u202eb")])

    assert tree.branches[0].duration_ms is None
    assert tree.marks[0].name == "a\\u202eb"
    assert tree_of([]).branches == ()
