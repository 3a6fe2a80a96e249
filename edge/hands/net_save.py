"""One request whose answer goes into a file (edge/hands/incoming.py), and on from where the last try ended.

Rules:
1. Only an answer with status 200, or 206 to a Range of ours, is saved. Any other is read like that of `request`, its
   body at most ERRORS bytes, and no file is touched.
2. Bytes are saved as they come: a packing that was not asked for is not undone, and is said (`packed`).
3. Only GET goes on where it ended: what is asked for again must be the same thing. When the far side has another
   version by now, it is asked once more for all of it. One deadline stands over both.
4. It ends while there is time to put what came on the card: SHARE of the seconds of the permit.
"""

from __future__ import annotations

import time

from edge.faults import ToolFault
from edge.hands.files import Files
from edge.hands.incoming import Changed
from edge.hands.net_body import Body
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.hands.incoming import Incoming
    from edge.hands.net_exchange import Answer, Asked, Keep

    Go = Callable[[Asked, float, int, Keep], Mapping[str, Any]]

ERRORS = 1 << 16  # bytes
SHARE = 0.9


def save(holder: Holder, asked: Asked, path: str, seconds: float, go: Go) -> Mapping[str, Any]:
    """What `request` tells, and `saved` (`path bytes sha256 resumed was`), None when nothing was saved.

    `go` makes the request: what is asked, seconds, the limit of a body in memory, what takes a body.
    """
    deadline = time.monotonic() + min(seconds, holder.permit.seconds * SHARE)
    source = f"{asked.method} {asked.url.shown} {sorted(asked.headers.items())}"
    part = Files(holder).incoming(path, source)
    try:
        with part:
            return _told(part, asked, deadline, go)
    except ToolFault as fault:
        if part.kept <= 0:
            raise
        raise ToolFault(fault.sentence, f"{part.kept:,} bytes are kept; the same call goes on from there") from fault


def _told(part: Incoming, asked: Asked, deadline: float, go: Go) -> Mapping[str, Any]:
    again = asked.method == "GET"
    if part.size and not again:
        part.forget()
    while True:
        ranged = bool(part.size)
        headers = {**asked.headers, "Range": f"bytes={part.size}-"} if ranged else asked.headers
        saved: list[Mapping[str, Any]] = []

        def keep(answer: Answer, more: Callable[[int], bytes]) -> Body | None:
            if answer.status == 416 and ranged:  # noqa: B023 (called before the next turn)
                raise Changed
            if answer.status not in (200, 206):
                return None
            saved.append(part.take(answer.status, answer.headers, more, again))  # noqa: B023
            return Body(b"", False, answer.headers.get("content-encoding", "").strip().lower())

        try:
            found = go(replace(asked, headers=headers), max(0.1, deadline - time.monotonic()), ERRORS, keep)
            return {**found, "saved": saved[0] if saved else None}
        except Changed as changed:
            if not ranged:
                raise ToolFault(f"{asked.url.host} sent a part of what was asked for as a whole") from changed
            part.forget()
