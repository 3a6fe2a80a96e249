"""One picture of a board for `hil watch`: what `show` answers -> lines that fit a terminal, or what changed. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edge.cli.sim_frame import columns, fit
from edge.text import plain, span

Shown = Mapping[str, Any]
Facts = dict[str, str]


def lines(shown: Shown, width: int, height: int = 0) -> list[str]:
    """The picture."""
    resets = "" if shown["resets"] is None else f", {shown['resets']} resets"
    found = [f"{shown['board']}: {shown['title']}, on for {span(int(shown['up']))}{resets}", console(shown["console"])]
    for title, cells in (("lines", _lines(shown)), ("parts", _parts(shown))):
        told = columns([f"  {name:<8} {what}" for name, what in cells.items()], width)
        found += ["", title, *(told or [f"  {shown['lacks'].get(title, 'all are at rest')}"])]
    return fit(found, width, height)


def console(told: Shown) -> str:
    """How much it said, when, and its last line."""
    text = plain(told["end"]).rstrip()
    last = text.rpartition("\n")[2]
    return f"console: {told['bytes']} bytes, quiet for {span(int(told['quiet']))}: {last}"


def facts(shown: Shown) -> Facts:
    """What counts as a change, by name."""
    resets = {} if shown["resets"] is None else {"resets": str(shown["resets"])}
    return {**_lines(shown), **_parts(shown), **resets}


def changes(before: Facts, now: Facts) -> list[str]:
    """A line for each fact that is new or another one; one that is none any more is told too."""
    found = [f"{name} {what}" for name, what in now.items() if before.get(name) != what]
    return found + [f"{name} no more" for name in before if name not in now]


def _lines(shown: Shown) -> Facts:
    return {name: f"{way:<4} {'high' if level else 'low'}" for name, (way, level) in shown["lines"].items()}


def _parts(shown: Shown) -> Facts:
    found = {}
    for name, values in shown["parts"].items():
        for quantity, value in values.items():
            one = len(values) == 1
            found[name if one else f"{name}.{quantity}"] = f"{quantity} {value:g}" if one else f"{value:g}"
    return {**found, **{f"{name} fails": mode for name, mode in shown["modes"].items()}}
