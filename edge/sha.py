"""SHA-256 without OpenSSL: hashlib loads that first, which costs a third of an interpreter's start. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def sha256() -> Callable[[bytes], Any]:
    """What makes a hash of bytes, as hashlib.sha256 does: Python's own, else whatever hashlib has. Ask once."""
    from sys import version_info

    try:
        if version_info < (3, 12):  # to look for a module that is not there costs more than hashlib
            from _sha256 import sha256 as found  # type: ignore[import-not-found]
        else:
            from _sha2 import sha256 as found  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256 as found
    made: Callable[[bytes], Any] = found
    return made
