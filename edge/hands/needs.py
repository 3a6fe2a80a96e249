"""What a tool needs besides Fieldhand, and whether it is here. Nothing is imported and nothing is run to find out."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Package -> what pip is asked for. Not an extra of Fieldhand: a checkout that was never installed has none to add to,
# and pip would look for a stranger's package of that name.
_BROUGHT_BY = {"dulwich": "'dulwich>=0.24,<2'", "serial": "pyserial"}


def missing(needs: Iterable[str]) -> str:
    """Why a tool with these needs (`library:NAME`, `program:/PATH`) cannot be offered; "" when all is here."""
    for need in needs:
        kind, _, name = need.partition(":")
        if kind == "program" and not os.access(name, os.X_OK):
            return f"there is no {name} on this system"
        if kind == "library" and not _importable(name):
            wanted = _BROUGHT_BY.get(name)
            return f"the Python package {name} is not installed" + (f": pip install {wanted}" if wanted else "")
    return ""


def _importable(name: str) -> bool:
    from _frozen_importlib_external import PathFinder

    return PathFinder.find_spec(name) is not None
