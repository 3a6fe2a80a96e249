"""Text for people and models: spans of time in words. Built-in modules only."""

from __future__ import annotations


def span(seconds: float) -> str:
    """A duration as a person says it: `2 min`, `1 h 30 min`, `45 s`, `1.5 s`."""
    if seconds < 60:
        return f"{seconds:g} s" if seconds == int(seconds) else f"{seconds:.1f} s"
    whole = int(seconds + 0.5)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    said = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(said[:2])
