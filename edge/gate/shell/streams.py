"""What commands write, and what the next one is given to read. Pure."""

from __future__ import annotations

from edge.gate.shell.state import MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.state import Value


class Stream:
    """What a command writes or is given to read: `text` when known, `taint` where it came from, `below` paths.

    `taint`: "" or FETCHED. `below`: folders and files of which it names some. `plain`: words without slashes.
    `bare`: of `below` it writes the names alone, which may begin with a dash.
    """

    __slots__ = ("bare", "below", "plain", "taint", "text")

    def __init__(
        self,
        text: Value | None = None,
        taint: str = "",
        below: tuple[str, ...] = (),
        plain: bool = False,
        bare: bool = False,
    ) -> None:
        self.bare = bare
        self.text = text
        self.taint = taint
        self.below = below
        self.plain = plain


def joined(streams: list[Stream]) -> Stream:
    """What commands one after another write."""
    taint = next((stream.taint for stream in streams if stream.taint), "")
    below = tuple(path for stream in streams for path in stream.below)
    texts = [stream.text for stream in streams]
    if texts and all(text is not None and len(text) == 1 for text in texts):
        whole = "".join(text[0] for text in texts if text)
        return Stream((whole,) if len(whole) < 65536 else None, taint)
    below = below if all(stream.below or stream.text == ("",) for stream in streams) else ()
    return Stream(None, taint, below, bare=any(stream.bare for stream in streams))


def either(streams: list[Stream]) -> Stream:
    """What one of several commands writes."""
    taint = next((stream.taint for stream in streams if stream.taint), "")
    texts: list[str] = []
    for stream in streams:
        if stream.text is None:
            below = tuple(path for each in streams for path in each.below)
            plain = all(each.plain for each in streams)
            bare = any(each.bare for each in streams)
            return Stream(None, taint, below if all(each.below for each in streams) else (), plain, bare)
        texts += stream.text
    return Stream(tuple(dict.fromkeys(texts)) if len(texts) <= MOST else None, taint)
