"""Random patterns that Python's `re` reads as the engine does, and lines on which they can differ."""

from __future__ import annotations

import random
from typing import NamedTuple

ATOMS = (
    *"aaaabbbc01_ -.é",
    *(r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\.", r"\x61", r"\u00e9", r"\t", ".", ".", "ß", "k", "Я"),
    *("[ab]", "[^a]", "[a-c]", "[^a-c]", r"[\d_]", r"[^\w]", r"[^\s]", "[]a]", "[a-]", "[é-я]", "[^é]", r"[\W\d]"),
)
EDGES = ("^", "$", r"\b", r"\B")
REPEATS = ("*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "{0}", "*?", "+?", "??", "{1,3}?", "{0,1}", "{3}", "{,}")
LETTERS = (*"aaaaabbbbc01_ -.é", *"aabb", "k", "K", "ß", "Я", "я", "\t", "\u212a", "\udcff", "\r", "\U0001f600")


class Shape(NamedTuple):
    """How patterns are made: how deep groups go, whether places are asked about, whether groups repeat."""

    deep: int = 2
    edges: bool = True
    groups: bool = True


USUAL = Shape()


def pattern(rng: random.Random, shape: Shape = USUAL) -> str:
    """One pattern."""
    return "|".join(_sequence(rng, shape) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def _sequence(rng: random.Random, shape: Shape) -> str:
    parts = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))):
        if shape.edges and rng.random() < 0.12:
            parts.append(rng.choice(EDGES))
            continue
        inner = shape.deep > 0 and rng.random() < 0.25
        atom = _group(rng, shape) if inner else rng.choice(ATOMS)
        repeat = rng.choice(REPEATS) if rng.random() < 0.35 and (shape.groups or not inner) else ""
        parts.append(atom + repeat)
    return "".join(parts)


def _group(rng: random.Random, shape: Shape) -> str:
    inner = pattern(rng, shape._replace(deep=shape.deep - 1))
    return rng.choice(("(", "(?:")) + inner + ")"


def line(rng: random.Random, most: int = 12) -> str:
    """One line without a line feed."""
    return "".join(rng.choice(LETTERS) for _ in range(rng.randrange(most + 1)))
