"""`fieldhand tape list|show`: tapes for people. Only reads; what is torn or damaged is reported, not repaired.

Into a pipe one record is one line. On a terminal lines are folded (`show`) or cut (`list`) at its width.
"""

from __future__ import annotations

from edge.text import clip, fold, plain, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TextIO

    from edge.tape.reader import Reader

    Fields = Mapping[str, Any]

TEXT = 240  # bytes of text per record; --json shows all
NEWEST = 20  # tapes that `list` shows
INDENT = 26  # characters before the text of a record
NARROW = 48  # columns below which a terminal gets what a pipe gets


def list_(folder: str, out: TextIO, err: TextIO, everything: bool = False) -> int:
    """One line per tape in the folder of tapes `folder`, the newest last: NEWEST of them, or all with `everything`.

    Always 0; TapeFault when the folder cannot be read. What only looks like a tape is said on `err`.
    """
    from edge.tape.names import sort
    from edge.tape.reader import list_tapes

    names, odd = sort(folder)
    if odd:
        named = ", ".join(visible(name, 40) for name in odd[:5]) + (", ..." if len(odd) > 5 else "")
        err.write(f"passed over, for it is no tape: {named}\n")
    if not names:
        err.write(f"there is no tape yet: nothing was recorded in {plain(folder)}\n")
        return 0
    shown = names if everything else names[-NEWEST:]
    width = terminal(out)
    widest = max(map(len, shown))
    rows = [f"{'tape':{widest}}  {'state':11}  records     bytes  began with"]
    if len(shown) < len(names):
        rows.append(f"{len(names) - len(shown)} older: tape list all")
    for tape in list_tapes(folder, shown):
        first = _one_line(tape.first, 80)
        rows.append(f"{tape.name:{widest}}  {tape.state:11}  {tape.records:7}  {tape.size:8}  {first}".rstrip())
    out.write("".join(_cut(row, width) + "\n" for row in rows))
    return 0


def show(folder: str, name: str, out: TextIO, err: TextIO, as_json: bool) -> int:
    """The records of one tape: `name`, a beginning that only it has, or `last`. Always 0.

    UsageFault when there is no such tape, TapeFault when it cannot be read. Damage and a torn end are said on `err`.
    """
    from edge.tape.names import find, path_of
    from edge.tape.reader import Reader

    found = find(folder, name)
    reader = Reader(path_of(folder, found))
    if as_json:
        _show_json(reader, out)
    else:
        _show_lines(reader, out)
    if not reader.seq and not reader.torn:
        err.write(f"the tape {found} was never written to\n")
    if reader.damaged:
        err.write(
            f"the tape {found} is damaged before seq {reader.seq}: {reader.damaged} bytes are no record; "
            "they stay as they are, and all else counts\n"
        )
    if reader.torn:
        why = "a process is writing it" if reader.live else "resuming it cuts that off and keeps it aside"
        err.write(f"the tape {found} has a torn tail of {reader.torn} bytes after seq {reader.seq} ({why})\n")
    return 0


def _show_json(reader: Reader, out: TextIO) -> None:
    from json import dumps

    for record in reader:
        out.write(dumps(record) + "\n")


def _show_lines(reader: Reader, out: TextIO) -> None:
    width = terminal(out)
    head = ""
    seq = 0
    for record in _said_once(reader):
        begins = f"-- {_clock(record['wall'], '%Y-%m-%d')}, boot {_one_line(record['boot'], 16)}"
        if begins != head:
            out.write(begins + ("" if head else _zone(record["wall"])) + "\n")
            head = begins
        out.write(_missing(seq + 1, record.get("skipped", record["seq"]) - 1))
        seq = record["seq"]
        out.write(_row(record, width) + "\n")


def _row(record: Fields, width: int) -> str:
    kind = record["kind"]
    text = _WORDS.get(kind, _rest)(record)
    begin = f"{_clock(record['wall'], '%H:%M:%S')}  {record['seq']:5}  {_one_line(kind, 16):7}  "
    if not width:
        return (begin + _one_line(text, TEXT)).rstrip()
    # Folded as if the beginning were one word, so that all lines of the text stand below each other.
    blocks = [fold(block, width - INDENT) for block in clip(plain(text), TEXT * 4).expandtabs().splitlines()]
    lines = [(" " * INDENT + line).rstrip() for line in "\n".join(blocks).splitlines()]
    return (begin + "\n".join(lines)[INDENT:]).rstrip()


def _said_once(reader: Reader) -> Iterator[dict[str, Any]]:
    """The records without a step that only gives the answer, when the answer follows it.

    `skipped` of an answer is the number of the step that was left out before it.
    """
    held: dict[str, Any] | None = None
    for record in reader:
        if held is not None and record["kind"] == "answer" and record.get("text") == held["final"]:
            record["skipped"] = held["seq"]
            if held.get("thought"):
                del record["skipped"]
                yield {**held, "final": ""}
        elif held is not None:
            yield held
        answers = record["kind"] == "step" and not record.get("calls") and isinstance(record.get("final"), str)
        held = record if answers else None
        if held is None:
            yield record
    if held is not None:
        yield held


def _missing(first: int, last: int) -> str:
    """A line about the records that should stand here."""
    if last < first:
        return ""
    return f"-- record {first} is damaged\n" if first == last else f"-- records {first} to {last} are damaged\n"


def terminal(out: TextIO) -> int:
    """The columns of the terminal that `out` is; 0 for a pipe or a file, or a terminal too narrow to care."""
    import os

    if not out.isatty():
        return 0
    try:
        columns = os.get_terminal_size(1).columns or 80
    except OSError:
        columns = 80
    return columns if columns >= NARROW else 0


def _cut(line: str, width: int) -> str:
    return line if not width or len(line) <= width else line[: width - 3] + "..."


def _zone(wall: float) -> str:
    """In which zone the times are; nothing for what no calendar has."""
    name = _clock(wall, "%Z")
    return f", times in {name} (UTC{_clock(wall, '%z')})" if "?" not in name else ""


def _clock(wall: float, form: str) -> str:
    """Local time; question marks for what no calendar has."""
    import time

    try:
        return time.strftime(form, time.localtime(wall))
    except (OverflowError, ValueError, OSError):
        return "??:??:??"


def _one_line(text: str, limit: int) -> str:
    return clip(plain(text), limit).replace("\n", " | ").replace("\t", " ")


def _open(record: Fields) -> str:
    said = f"fieldhand {record.get('version')}, process {record.get('pid')}, {record.get('preset')}"
    return f"{said}, model {record.get('model')}, board {record.get('board')}, in {record.get('cwd')}"


def _said(record: Fields) -> str:
    from edge.tape.recall import said

    return said(record)


def _step(record: Fields) -> str:
    parts = [record.get("thought") or "", *(_call(call) for call in record.get("calls") or ())]
    return " -> ".join(str(part) for part in [*parts, record.get("final") or ""] if part)


def _call(call: Any) -> str:
    return f"{call.get('id')} {call.get('tool')} {_json(call.get('args'))}" if isinstance(call, dict) else str(call)


def _intent(record: Fields) -> str:
    asked = f"{record.get('call')} {record.get('tool')} {_json(record.get('args'))}"
    return f"{asked}: {record.get('verdict')}, {record.get('risk')}, {record.get('rule')}, by {record.get('by')}"


def _outcome(record: Fields) -> str:
    return f"{record.get('call')} {record.get('status')}: {record.get('text')}"


def _repair(record: Fields) -> str:
    return f"{record.get('why')}: {record.get('sentence')}"


def _fault(record: Fields) -> str:
    return f"{record.get('kind_')}: {record.get('sentence')}"


def _board(record: Fields) -> str:
    """`fan off: lease ended`; the board's own sentences as they are."""
    why = record.get("why")
    if not isinstance(why, str):
        return _rest(record)
    state = {True: "on", False: "off"}.get(record.get("state"), "")  # type: ignore[arg-type]
    return f"{record.get('name')} {state}".rstrip() + f": {why}" if record.get("name") else why


def _child(record: Fields) -> str:
    return f"{record.get('what')}, process {record.get('pid')}"


def _close(record: Fields) -> str:
    return f"exit code {record.get('code')}"


def _rest(record: Fields) -> str:
    """What a kind without words of its own holds."""
    return _json({key: value for key, value in record.items() if key not in ("seq", "boot", "mono", "wall", "kind")})


def _json(value: Any) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False)


_WORDS: dict[str, Callable[[Fields], str]] = {
    "open": _open,
    "line": _said,
    "step": _step,
    "repair": _repair,
    "intent": _intent,
    "outcome": _outcome,
    "answer": _said,
    "fault": _fault,
    "board": _board,
    "child": _child,
    "note": _said,
    "close": _close,
}
