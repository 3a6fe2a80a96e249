"""No module imports itself round a corner: the graph of what runs when modules are loaded has no cycle."""

from __future__ import annotations

import pytest

from tests.support.sources import imports, none_of, sources

pytestmark = pytest.mark.once


def graph() -> dict[str, list[str]]:
    """Module -> the modules of ours that it imports at its head. A package is no import of what is below it."""
    tree = sources()
    known = frozenset(source.module for source in tree)
    return {
        source.module: [item.module for item in imports(source.text, known) if not item.late and item.module in known]
        for source in tree
    }


def cycles(edges: dict[str, list[str]]) -> list[str]:
    """The cycles that a walk in depth meets, each as `a -> b -> a`; empty when there is none."""
    found: list[str] = []
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> None:
        if module in path:
            found.append(" -> ".join([*path[path.index(module) :], module]))
        elif module not in done:
            for inner in edges.get(module, ()):
                walk(inner, [*path, module])
            done.add(module)

    for module in sorted(edges):
        walk(module, [])
    return found


def test_the_import_graph_has_no_cycle() -> None:
    edges = graph()
    assert sum(map(len, edges.values())) > len(edges)
    none_of(cycles(edges))


def test_a_cycle_is_found() -> None:
    assert cycles({"a": ["b"], "b": ["c"], "c": []}) == []
    assert cycles({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b -> c -> b"]
    assert cycles({"a": ["a"]}) == ["a -> a"]
