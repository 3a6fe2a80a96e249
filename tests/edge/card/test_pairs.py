from __future__ import annotations

from edge.card import pairs


def test_values_are_found_by_their_keys() -> None:
    text = '# A=0\nA=1\nB = "two words" \nC="x" and "y"\nno pair\nD=a=b\nA=3\nE=\nF="\n'
    assert pairs.read(text) == {"A": "3", "B": "two words", "C": '"x" and "y"', "D": "a=b", "E": "", "F": '"'}
