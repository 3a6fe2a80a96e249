"""`fieldhand audit export`: the log as one file, its head, and what checks them anywhere."""

from __future__ import annotations

import os

from edge.faults import UsageFault
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def export(state: str, target: str, err: TextIO) -> int:
    """Write the log, its head and the stand-alone verifier, never a key. UsageFault, TapeFault."""
    from edge.cli.verifier import NAME, TEXT
    from edge.tape.audit_key import peek
    from edge.tape.audit_log import FOLDER, name_of, numbers

    head = peek(state)
    folder = f"{state}/{FOLDER}"
    files = [f"{folder}/{name_of(file)}" for file in numbers(folder)]
    if not files:
        raise UsageFault(f"nothing was audited yet in {state}")
    beside = os.path.join(os.path.dirname(os.path.abspath(target)), NAME)
    _write(target, files)
    if head is not None and head.seq:
        _write(target + ".head", [], f"{head.seq}:{head.hash}\n")
    if not os.path.exists(beside):
        _write(beside, [], TEXT)
    err.write(f"the log is in {plain(target)}, its head in {plain(target)}.head; check them anywhere with\n")
    err.write(f"  python3 {NAME} {plain(target)} --head {plain(target)}.head --key KEYFILE\n")
    err.write("where KEYFILE holds what fieldhand audit key printed\n")
    return 0


def _write(target: str, files: list[str], text: str = "") -> None:
    """A new file of the bytes of others, then of a text. UsageFault when there is one already; TapeFault."""
    from edge.tape.disk import READER, cannot

    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        fd = os.open(target, flags, 0o600)
    except FileExistsError as error:
        raise UsageFault(f"{target} is there already", "name another file") from error
    except OSError as error:
        raise cannot(f"{target} cannot be written", error) from error
    try:
        for path in files:
            source = os.open(path, READER)
            try:
                while block := os.read(source, 1 << 16):
                    _all(fd, block)
            finally:
                os.close(source)
        _all(fd, text.encode())
        os.fsync(fd)
    except OSError as error:
        raise cannot(f"{target} cannot be written", error) from error
    finally:
        os.close(fd)


def _all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
