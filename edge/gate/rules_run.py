"""The rows of the authority table for shell text and the network.

Rules:
1. Shell text is judged by what the reader (gate/shell) found in it, each finding by its own row; the worst decides.
2. `readonly` has no shell at all, whatever the text: its rows deny there, and the text is not even read.
3. Known destructive is denied but in `full`, which asks; raw disks, flash and firmware of boards ask in `full` alone,
   and only where the profile names them (`ask_for`).
4. A host is listed (`hosts`), listed as internal (`internal_hosts`), unlisted, internal or unreadable. A tool that
   fetches refuses internal hosts unless they are listed by name; shell text asks, as its child gets a whole socket.
5. Whatever sends is high: what leaves does not come back.
"""

from __future__ import annotations

from edge.gate.row import ALWAYS, ASKS, DISK, HIGH, HIGH_ASKS, MEDIUM, NEVER, RUIN, SHELL, UNLISTED, Row

_INTERNAL = (
    "{what}; internal hosts are refused unless the operator names them: "
    '[risk_profiles.NAME] internal_hosts = ["HOST:PORT"] in the settings, and --profile NAME'
)
_OPEN = "{what}; `block_internal_http` is off"
_BAD = "the address {what}"
_NETWORK = "opens the network to this command: {what}"

RUN = {
    ("run", "program", "reads"): Row("shell.reads", "low", SHELL, "runs {what}, which only reads"),
    ("run", "helper", "any"): Row("shell.helper", "medium", MEDIUM, "runs {what}"),
    ("unknown", "program", "listed"): Row(
        "shell.listed", "medium", MEDIUM, "runs {what}, which `programs` of the risk profile declares harmless"
    ),
    ("unknown", "program", "any"): Row("shell.unknown", "high", HIGH, "runs {what}, which is not understood"),
    ("unknown", "shell", "any"): Row("shell.unknown", "high", HIGH, "holds {what}, which is not understood"),
    ("run", "ruin", "any"): Row("shell.ruin", "high", RUIN, "{what} is known to be destructive", "ruin"),
    ("run", "disk", "any"): Row(
        "shell.disk", "high", DISK, "{what} writes raw disks, flash or firmware of a board", "disk"
    ),
}
READONLY_SHELL = Row(
    "shell.readonly-mode",
    "high",
    (DISK[0], *SHELL[1:]),
    "there is no shell in mode readonly; the tools for files, search and sensors serve there",
)
MANY_COMMANDS = Row(
    "shell.many", "medium", ASKS, "one text with {what} commands; from 51 on somebody looks at it", firm=True
)
EMPTY = Row("shell.empty", "low", SHELL, "runs nothing: the text holds no command")

NETWORK = {
    ("fetch", "url", "listed"): Row("fetch.listed", "low", ALWAYS, "fetches {what}, a listed host"),
    ("fetch", "url", "unlisted"): Row("fetch.unlisted", "medium", UNLISTED, "fetches {what}; the host is not listed"),
    ("fetch", "url", "open"): Row("fetch.open", "high", HIGH_ASKS, _OPEN),
    ("fetch", "url", "internal"): Row("fetch.internal", "high", NEVER, _INTERNAL),
    ("fetch", "url", "bad"): Row("fetch.bad", "high", NEVER, _BAD),
    ("send", "url", "listed"): Row("send.listed", "high", HIGH, "sends to {what}, a listed host"),
    ("send", "url", "unlisted"): Row("send.unlisted", "high", HIGH, "sends to {what}; the host is not listed"),
    ("send", "url", "open"): Row("send.open", "high", HIGH_ASKS, _OPEN),
    ("send", "url", "internal"): Row("send.internal", "high", NEVER, _INTERNAL),
    ("send", "url", "bad"): Row("send.bad", "high", NEVER, _BAD),
    # The same in shell text.
    ("fetch", "net", "outside"): Row("shell.fetch", "high", UNLISTED, _NETWORK),
    ("fetch", "net", "internal"): Row("shell.internal", "high", HIGH_ASKS, _NETWORK),
    ("send", "net", "outside"): Row("shell.send", "high", HIGH, _NETWORK),
    ("send", "net", "internal"): Row("shell.internal", "high", HIGH_ASKS, _NETWORK),
}
