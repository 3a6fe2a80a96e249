"""Programs of the table whose words need a look of their own. Pure.

Rules:
1. What is not known to only read is unknown, like in the table.
2. A form that does not end by itself asks, unless something ends it.
"""

from __future__ import annotations

from edge.gate.shell import awk, find, forms_system, programs, sed, tar, writers
from edge.gate.shell.marks import FETCHED, MARKS, SPLIT, STAR, known, names, shown
from edge.gate.shell.options import has, options
from edge.gate.shell.programs import endless
from edge.gate.shell.streams import Stream
from edge.gate.shell.table_files import FILES
from edge.gate.shell.table_system import SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.programs import Use
    from edge.gate.shell.walk import Walk

    Form = Callable[[Walk, str, tuple[str, ...]], Stream]

TABLE = {**FILES, **SYSTEM}
_DECODES = names("zcat bzcat xzcat zstdcat lz4cat gunzip bunzip2 unxz uudecode")
_PLAIN = names("hostname uname whoami nproc id arch wc date seq tty basename")
_LISTS = frozenset(("ls", "dir", "readlink", "realpath"))


def row(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """A program whose row says everything."""
    use = programs.apply(walk, name, TABLE[name], words)
    if name in _LISTS:
        return programs.listing(use)
    return Stream(None, _taint(walk, name, use), (), name in _PLAIN and not use.seen & {"-f", "--fqdn"})


def _taint(walk: Walk, name: str, use: Use) -> str:
    decodes = name in _DECODES or (name in ("base64", "base32") and use.seen & {"-d", "-D", "--decode"})
    decodes = decodes or (name == "xxd" and "-r" in use.seen)
    return FETCHED if decodes else walk.stdin.taint if walk.stdin else ""


def follows(*names: str) -> Form:
    """A program that with one of these options never ends."""

    def judge(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
        use = programs.apply(walk, name, TABLE[name], words)
        if use.seen & set(names):
            endless(walk, name, "it follows what grows and never ends")
        return Stream(None, walk.stdin.taint if walk.stdin else "")

    return judge


def counted(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """vmstat and its like: an interval without a count never ends."""
    use = programs.apply(walk, name, TABLE[name], words)
    numbers = [text for text in use.operands if not known(text) or text.replace(".", "").isdigit()]
    if len(numbers) == 1 or (name == "free" and use.seen & {"-s"} and not use.seen & {"-c"}):
        endless(walk, name, "it repeats and never ends")
    return Stream()


def grep(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    use = programs.apply(walk, name, TABLE[name], words)
    taint = walk.stdin.taint if walk.stdin else ""
    if use.seen & {"-l", "-L", "--files-with-matches", "--files-without-match"}:
        operands = use.operands if use.patterned else use.operands[1:]
        return Stream(None, taint, tuple(operands) or (".",), bare=not operands or operands[0][:1] in MARKS)
    filters = walk.stdin is not None and len(use.operands) <= 1
    below = walk.stdin.below if walk.stdin and filters else ()
    return Stream(None, taint, below, bare=filters and walk.stdin is not None and walk.stdin.bare)


def passes(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """A filter of lines: what it writes is some of what it reads."""
    use = programs.apply(walk, name, TABLE[name], words)
    stdin = walk.stdin
    text = None
    if stdin is not None and not use.operands and name == "cat" and not words:
        text = stdin.text
    taint = stdin.taint if stdin else ""
    below = stdin.below if stdin and not use.operands else ()
    return Stream(text, taint, below, bare=stdin.bare if stdin else False)


def stream_editor(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    sed.judge(walk, words)
    return Stream(None, walk.stdin.taint if walk.stdin else "")


def awks(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    awk.judge(walk, words)
    return Stream(None, walk.stdin.taint if walk.stdin else "")


def tars(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    tar.judge(walk, words)
    return Stream(None, FETCHED)


def yes(walk: Walk, name: str, _words: tuple[str, ...]) -> Stream:
    endless(walk, name, "it never ends")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def jq(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """jq: two-word options first; modules are read from files."""
    rest: list[str] = []
    at = 0
    while at < len(words):
        if words[at] in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            if any(SPLIT in word for word in words[at : at + 3]):
                walk.sink.unknown("program:jq", "some of its words only show when it runs")
            if "file" in words[at]:
                walk.sink.path("read", "".join(words[at + 2 : at + 3]), walk.state)
            at += 3
        else:
            rest.append(words[at])
            at += 1
    if any(word in text for text in rest for word in ("import ", "include ", "input_filename", "get_search_list")):
        walk.sink.unknown("program:jq", "its filter reads other files")
    programs.apply(walk, name, TABLE[name], tuple(rest))
    return Stream(None, walk.stdin.taint if walk.stdin else "")


def objects(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """nm and its kin: a word that begins with @ names a file of options, and options may load code."""
    if any(word[:1] == "@" for word in words):
        walk.sink.unknown(f"program:{name}", "its options stand in a file")
    return row(walk, name, words)


def find_(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    return find.judge(walk, name, words)


def packed(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """gzip and unzip in the forms that only read, else as writers."""
    found, operands = options(words, "SdxT")
    reads = ("-l", "--list", "-t", "--test", "-c", "--stdout", "--to-stdout")
    if name == "unzip":
        if has(found, "-l", "-v", "-t", "-Z", "-z") and not has(found, "-o", "-d"):
            return row(walk, name, words)
    elif has(found, *reads) or not operands:
        allowed = (
            *reads,
            *["-d", "-k", "-v", "-q", "-f", "-n", "-T", "--decompress", "--keep", "--verbose", "--quiet", "--force"],
        )
        if (
            any(option not in allowed and not option[1:].isdigit() for option, _ in found)
            or STAR in "".join(operands)[:1]
        ):
            walk.sink.unknown(f"program:{name}", "an option that is not known to only read")
        writers.read(walk, operands)
        walk.sink.add("run", f"program:{name}")
        decodes = has(found, "-d", "--decompress") or name in _DECODES
        return Stream(None, FETCHED if decodes else walk.stdin.taint if walk.stdin else "")
    return writers.judge(walk, name, words)


def man(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """man: -P names a program."""
    found, _ = options(words, "PHCMmReLTrsSp", ("pager", "html", "preprocessor"))
    for option, text in found:
        if option in ("-P", "--pager", "-H", "--html"):
            walk.sink.unknown("program:man", f"man starts {shown(text)}")
            walk.text(text, "man")
    use = programs.apply(walk, name, TABLE[name], words)
    for word in use.operands:
        if "/" in word:
            walk.sink.path("read", word, walk.state)
    return Stream()


FORMS: dict[str, Form] = {
    **dict.fromkeys(TABLE, row),
    **dict.fromkeys(("grep", "egrep", "fgrep", "rgrep", "zgrep", "rg"), grep),
    **dict.fromkeys(("sort", "uniq", "head", "tac", "shuf", "cat"), passes),
    **dict.fromkeys(("vmstat", "iostat", "mpstat", "pidstat", "sar", "free"), counted),
    **dict.fromkeys(("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzip"), packed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), awks),
    **dict.fromkeys(("readelf", "nm", "objdump", "size"), objects),
    "tail": follows("-f", "-F", "--follow", "--retry"),
    "journalctl": follows("-f", "--follow"),
    "dmesg": follows("-w", "-W", "--follow", "--follow-new"),
    "sed": stream_editor,
    "tar": tars,
    "bsdtar": tars,
    "yes": yes,
    "jq": jq,
    "find": find_,
    "man": man,
    **forms_system.FORMS,
}
