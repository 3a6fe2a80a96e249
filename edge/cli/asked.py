"""A question as lines: the whole of it, so that what is allowed is what was read.

Rules:
1. Nothing is cut, whatever its length, and nothing is deleted: what a terminal would act on is written out
   (edge.text.visible). Arguments that the physical words do not hold are shown as they are.
2. Every line begins with a mark of our own: `? ` the question, `  | ` the next line of a text of many lines, `  : `
   the rest of a line that was too long. So no text can look like a line of ours, however it is broken.
3. A line is broken behind a blank where there is one near its end, else where it is full; the pieces put together are
   the text. A character beyond ASCII counts as two columns.
"""

from __future__ import annotations

from edge.text import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.approve import Question

NARROWEST = 24
NEXT, REST = "  | ", "  : "
_ODD = frozenset(" \"'[]{}")
SHORT = 60  # characters of a value that stands beside others on one line


def lines(question: Question, width: int) -> list[str]:
    """The question in lines of at most `width` columns (24 at least): words, arguments, risk, effects, remarks."""
    found = list(block("? ", question.words, width))
    for mark, value in _unsaid(question):
        found += block(mark, value, width)
    found += block("  ", f"{question.risk} risk [{question.rule}]: {question.sentence}", width)
    if len(question.effects) > 1:
        found += block("  touches: ", "; ".join(visible(effect, len(effect)) for effect in question.effects), width)
    for remark in question.remarks:
        found += block("  note: ", remark, width)
    return found


def block(mark: str, text: str, width: int) -> Iterator[str]:
    """`text` whole, behind `mark`, in lines of at most `width` columns (rules 2 and 3)."""
    for number, line in enumerate(text.split("\n")):
        rest = visible(line, len(line))
        begin = NEXT if number else mark
        if len(begin) > width // 2:
            yield begin
            begin = REST
        while True:
            end = _end(rest, max(width, NARROWEST) - len(begin))
            yield begin + rest[:end]
            rest, begin = rest[end:], REST
            if not rest:
                break


def _end(text: str, room: int) -> int:
    """How many characters of `text` stand on one line of `room` columns."""
    used = 0
    for at, letter in enumerate(text):
        used += 1 if letter < "\x7f" else 2
        if used > room:
            blank = text.rfind(" ", max(1, at * 2 // 3), at)
            return blank + 1 if blank > 0 else max(1, at)
    return len(text)


def _unsaid(question: Question) -> list[tuple[str, str]]:
    """The arguments that the words do not hold, with their marks: short ones as one call, longer ones each alone."""
    short: list[str] = []
    long_: list[tuple[str, str]] = []
    for name, value in question.call.args.items():
        text = value if isinstance(value, str) else _json(value)
        if len(text) > 8 and text in question.words:
            continue
        if len(text) > SHORT or "\n" in text:
            long_.append((f"  {visible(str(name))} = ", text))
        else:
            bare = not isinstance(value, str) or (value.isascii() and value.isprintable() and not set(value) & _ODD)
            short.append(f"{visible(str(name))}={text if bare and text else _json(text)}")
    rows = [("  exactly: ", " ".join([question.call.tool, *short]))] if short else []
    return rows + long_


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
