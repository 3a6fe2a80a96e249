"""A web page as readable Markdown: title, headings, paragraphs, lists, links, tables, code.

Rules:
1. What a reader does not read is left out: scripts, styles, forms' controls, navigation, what is marked as hidden.
   When that leaves a page empty, or an element that is left out never ends, the page is read again with only scripts
   and styles left out: a broken page is still a page.
2. Emphasis is left out; it costs more than it tells.
3. Links are absolute, so that they can be fetched; those that lead nowhere (scripts, data, the page itself) are text.
   A frame, and a page that only leads on by itself, is a link as well.
4. Nesting costs nothing: there is no recursion, and beyond LEVELS lists and quotations are not indented further.
5. At most MOST characters come out of a page, whatever goes in; `cut` says that there was more.
"""

from __future__ import annotations

from edge.record import Record
from edge.tools.web_table import Table
from edge.tools.web_tags import CLOSE, TEXT, Tags, attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 2 << 20  # characters
LEVELS = 8
LINK = 2000  # characters of an address
_UNREAD = frozenset(
    (
        *("script", "style", "template", "svg", "math", "canvas", "audio", "video", "object", "iframe"),
        *("textarea", "xmp", "noembed", "noframes", "select", "datalist", "map"),
    )
)
_DRAWN = ("svg", "math")  # the two that may end in their own tag
_LEADING = frozenset(("base", "frame", "iframe", "meta"))
_AROUND = frozenset(("nav", "footer", "aside", "dialog", "button", "menu"))
# Elements that must be ended: only these can be left out for being hidden.
_CLOSED = frozenset(("div", "span", "section", "article", "ul", "ol", "table", "header", "a", "form", "main"))
_BLOCKS = frozenset(
    (
        *("p", "div", "section", "article", "header", "main", "form", "fieldset", "address", "figure"),
        *("figcaption", "details", "summary", "dl", "dt", "center", "body", "html", "head", "hgroup", "search"),
        *("footer", "nav", "aside", "caption", "legend", "noscript", "dialog", "menu", "option"),
    )
)
_HEADINGS = {"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### "}


class Page(Record):
    """`text` is Markdown; `cut`: the page goes on."""

    title: str
    text: str
    cut: bool = False


def page(html: str, absolute: Callable[[str, str], str]) -> Page:
    """The page as text. `absolute(place, base)` makes the address of a link whole, "" for one that leads nowhere.

    base: the whole address that the page names for its links, "" for that of the page.
    """
    made = _Reader(absolute, _UNREAD | _AROUND)
    found = made.read(html)
    if made.open or not found.text.strip():
        again = _Reader(absolute, _UNREAD)
        found = again.read(html)
    return found


class _Reader:
    """Takes tags and texts one by one and puts lines together."""

    def __init__(self, absolute: Callable[[str, str], str], unread: frozenset[str]) -> None:
        self._absolute = absolute
        self._base = ""
        self._unread = unread
        self._lines: list[str] = []
        self._size = 0
        self._words: list[str] = []  # of the line that is being put together
        self._mark = ""  # what the line begins with, once
        self._lists: list[int] = []  # the number of the last item; -1 for a list without numbers
        self._quotes = 0
        self._pre = 0
        self._link = ""
        self._link_at = 0
        self._table = Table()
        self._titled = False
        self._title: list[str] = []
        self._skip = ""
        self._skipped = 0

    @property
    def open(self) -> bool:
        """True when something that was left out never ended."""
        return bool(self._skip)

    def read(self, html: str) -> Page:
        tags = Tags(html)
        cut = False
        for kind, name, inside in tags:
            if self._skip:
                self._leave_out(kind, name)
            elif kind == TEXT:
                self._text(name)
            elif kind == CLOSE:
                self._close(name)
            else:
                self._open(name, inside)
            if self._size > MOST:
                cut = True
                break
        self._end_table()
        self._flush()
        title = " ".join(_plain("".join(self._title)).split())[:500]
        return Page(title, _joined(self._lines)[:MOST], cut or tags.cut or self._size > MOST)

    # --- what is left out ---

    def _leave_out(self, kind: str, name: str) -> None:
        if kind == TEXT or name != self._skip:
            return
        self._skipped += -1 if kind == CLOSE else 1
        if self._skipped <= 0:
            self._skip = ""

    def _hidden(self, name: str, inside: str) -> bool:
        if name not in _CLOSED or not ("hidden" in inside or "display" in inside):
            return False
        style = (attribute(inside, "style") or "").replace(" ", "").lower()
        shown = attribute(inside, "hidden") is None and (attribute(inside, "aria-hidden") or "").lower() != "true"
        return not shown or "display:none" in style or "visibility:hidden" in style

    # --- text ---

    def _text(self, text: str) -> None:
        if self._titled:
            if not self._title:
                self._title.append(text[:2000])
            return
        if "&" in text:
            text = _plain(text)
        if not self._pre:
            if not self._words and not text.strip():
                return
            text = _blanks(text)
        self._words.append(text)
        self._size += len(text)

    def _open(self, name: str, inside: str) -> None:
        if name in _LEADING:
            self._lead(name, inside)
        if (name in self._unread and not (name in _DRAWN and inside.endswith("/"))) or self._hidden(name, inside):
            self._skip, self._skipped = name, 1
            return
        self._titled = name == "title"
        if name == "br":
            self._words.append("\n")
            self._size += 1
        elif name == "a":
            self._end_link()
            self._begin_link(attribute(inside, "href") or "")
        elif name == "img":
            alt = _blanks(_plain(attribute(inside, "alt") or "")).strip()
            if alt:
                self._words.append(f"[image: {alt[:200]}]")
        elif name == "code" and not self._pre:
            self._words.append("`")
        else:
            self._open_block(name, inside)

    def _open_block(self, name: str, inside: str) -> None:
        if name in ("td", "th", "tr", "table"):
            self._open_table(name)
        elif self._table.depth:
            self._words.append(" ")
        elif name in ("ul", "ol"):
            self._flush()
            start = attribute(inside, "start") or "1"
            first = int(start) if start.isdigit() and start.isascii() and len(start) < 7 else 1
            self._lists.append(first - 1 if name == "ol" else -1)
            del self._lists[64:]
        elif name == "li":
            self._flush()
            self._mark = self._item()
        elif name == "dd":
            self._flush()
            self._mark = ": "
        elif name in _HEADINGS:
            self._flush()
            self._gap()
            self._mark = _HEADINGS[name]
        elif name == "pre":
            self._flush()
            self._pre = 1
        elif name == "blockquote":
            self._flush()
            self._quotes += 1
        elif name == "hr":
            self._flush()
            self._put("---")
        elif name in _BLOCKS:
            self._flush()
            if name == "p":
                self._gap()

    def _close(self, name: str) -> None:
        if name == "title":
            self._titled = False
        elif name == "a":
            self._end_link()
        elif name == "code" and not self._pre:
            self._words.append("`")
        elif name in ("td", "th", "tr", "table"):
            self._close_table(name)
        elif self._table.depth:
            self._words.append(" ")
        elif name == "pre":
            self._flush()
            self._pre = 0
        elif name in ("ul", "ol"):
            self._flush()
            del self._lists[-1:]
            self._gap()
        elif name == "blockquote":
            self._flush()
            self._quotes = max(0, self._quotes - 1)
        elif name in _HEADINGS or name == "p":
            self._flush()
            self._gap()
        elif name in _BLOCKS or name in ("li", "dd"):
            self._flush()

    def _item(self) -> str:
        """What an item of the innermost list begins with."""
        if not self._lists:
            return "- "
        number = self._lists[-1]
        if number < 0:
            return "- "
        self._lists[-1] = number + 1
        return f"{number + 1}. "

    # --- links ---

    def _lead(self, name: str, inside: str) -> None:
        """What names an address without being a link (rule 3)."""
        if name == "base":
            self._base = self._base or self._absolute(_plain(attribute(inside, "href") or "").strip(), "")
            return
        place = attribute(inside, "src") or ""
        if name == "meta":
            refresh = (attribute(inside, "http-equiv") or "").lower() == "refresh"
            _, _, place = (attribute(inside, "content") or "").partition("=") if refresh else ("", "", "")
            place = place.strip(" \t\"'")
        if place:
            self._flush()
            self._begin_link(place)
            self._words.append("leads on" if name == "meta" else "frame")
            self._flush()

    def _begin_link(self, place: str) -> None:
        place = place.strip()
        if place and len(place) <= LINK:
            self._link = self._absolute(_plain(place), self._base)
            self._link_at = len(self._words)

    def _end_link(self) -> None:
        if not self._link:
            return
        words = "".join(self._words[self._link_at :])
        said = " ".join(words.split())
        if said and len(self._link) <= LINK and not self._pre:
            lead, trail = " " * words[:1].isspace(), " " * words[-1:].isspace()
            self._words[self._link_at :] = [f"{lead}[{said}]({self._link}){trail}"]
            self._size += len(self._link)
        self._link = ""

    # --- tables ---

    def _open_table(self, name: str) -> None:
        table = self._table
        if name == "table":
            if not table.depth:
                self._flush()
                self._gap()
            table.depth += 1
        elif table.depth == 1:
            self._cell()
            if name == "tr":
                table.row()
            else:
                table.cell()
        else:
            self._words.append(" ")

    def _close_table(self, name: str) -> None:
        if self._table.depth != 1:
            self._table.depth -= bool(self._table.depth) and name == "table"
            self._words.append(" ")
        elif name == "table":
            self._end_table()
        else:
            self._cell()

    def _cell(self) -> None:
        """What was said since the last cell began belongs to it."""
        self._end_link()
        self._table.say(" ".join("".join(self._words).split()))
        self._words.clear()

    def _end_table(self) -> None:
        if self._table.depth:
            self._cell()
            for line in self._table.lines(MOST):
                self._put(line)
            self._gap()

    # --- lines ---

    def _flush(self) -> None:
        """The words since the last line become lines."""
        self._end_link()
        words = "".join(self._words)
        self._words.clear()
        if self._pre:
            if words.strip():
                self._put_code(words)
            return
        if not words.strip():
            return
        first = True
        for line in words.split("\n"):
            said = " ".join(line.split())
            if said:
                self._put((self._mark if first else " " * len(self._mark)) + said)
                first = False
        self._mark = ""

    def _put_code(self, words: str) -> None:
        self._put("```")
        for line in words.strip("\n").split("\n"):
            self._put(line.rstrip().expandtabs(4) if len(line) < 10_000 else line)
        self._put("```")

    def _put(self, line: str) -> None:
        indent = "  " * max(0, min(len(self._lists), LEVELS) - 1) + "> " * min(self._quotes, LEVELS)
        self._lines.append(indent + line)
        self._size += len(indent) + len(line) + 1

    def _gap(self) -> None:
        if self._lines and self._lines[-1] and not self._lists:
            self._lines.append("")


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n")


def _plain(text: str) -> str:
    """Text with its character references read."""
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def _blanks(text: str) -> str:
    """Runs of blanks as one, at both ends too."""
    said = " ".join(text.split())
    if not said:
        return " " if text else ""
    return " " * text[0].isspace() + said + " " * text[-1].isspace()
