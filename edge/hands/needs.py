"""What a tool needs besides Fieldhand, and whether it is here. Nothing is imported and nothing is run to find out."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Package -> what brings it, where that is not the package's own name.
_EXTRAS = {"dulwich": "git"}


def missing(needs: Iterable[str]) -> str:
    """Why a tool with these needs (`library:NAME`, `program:/PATH`) cannot be offered; "" when all is here."""
    for need in needs:
        kind, _, name = need.partition(":")
        if kind == "program" and not os.access(name, os.X_OK):
            return f"there is no {name} on this system"
        if kind == "library" and not _importable(name):
            extra = _EXTRAS.get(name)
            return f"the Python package {name} is not installed" + (
                f": pip install fieldhand[{extra}]" if extra else ""
            )
    return ""


def _importable(name: str) -> bool:
    from _frozen_importlib_external import PathFinder

    return PathFinder.find_spec(name) is not None
