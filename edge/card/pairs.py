"""KEY=value lines, as the release file and the facts of a boot are written (os-release(5) is of the kind)."""

from __future__ import annotations


def read(text: str) -> dict[str, str]:
    """The values by their keys; of two lines with one key the last counts. Lines without `=` and comments are let by.

    A value is taken without the blanks around it, and without quotation marks that stand around all of it.
    """
    found = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[name.strip()] = _bare(value.strip())
    return found


def _bare(value: str) -> str:
    within = value[1:-1]
    return within if len(value) > 1 and value == f'"{within}"' and '"' not in within else value
