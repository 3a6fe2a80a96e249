"""The rows for serial ports.

Rules:
1. Only ports that the settings declare, each by its name: a path that a model writes is never opened.
2. Opening is medium whatever the port: it sets the speed and raises DTR and RTS, which resets many small boards. Every
   opening counts, for what is on the other end may be another thing by then.
3. Sending is high unless the settings say less: what listens may be a thermometer or the console of root, and nobody
   here can tell. Reading what came is low; it brings in words of a stranger (taint.py).
4. What was opened may always be closed, where anything may be opened at all.
"""

from __future__ import annotations

from edge.gate.row import ALLOW, ALWAYS, DENY, HIGH, MEDIUM, Row

_OWN = (DENY, ALLOW, ALLOW, ALLOW)

# (verb, kind of thing, place): `any` declared port, or the risk that is declared for it.
PORTS = {
    ("write", "serial", "any"): Row("port.open", "medium", MEDIUM, "opens the serial port {what}"),
    ("read", "serial", "any"): Row("port.read", "low", ALWAYS, "reads what came at the serial port {what}"),
    ("send", "serial", "low"): Row("port.send-low", "low", _OWN, "sends to {what}, declared low risk"),
    ("send", "serial", "medium"): Row("port.send-medium", "medium", MEDIUM, "sends to {what}, declared medium risk"),
    ("send", "serial", "high"): Row("port.send", "high", HIGH, "sends to {what}"),
    ("write", "memory", "ports"): Row("port.close", "low", _OWN, "closes a serial port that it opened"),
}
