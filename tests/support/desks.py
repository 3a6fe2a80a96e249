"""The file of a board on a desk, as a user writes it."""

from __future__ import annotations

DESK = """title = "The board on my desk"
product = "pi-arm64"
has = ["port", "power"]

[lacks]
lines = "no wires are plugged in"

[console]
device = "/dev/ttyUSB0"

[port]
device = "/dev/ttyUSB1"
speed = 9600

[switch]
on = ["uhubctl", "-a", "on"]
off = ["uhubctl", "-a", "off"]

[guest]
port = "/dev/ttyS1"

[login]
password = "other"
prompt = "# $"
"""
