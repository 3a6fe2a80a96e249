"""The anchors of a step: bare exchanges of like requests, `python3 -m bench.exchange CLIENT PORT SKIP SIZES`.

CLIENT is `http.client` or `httpx`; SIZES is a JSON list of body sizes, one request each over one connection kept alive.
Prints the processor time of this process per exchange in microseconds, the mean over all but the first SKIP.
"""

from __future__ import annotations

import json
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PATH = "/steps/{}/chat/completions"
HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "Authorization": "Bearer none"}


def by_http_client(port: int, path: str) -> Callable[[bytes], bytes]:
    """Exchanges over the standard library's client, kept alive."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def exchange(body: bytes) -> bytes:
        connection.request("POST", path, body, HEADERS)
        return connection.getresponse().read()

    return exchange


def by_httpx(port: int, path: str) -> Callable[[bytes], bytes]:
    """The same over httpx."""
    import importlib

    client = importlib.import_module("httpx").Client(timeout=30, trust_env=False)
    url = f"http://127.0.0.1:{port}{path}"

    def exchange(body: bytes) -> bytes:
        told: bytes = client.post(url, content=body, headers=HEADERS).content
        return told

    return exchange


CLIENTS = {"http.client": by_http_client, "httpx": by_httpx}


def main(argv: list[str]) -> int:
    """Do the exchanges and print the mean; the exit code."""
    client, port, skip, sizes = argv[0], int(argv[1]), int(argv[2]), json.loads(argv[3])
    exchange = CLIENTS[client](port, PATH.format(len(sizes)))
    bodies = [b"x" * size for size in sizes]
    begun = 0
    for number, body in enumerate(bodies):
        if number == skip:
            begun = time.process_time_ns()
        if len(exchange(body)) < 100:
            raise SystemExit("the reply is too short to be one")
    print((time.process_time_ns() - begun) / (len(sizes) - skip) / 1000)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
