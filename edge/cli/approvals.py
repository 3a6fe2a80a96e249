"""`fieldhand approvals list|approve ID|deny ID [TEXT]`: the operator's answers from anywhere on this machine."""

from __future__ import annotations

from edge.cli import OUT, put, say
from edge.cli.asked import block, lines
from edge.faults import Fault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.cli.args import Options

HOW = "approvals list, approvals approve ID, approvals deny ID [TEXT]"


def main(options: Options) -> int:
    """Show the questions that wait, or answer one: 0, and 1 when the answer was not taken."""
    from edge.approvals.ask import answer
    from edge.cli.stop import folder

    do, *rest = options.words or ("list",)
    if do == "list" and not rest:
        return _list(folder(options), options.json)
    rest = [word.strip() for word in rest]
    if do in ("approve", "deny") and not any(rest[:1]):
        raise UsageFault(f"approvals {do} needs the id of a question", f"{HOW}; approvals list shows the ids")
    if do not in ("approve", "deny") or (do == "approve" and len(rest) > 1):
        raise UsageFault(f"approvals knows no {' '.join(options.words)[:60]!r}", HOW)
    name, text = rest[0].lower(), " ".join(rest[1:])
    why = answer(folder(options), {"do": do, "id": name, "text": text})
    if options.json:
        import json

        put(json.dumps({"id": name, "taken": not why, "error": why}))
    elif why:
        say(f"fieldhand: {why}")
    else:
        put(f"{name} was {'allowed' if do == 'approve' else 'answered with other words' if text else 'not allowed'}")
    return 1 if why else 0


def _list(state: str, as_json: bool) -> int:
    from edge.approvals.ask import questions

    found, troubles = questions(state)
    for sentence in troubles:
        say(f"fieldhand: {sentence}")
    if as_json:
        import json

        put(json.dumps(found, ensure_ascii=True, indent=1))
    elif found:
        for row in found:
            put("\n".join(_shown(row)))
    elif not troubles:  # who did not answer may well have one
        put("no questions")
    return 1 if troubles else 0


def _shown(row: Mapping[str, Any]) -> list[str]:
    """One question as lines: its id first."""
    from edge.approve import Question
    from edge.call import Call

    width = _width()
    try:
        asked = Question(
            call=Call(str(row["tool"]), dict(row["args"])),
            words=str(row["words"]),
            sentence=str(row["sentence"]),
            risk=str(row["risk"]),
            rule=str(row["rule"]),
            digest=str(row["digest"]),
            seconds=float(row["left"]),
            effects=tuple(map(str, row["effects"])),
            remarks=tuple(map(str, row["remarks"])),
        )
        head = f"{row['id']}: {asked.seconds:.0f} s left, process {row['pid']}, tape {row['tape'] or 'not kept'}"
    except (KeyError, TypeError, ValueError) as error:
        raise Fault(f"an agent told a question that cannot be read: {error}") from error
    return [*block("", head, width), *lines(asked, width)]


def _width() -> int:
    """The columns of the terminal, 80 where there is none."""
    import os

    try:
        return (os.get_terminal_size(1).columns or 80) - 1 if OUT.isatty() else 80
    except OSError:
        return 80
