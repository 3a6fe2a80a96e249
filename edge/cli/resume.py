"""Gives a context the past of a tape, so that a conversation goes on where it ended."""

from __future__ import annotations

from edge.catalogue import FINDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.catalogue import Catalogue
    from edge.context import Context


def feed(context: Context, path: str, catalogue: Catalogue) -> int:
    """Put lines, steps, observations and answers of the tape at `path` into `context`; load what was loaded there.

    The highest number of a call so far, so that new ones get new ids. Times are of another run, so none is given.
    """
    from edge.tape.reader import history

    past = history(path)
    for moment in past:
        if moment.role == "user":
            context.user(moment.text, 0.0)
        elif moment.role == "step":
            context.step(moment.text, moment.calls, 0.0)
        elif moment.role == "answer":
            context.answer(moment.text, 0.0)
        elif moment.role == "fault":
            context.fault(moment.text, 0.0)
        elif moment.call is not None and moment.observation is not None:
            context.observation(moment.call, moment.observation, 0.0)
            if moment.call.tool in FINDERS and moment.observation.data:
                catalogue.load(moment.observation.data.get("loaded", ()))
    return past.made


def heard(path: str) -> str:
    """Where the first untrusted words on the tape at `path` came from; "" when it has none."""
    from edge.tape.reader import Reader

    for record in Reader(path):
        if record["kind"] == "outcome" and record.get("taint"):
            return str(record["taint"])
    return ""
