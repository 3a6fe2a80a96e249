from __future__ import annotations

from edge.card.addresses import addresses


def test_addresses_are_told_by_their_port() -> None:
    for line in addresses():
        port, colon, address = line.partition(": ")
        assert line == "none yet" or (colon and port and "/" in address and not address.startswith("127."))
