"""What tools say of themselves in other languages, as data. English stands in the file of each tool.

Rules:
1. One module a language, `TOOLS`: canonical name -> one line. A tool without a line there speaks English.
2. The model and the operator are shown the same words.
"""

from __future__ import annotations

from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from edge.tool import Tool

LOCALES = ("en", "de")


def speaking(tools: Iterable[Tool], locale: str) -> tuple[Tool, ...]:
    """The tools with their lines in `locale`, one of LOCALES."""
    if locale != "de":
        return tuple(tools)
    from edge.locales.de import TOOLS

    return tuple([replace(tool, about=TOOLS[tool.name]) if tool.name in TOOLS else tool for tool in tools])
