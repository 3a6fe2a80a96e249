"""How outcomes are said: values, ages, states, reasons. Pure; nothing is said that the outcome does not hold."""

from __future__ import annotations

from edge.record import Record
from edge.text import plain, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Outcome(Record):
    """What came of a call. `known` False: no answer ever came.

    `at`: the monotonic clock in seconds; 0 when it was in another run, whose clock nobody knows.
    """

    tool: str
    args: Mapping[str, Any]
    ok: bool
    text: str
    data: Mapping[str, Any]
    at: float
    known: bool = True


def shown(text: str, limit: int = 120) -> str:
    """Some text inside a sentence: on one line, at most `limit` characters, no control characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= limit else line[: limit - 4] + " ..."


def one_of(names: Sequence[str]) -> str:
    """`a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def figure(value: float) -> str:
    """A number as a person says it: at most two decimals (more only for what is smaller), no `.0` of whole ones."""
    if value != 0 and abs(value) < 0.01:
        return f"{value:.3g}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def measured(value: object) -> str:
    """A measured number as the tools write it: with a decimal at least, from 1000 on with none."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return "no value"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    said = figure(value)
    return said if isinstance(value, int) or "." in said or "e" in said else f"{said}.0"


def value_of(outcome: Outcome) -> float | None:
    """The value of a reading that was made; None when there is none."""
    value = outcome.data.get("value")
    if not outcome.ok or isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if value == value else None


def quantity(outcome: Outcome) -> str:
    """`33.0 C`, or the word for the state of a contact: `open`."""
    state = outcome.data.get("state")
    if isinstance(state, str) and state:
        return shown(state)
    return f"{measured(outcome.data.get('value'))} {outcome.data.get('unit', '')}".rstrip()


def state_of(outcome: Outcome, now: float) -> str:
    """`0.2 s old`, `stale, 7 min old`: the quality when it is not ok, and the age at `now`."""
    quality = outcome.data.get("quality", "ok")
    mark = "" if quality == "ok" else f"{quality}, "
    age = outcome.data.get("age")
    if outcome.at <= 0:
        return f"{mark}of an earlier run, age unknown"
    if not isinstance(age, (int, float)) or not 0 <= age < float("inf"):
        return f"{mark}age unknown"
    seconds = age + max(0.0, now - outcome.at)
    return f"{mark}{seconds:.1f} s old" if seconds < 10 else f"{mark}{span(round(seconds))} old"


def reason(outcome: Outcome) -> str:
    """Why a call was not done, in the words of its outcome."""
    if not outcome.known:
        return "no answer came back"
    return shown(outcome.text, 300).rstrip(".") or "no reason was given"


def rows(outcome: Outcome, what: str) -> list[Mapping[str, Any]]:
    """The rows of a list; empty when the call failed."""
    found = outcome.data.get(what)
    return [row for row in found if hasattr(row, "get")] if outcome.ok and isinstance(found, (list, tuple)) else []


def word(state: bool) -> str:
    """`on` or `off`."""
    return "on" if state else "off"


def lit(row: Mapping[str, Any]) -> str:
    """`on, 1 min 30 s left`, `off`, `state unknown`."""
    state, left = row.get("state"), row.get("left")
    if not isinstance(state, bool):
        return "state unknown"
    return word(state) + (f", {span(round(left, 1))} left" if isinstance(left, (int, float)) and left > 0 else "")


def stands(name: str, row: Mapping[str, Any]) -> str:
    """How one output stands, as a sentence."""
    return f"The {name} is {lit(row)}." if isinstance(row.get("state"), bool) else f"The state of {name} is not known."
