"""What doctor says of the audit log: a record of acts that is damaged is not found only by who asks for it."""

from __future__ import annotations

import os

from edge.cli.finding import Finding
from edge.faults import TapeFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1 << 20  # bytes that are gone through here: some seconds on the slowest of our boards
FIX = "fieldhand audit verify tells all; keep a copy of it (fieldhand audit export FILE) before it is given up"


def findings(state: str) -> Iterator[Finding]:
    """Whether the log in a state folder is what was written; nothing where none was begun."""
    from edge.cli.audit import checked

    if not state:
        return
    try:
        length = size(state)
        if length > LONGEST:
            fix = "fieldhand audit verify checks the whole of it"
            yield Finding("audit log", "absent", f"its {length >> 20} MiB were not gone through here", fix)
            return
        report = checked(state)
    except TapeFault as fault:
        yield Finding("audit log", "wrong", fault.sentence, fault.fix)
        return
    if report is None:
        return
    if report.code == 1:
        more = f"; and {len(report.problems) - 1} more" if report.problems[1:] else ""
        yield Finding("audit log", "wrong", report.problems[0] + more, FIX)
        return
    torn = f", and {report.torn} bytes at the end as a power cut leaves them" if report.torn else ""
    yield Finding("audit log", "ok", f"sound, records {report.first} to {report.last}{torn}")


def size(state: str) -> int:
    """Bytes of its files. TapeFault."""
    from edge.tape.audit_log import FOLDER, name_of, numbers
    from edge.tape.disk import cannot

    folder = f"{state}/{FOLDER}"
    try:
        return sum(os.stat(f"{folder}/{name_of(number)}").st_size for number in numbers(folder))
    except OSError as error:
        raise cannot(f"the audit log in {folder} cannot be read", error) from error
