"""One exchange over one connection: a request out, the head and the body of the answer in.

Rules:
1. A connection serves one exchange and is closed: what is left on it is nobody's next answer.
2. The head of an answer has at most HEAD bytes and a hundred fields (http.client's own bound). The wire may carry at
   most SLACK bytes and eight times the limit for a body: chunks and packing cost something, but not without end.
3. An answer that ends before the end it announced is a fault, not an answer.
4. Whatever breaks becomes one ToolFault that names the host and the reason.
"""

from __future__ import annotations

import errno
import os
import time
from http.client import BadStatusLine, HTTPException, HTTPResponse, LineTooLong

from edge.faults import ModelFault, ToolFault
from edge.hands.net_body import collect
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.gate.urls import Url
    from edge.hands.net_body import Body
    from edge.hands.net_line import Line

    Keep = Callable[["Answer", Callable[[int], bytes]], "Body | None"]

HEAD = 1 << 16  # bytes of status line and fields
SLACK = 1 << 20  # bytes
SAVED = 1 << 30  # bytes of a body that goes into a file
WITH_BODY = ("POST", "PUT", "PATCH")
BROKEN = (OSError, HTTPException)


class Asked(Record):
    """What to send: a method in capitals, the URL that was judged, the caller's fields, a body."""

    method: str
    url: Url
    headers: Mapping[str, str]
    body: bytes

    @property
    def verb(self) -> str:
        """What it is to the gate: reading or sending."""
        return "fetch" if self.method in ("GET", "HEAD", "OPTIONS") else "send"


class Answer(Record):
    """What came: `headers` with names in lower case, repeated ones joined; `body` is None when it was not read."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: Body | None = None


def head(asked: Asked, absolute: bool) -> bytes:
    """The head of a request; `absolute` for a proxy, which is told the whole URL (RFC 9112 section 3.2.2)."""
    url = asked.url
    lines = [f"{asked.method} {url.shown if absolute else url.target} HTTP/1.1", f"Host: {url.authority}"]
    ours = {"Accept-Encoding": "identity", "User-Agent": "fieldhand", "Accept": "*/*"}
    given = {name.lower() for name in asked.headers}
    lines += [f"{name}: {value}" for name, value in ours.items() if name.lower() not in given]
    lines += [f"{name}: {value}" for name, value in asked.headers.items()]
    if asked.body or asked.method in WITH_BODY:
        lines.append(f"Content-Length: {len(asked.body)}")
    lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def exchange(
    line: Line, asked: Asked, limit: int, absolute: bool, follows: Callable[[Answer], bool], keep: Keep | None = None
) -> Answer:
    """Send and read; the body is left unread where `follows` says that the answer only leads on.

    `keep` is offered the answer and what reads its body, piece by piece; what it leaves alone is collected here.
    Raises what the line or http.client raise, for `meaning`.
    """
    line.room = line.got + HEAD
    first = head(asked, absolute)
    _send(line, (first, asked.body))
    response = begun(line, asked.method)
    answer = Answer(response.status, response.reason[:200], _fields(response))
    if follows(answer):
        return answer
    line.room += SLACK + 8 * (SAVED if keep else limit)
    body = keep(answer, lambda most: _more(response, most)) if keep else None
    if body is None:
        body = collect(lambda most: _more(response, most), answer.headers.get("content-encoding", ""), limit)
    return Answer(answer.status, answer.reason, answer.headers, body)


def _send(line: Line, parts: tuple[bytes, bytes]) -> None:
    try:
        line.send(parts, sum(map(len, parts)))
    except (BrokenPipeError, ConnectionResetError):
        # A server may refuse a request before it has read all of it: its answer is worth more than our error.
        return


def begun(line: Line, method: str) -> HTTPResponse:
    """The response whose head was read, interim ones left out. HTTPException when it is none."""
    sock: Any = line
    while True:
        response = HTTPResponse(sock, method=method)
        try:
            response.begin()
        except BROKEN as error:
            if not line.ended or _alien(error):
                raise
        if line.ended:
            raise ConnectionError
        if response.status not in (102, 103):  # http.client itself leaves out 100
            return response


def _alien(error: Exception) -> bool:
    """True when what came is no beginning of an HTTP answer, cut or not."""
    if not isinstance(error, BadStatusLine) or isinstance(error, ConnectionError):
        return False
    line: Any = error.args[0]
    said: str = line.strip("'\"")
    return bool(said) and said[:5] != "HTTP/"[: len(said)]


def _fields(response: HTTPResponse) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in response.headers.items():
        folded = name.lower()
        found[folded] = f"{found[folded]}, {value}" if folded in found else value
    return found


def _more(response: Any, most: int) -> bytes:
    piece: bytes = response.read1(most)
    if not piece and response.length:  # http.client takes the end of the connection for the end of the body
        raise ConnectionError
    return piece


def meaning(error: Exception, host: str, got: int, seconds: float, secure: bool) -> ToolFault:
    """What a broken exchange with `host` means; `got` bytes of an answer had come."""
    far = f"after {got} bytes of the answer" if got else "before any answer"
    if isinstance(error, ConnectionAbortedError) and not error.errno:
        return ToolFault(f"the request to {host} was ended {far}")
    if isinstance(error, TimeoutError) and not error.errno:
        return ToolFault(f"{host} gave no whole answer within {seconds:.3g} s: time was up {far}")
    if isinstance(error, ConnectionRefusedError):
        return ToolFault(f"nothing listens at {host}", "check host and port")
    if isinstance(error, LineTooLong) or (isinstance(error, OSError) and error.errno == errno.EMSGSIZE):
        return ToolFault(f"{host} sent more than is taken: its head is too long, or its body is packed too badly")
    if _alien(error):
        return ToolFault(f"{host} did not answer in HTTP", "check port and scheme (https?)")
    if isinstance(error, ConnectionError) or not isinstance(error, OSError):
        if isinstance(error, ConnectionError) or "IncompleteRead" in type(error).__name__:
            return ToolFault(f"{host} broke off {far}")
        return ToolFault(f"{host} gave an answer that is not HTTP: {str(error)[:80] or type(error).__name__}")
    if secure and hasattr(error, "library"):
        return _of_tls(error, host)
    return ToolFault(f"{host} cannot be reached: {(error.strerror or str(error)).lower()}", "check the network")


def _of_tls(error: Exception, host: str) -> ToolFault:
    from edge.model.tls import failed

    fault = failed(error, host, time.time())
    fix = "if this server speaks plain http, write http://" if "base_url" in fault.fix else fault.fix
    return ToolFault(fault.sentence, fix)


def context(host: str, ca_file: str = "") -> Any:
    """What TLS needs to check a certificate; `ca_file` is trusted too. ToolFault when there are no authorities."""
    from edge.model.tls import context as made

    try:
        return made(os.environ, host, ca_file)
    except ModelFault as fault:
        raise ToolFault(fault.sentence, fault.fix) from fault
