"""`fieldhand audit verify|show|export|key`: the record of everything that was done, for the operator.

Only reads, but for `key`, which takes the first key off the board. verify: 0 sound, 1 changed, 8 torn at its end.
"""

from __future__ import annotations

import os

from edge.faults import TapeFault, UsageFault
from edge.text import clip, fold, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TextIO

    from edge.cli.args import Options
    from edge.tape.audit_check import Report

NEWEST = 20  # records that `show` shows
TEXT = 240  # bytes of text per record; --json shows all
SPARED = 200  # bytes: less than that is not cut off, as the mark of a cut is no shorter by much
KNOWN = "audit verify [--key FILE] [--head FILE] [--from N], audit show [N|all], audit export FILE, audit key"


def main(options: Options, state: str, out: TextIO, err: TextIO) -> int:
    """Do what the words say; the exit code. UsageFault, TapeFault."""
    words = options.words or ("show",)
    told = [f"--{name}" for name in ("key", "from", "head") if getattr(options, "from_" if name == "from" else name)]
    if told and words[0] != "verify":
        raise UsageFault(f"{' and '.join(told)} is for audit verify", KNOWN)
    if words[0] == "verify" and len(words) == 1:
        return verify(options, state, out, err)
    if words[0] == "show" and len(words) <= 2:
        return show(state, words[1] if len(words) > 1 else str(NEWEST), options.json, out, err)
    if words[0] == "export" and len(words) == 2:
        from edge.cli.audit_export import export

        return export(state, words[1], err)
    if words[0] == "key" and len(words) == 1:
        return key(state, out, err)
    if words == ("export",):
        raise UsageFault("audit export needs the name of a new file", "for example: fieldhand audit export log.jsonl")
    raise UsageFault(f"audit knows no {' '.join(words)!r}", KNOWN)


def verify(options: Options, state: str, out: TextIO, err: TextIO) -> int:
    """Say whether the log is sound."""
    from edge.tape.audit_key import FIRST_KEY

    since = _since(options.from_)
    report = checked(state, _keys(options.key), since, _heads(options.head))
    if report is None:
        err.write(f"nothing was audited yet in {plain(state)}\n")
        return 0
    if report.records == 0 and since > 1 and not report.problems:
        raise UsageFault(f"the log ends with record {report.last}, before --from {since}")
    if options.json:
        from json import dumps

        from edge.record import as_dict

        out.write(dumps(as_dict(report)) + "\n")
        return report.code
    out.write("".join(plain(problem) + "\n" for problem in report.problems) + _verdict(report) + "\n")
    for remark in report.remarks:
        err.write(plain(remark) + "\n")
    if os.path.exists(f"{state}/{FIRST_KEY}"):
        err.write("the first key still lies on this board: take it away with fieldhand audit key\n")
    elif not options.key:
        err.write("without --key nothing shows whether all was written anew by one who had the key of today\n")
    return report.code


def checked(
    state: str,
    keys: tuple[tuple[int, bytes], ...] = (),
    since: int = 1,
    heads: tuple[tuple[int, str], ...] = (),
) -> Report | None:
    """What was found in the log of a state folder; None where nothing was audited yet. TapeFault."""
    from edge.tape.audit_check import check
    from edge.tape.audit_key import peek
    from edge.tape.audit_log import FOLDER, numbers

    folder = f"{state}/{FOLDER}"
    head = peek(state)
    if head is None and not numbers(folder):
        return None
    report = check(folder, head, keys, since, heads)
    return report if head is not None else _without_head(report)


def _verdict(report: Report) -> str:
    what = f"records {report.first} to {report.last}, {report.keyed} of {report.records} checked by their key"
    if report.code == 1:
        return f"changed: {what}"
    torn = f"torn: {report.torn} bytes at the end are no record; " if report.torn else "sound: "
    return torn + what


def _without_head(report: Report) -> Report:
    from edge.record import replace

    problem = "the key file is missing or unreadable: nothing shows whether the end was cut off"
    return replace(report, code=1, problems=(*report.problems, problem))


def _since(told: str) -> int:
    if told and not (told.isdecimal() and told.isascii() and 0 < int(told) < 10**15):
        raise UsageFault(f"--from wants the number of a record, not {told!r}")
    return int(told or 1)


def _keys(told: str) -> tuple[tuple[int, bytes], ...]:
    from edge.tape.audit_key import keys_of

    found = keys_of(_file_or(told, "--key"))
    if told and not found:
        fix = "name a file with what fieldhand audit key printed"
        there = os.path.exists(told)
        # What is half a key is not shown: it may be most of a real one.
        name = "" if set("0123456789abcdef: \n").issuperset(told.lower()) and not there else f" {told[:200]}"
        why = "holds no key" if there else "does not exist, and is no key itself"
        raise UsageFault(f"--key{name} {why}", fix)
    return found


def _heads(told: str) -> tuple[tuple[int, str], ...]:
    rows = [row.partition(":") for row in _file_or(told, "--head").split()]
    if any(not seq.isdecimal() or len(digest) != 64 for seq, _, digest in rows) or (told and not rows):
        raise UsageFault("--head wants SEQ:DIGEST, or a file with such rows", "fieldhand audit export writes one")
    return tuple((int(seq), digest) for seq, _, digest in rows)


def _file_or(told: str, option: str) -> str:
    """The content of the file that was told; when there is none, what was told."""
    from edge.tape.disk import regular

    if not told or not os.path.exists(told):
        return told
    try:
        fd = regular(told)
        try:
            return os.read(fd, 1 << 16).decode("ascii", "replace")
        finally:
            os.close(fd)
    except OSError as error:
        raise UsageFault(f"{option} {told} cannot be read: {error.strerror}") from error


def show(state: str, count: str, as_json: bool, out: TextIO, err: TextIO) -> int:
    """The newest records, the newest last. What is none is told on `err` and passed over."""
    from edge.cli.tape import terminal
    from edge.tape.audit_log import FOLDER
    from edge.tape.audit_read import newest, raw, record_of

    if count != "all" and not (count.isdecimal() and count.isascii() and int(count)):
        raise UsageFault(f"audit show wants a number of records or all, not {count!r}")
    folder = f"{state}/{FOLDER}"
    width = terminal(out)
    place = 0
    for name, place, line in raw(folder) if count == "all" else newest(folder, int(count[:9])):
        record = record_of(line)
        if record is None:
            err.write(f"{name}:{place} is no record and is passed over; see fieldhand audit verify\n")
        elif as_json:
            from json import dumps

            out.write(dumps(record) + "\n")
        else:
            row = _row(record)
            out.write((fold(row, width - 1, "     ") if width else row) + "\n")
    if not place:
        err.write(f"nothing was audited yet in {plain(state)}\n")
    return 0


def _row(record: Mapping[str, Any]) -> str:
    text = _words(record).replace("\n", " | ")
    begin = f"{_clock(record['wall'])}  {record['seq']:6}  {_one(record['kind']):8}  "
    text = plain(text)
    if len(text.encode("utf-8", "replace")) > TEXT + SPARED:
        text = clip(text, TEXT).replace("\n", " | ")
    return (begin + text).rstrip()


def _words(record: Mapping[str, Any]) -> str:
    from json import dumps

    from edge.tape.audit_form import RESERVED, receipt_of

    rest = {name: value for name, value in record.items() if name not in RESERVED}
    if record["kind"] in ("intent", "outcome", "call"):
        said = [_one(rest.pop(name, "")) for name in ("tape", "call", "tool", "verdict", "risk", "rule", "by")]
        parts = [said[0], said[1], said[2], dumps(rest.pop("args", {}), ensure_ascii=False)]
        parts += [", ".join(word for word in said[3:] if word)]
        if record["kind"] == "outcome":
            given = rest.pop("receipt", False) is True
            parts += ["->", _one(rest.pop("status", "")), receipt_of(record["mac"]) if given else ""]
        return " ".join(part for part in parts if part) + (f" {_one(rest['text'])}" if "text" in rest else "")
    if set(rest) == {"text"}:
        return _one(rest["text"])
    return dumps(rest, ensure_ascii=False) if rest else ""


def _one(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _clock(wall: float) -> str:
    """Local time; question marks for what no calendar has."""
    import time

    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(wall))
    except (OverflowError, ValueError, OSError):
        return "????-??-?? ??:??:??"


def key(state: str, out: TextIO, err: TextIO) -> int:
    """Print the first key, and erase it here."""
    from edge.tape.audit_key import FIRST_KEY, keys_of
    from edge.tape.disk import Disk, cannot

    path = f"{state}/{FIRST_KEY}"
    if not os.path.exists(path):
        err.write("no key lies here: it was taken before, or nothing was audited yet\n")
        return 0
    found = keys_of(_file_or(path, "the key file"))
    if not found:
        raise TapeFault(f"{path} holds no key", "remove it")
    out.write("".join(f"{seq}:{secret.hex()}\n" for seq, secret in found))
    try:
        os.unlink(path)
        Disk().sync_folder(state)
    except OSError as error:
        raise cannot(f"the key was printed, but {path} cannot be removed", error) from error
    err.write("keep this off the board: it is erased here, and proves every record from the first on\n")
    return 0
