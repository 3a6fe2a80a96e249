"""`fieldhand tape list|show`: tapes for people. Only reads; what is torn is reported, not repaired."""

from __future__ import annotations

from edge.text import clip, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TextIO

    from edge.tape.reader import Reader

    Fields = Mapping[str, Any]

WIDTH = 240  # bytes of text per record; --json shows all


def list_(folder: str, out: TextIO, err: TextIO) -> int:
    """One line per tape in the folder of tapes `folder`, the oldest first. Always 0; TapeFault when unreadable."""
    from edge.tape.reader import list_tapes

    tapes = list_tapes(folder)
    if not tapes:
        err.write(f"there is no tape yet: nothing was recorded in {plain(folder)}\n")
        return 0
    widest = max(len(tape.name) for tape in tapes)
    out.write(f"{'tape':{widest}}  {'state':11}  records     bytes  began with\n")
    for tape in tapes:
        first = _one_line(tape.first, 80)
        out.write(f"{tape.name:{widest}}  {tape.state:11}  {tape.records:7}  {tape.size:8}  {first}".rstrip() + "\n")
    return 0


def show(folder: str, name: str, out: TextIO, err: TextIO, as_json: bool) -> int:
    """The records of one tape: `name`, a beginning that only it has, or `last`. Always 0.

    UsageFault when there is no such tape, TapeFault when it cannot be read. A torn end is said on `err`.
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
    if reader.torn:
        why = "a process is writing it" if reader.live else "resuming it cuts that off and keeps it aside"
        err.write(f"the tape {found} has a torn tail of {reader.torn} bytes after seq {reader.seq} ({why})\n")
    return 0


def _show_json(reader: Reader, out: TextIO) -> None:
    from json import dumps

    for record in reader:
        out.write(dumps(record) + "\n")


def _show_lines(reader: Reader, out: TextIO) -> None:
    boot = ""
    for record in reader:
        if record["boot"] != boot:
            boot = record["boot"]
            out.write(f"-- {_clock(record['wall'], '%Y-%m-%d')}, boot {_one_line(boot, 16)}\n")
        time_of_day = _clock(record["wall"], "%H:%M:%S")
        kind = record["kind"]
        text = _WORDS.get(kind, _rest)(record)
        line = f"{time_of_day}  {record['seq']:5}  {_one_line(kind, 16):7}  {_one_line(text, WIDTH)}"
        out.write(line.rstrip() + "\n")


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
    "child": _child,
    "note": _said,
    "close": _close,
}
