"""The linear regex engine: patterns written by a model, searched in time that grows with the text and nothing else."""

from __future__ import annotations

from edge.faults import ToolFault
from edge.regex.parse import fixed as parse_fixed
from edge.regex.parse import parse
from edge.regex.regex import Regex
from edge.regex.tree import Alt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PATTERNS = 200


def compile(pattern: str | Sequence[str], ignore_case: bool = False, words: bool = False, fixed: bool = False) -> Regex:
    """A Regex for a pattern, or for any of several.

    `ignore_case`: characters of one case family are the same. `words`: no word character stands right before a match
    or right after it. `fixed`: the text stands for itself. ToolFault names what is broken or not supported, and where.
    """
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    if not patterns or len(patterns) > MOST_PATTERNS:
        raise ToolFault(f"{len(patterns)} patterns were given; 1 to {MOST_PATTERNS} can be searched for at once")
    trees = [parse_fixed(text, ignore_case) if fixed else parse(text, ignore_case) for text in patterns]
    return Regex(trees[0] if len(trees) == 1 else Alt(tuple(trees)), ignore_case, words)
