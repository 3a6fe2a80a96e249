"""The hand on the network: one request, redirects included, to hosts that were granted.

Rules:
1. A URL is judged before anything is sent: the grant of the call for the first one, the gate for every redirect. What
   the gate would ask was answered where the permit holds that origin already (sending includes reading the answer
   there); a denial always ends it.
2. A name is looked up once. If any of its addresses is internal the request is refused, unless the operator listed the
   host by name (the grant's root says so). Only the addresses of that answer are connected to.
3. Redirects are followed here, at most REDIRECTS, never from https to http and never in a circle. A POST that is sent
   on by 301, 302 or 303 becomes a GET without body; 307 and 308 keep what was asked. Credentials never go to another
   origin.
4. One deadline stands over all of it: look-up, connections, every answer. A call that is told to end ends.
5. Proxy variables of the environment mean nothing. A proxy that the operator set (edge/hands/net_proxy.py) is connected
   to instead of the host, looks up the name itself, and stands in the result. Hosts that the operator listed as
   internal are reached directly.
6. Nothing is sent twice: another address of a name is tried only while no connection stands.
"""

from __future__ import annotations

import time

from edge.call import Effect
from edge.faults import Refused, ToolFault
from edge.gate import fields, urls
from edge.gate.addresses import internal, packed
from edge.hands import net_exchange as http
from edge.hands import net_proxy
from edge.hands.net_exchange import Answer, Asked
from edge.hands.net_line import dial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Grant
    from edge.gate.urls import Url
    from edge.hands import Holder
    from edge.hands.net_exchange import Keep
    from edge.hands.net_line import Line
    from edge.hands.net_resolve import Resolver

REDIRECTS = 5
BODY = 1 << 20  # bytes of a body, whatever was asked for
READING = ("GET", "HEAD", "OPTIONS")
METHODS = (*READING, "POST", "PUT", "PATCH", "DELETE")
FIX = 'the operator can list it: [risk_profiles.NAME] internal_hosts = ["HOST:PORT"], and --profile NAME'
_LEADS_ON = (301, 302, 303, 307, 308)
_BECOMES_GET = (301, 302, 303)


class Net:
    """Requests inside the grants of one call. `allowed`: addresses that count as public for this object alone."""

    def __init__(self, holder: Holder, allowed: tuple[str, ...] = ()) -> None:
        self._holder = holder
        self._allowed = frozenset(allowed)

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, limit: int, seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """One exchange: `status reason headers body url hops cut packed via`.

        `body` is at most `limit` bytes (and 1 MiB), `cut` says that there was more; `packed` names a coding that was
        not unpacked. `hops` are the URLs that led on to `url`. `via` is the proxy, "" without one. `seconds` (0: the
        permit's) shortens the deadline. ToolFault for what fails, Refused for what must not be.
        """
        asked = _asked(method, url, headers, body)
        return self._trip(seconds, limit).run(asked)

    def save(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, path: str, seconds: float = 0.0
    ) -> Mapping[str, Any]:
        """The same into a file that was granted for writing: also `saved` (edge/hands/net_save.py)."""
        from edge.hands.net_save import save

        asked = _asked(method, url, headers, body)
        if method == "HEAD" or any(name.lower() in ("range", "if-range") for name in headers):
            raise ToolFault("what is saved comes as a whole: no HEAD, no Range", "leave save_to out")
        _readable(asked.url)

        def go(what: Asked, left: float, limit: int, keep: Keep) -> Mapping[str, Any]:
            return self._trip(left, limit, keep).run(what)

        return save(self._holder, asked, path, seconds or self._holder.permit.seconds, go)

    def _trip(self, seconds: float, limit: int, keep: Keep | None = None) -> Trip:
        most = self._holder.permit.seconds
        return Trip(self._holder, self._allowed, min(seconds or most, most), min(limit, BODY), keep)


def _asked(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Asked:
    """What to ask first. ToolFault when it is no request."""
    wrong = fields.wrong(headers) or ("" if method in METHODS else f"{method!r} is no method of a request")
    if body and method in READING:
        wrong = f"a {method} request has no body"
    if wrong:
        raise ToolFault(wrong)
    return Asked(method, urls.read(url), dict(headers), body)


class Trip:
    """One request on its way through its redirects."""

    def __init__(self, holder: Holder, allowed: frozenset[str], seconds: float, limit: int, keep: Keep | None) -> None:
        self._holder = holder
        self._allowed = allowed
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._limit = limit
        self._keep = keep
        self._via = ""

    def run(self, asked: Asked) -> Mapping[str, Any]:
        _readable(asked.url)
        listed = self._listed(asked)
        passed: list[Asked] = []
        while True:
            answer = self._ask(asked, listed)
            if answer.body is not None:
                return {
                    "status": answer.status,
                    "reason": answer.reason,
                    "headers": answer.headers,
                    "body": answer.body.data,
                    "url": asked.url.shown,
                    "hops": [one.url.shown for one in passed],
                    "cut": answer.body.cut,
                    "packed": answer.body.packed,
                    "via": self._via,
                }
            passed.append(asked)
            asked, listed = self._next(asked, answer, passed)

    # --- what may be reached ---

    def _listed(self, asked: Asked) -> bool:
        """True when the grant is for a host that the operator listed as internal; Refused without a grant."""
        grants = self._holder.permit.grants
        if _has(grants, "internal", asked):
            return True
        self._holder.grant(asked.verb, "host", asked.url.origin)
        return False

    def _next(self, asked: Asked, answer: Answer, passed: list[Asked]) -> tuple[Asked, bool]:
        """The request that a redirect leads to, judged by the gate, and whether its host is listed as internal."""
        follow = redirected(asked, answer)
        shown = follow.url.shown
        if len(passed) > REDIRECTS:
            raise ToolFault(f"{passed[0].url.host} led on more than {REDIRECTS} times, lastly to {shown}")
        if any((one.method, one.url.shown) == (follow.method, shown) for one in passed):
            raise ToolFault(f"{passed[0].url.host} leads in a circle: {shown} came again")
        mine = self._holder.permit.grants
        held = any(_has(mine, root, follow, "send") for root in ("host", "internal"))
        try:
            decision = self._holder.also(Effect(follow.verb, f"url:{shown}", detail=follow.method), held)
        except Refused as refused:
            said = f"{asked.url.host} leads on to {shown}: {refused.sentence}"
            raise Refused(said, refused.rule, refused.fix) from refused
        theirs = decision.permit.grants if decision.permit is not None else ()
        return follow, _has(mine, "internal", follow, "send") or _has(theirs, "internal", follow)

    def _addresses(self, url: Url, listed: bool) -> tuple[str, ...]:
        """Where to connect to: all answers were judged. Refused when one is internal and the host is not listed."""
        found: tuple[str, ...] = (url.host,)
        if url.kind == "internal" and not listed and url.host not in self._allowed:
            raise Refused(url.why, "net.internal", FIX)
        if not packed(url.host):
            found = self._resolver().addresses(url.host, self._deadline, self._holder.ending)
        for address in found:
            what = internal(address)
            if what and not listed and address not in self._allowed:
                raise Refused(f"{url.host} leads to {address}, which is internal ({what})", "net.internal", FIX)
        return found

    def _resolver(self) -> Resolver:
        world = self._holder.world
        if world.resolve is None:
            from edge.hands.net_resolve import System

            world.resolve = System()
        return world.resolve

    # --- over the wire ---

    def _ask(self, asked: Asked, listed: bool) -> Answer:
        """One exchange with one host, or with the proxy."""
        url = asked.url
        secure = url.scheme == "https"
        proxy = None if listed else net_proxy.read(self._holder.world.proxy)
        self._via = proxy.shown if proxy else ""
        if proxy and url.kind == "internal" and url.host not in self._allowed:
            raise Refused(url.why, "net.internal", FIX)
        line = self._connected(proxy.url if proxy else url, True if proxy else listed)
        tunnelled = proxy is not None and (secure or proxy.socks)
        try:
            if proxy and tunnelled:
                net_proxy.through(line, url, proxy, http.HEAD)
            if secure:
                line = line.secured(http.context(url.host, self._holder.world.ca_file), url.host)
            absolute = proxy is not None and not tunnelled
            return http.exchange(line, asked, self._limit, absolute, _leads_on, self._keep)
        except http.BROKEN as error:
            raise http.meaning(error, url.host, line.got, self._seconds, secure) from error
        finally:
            line.close()

    def _connected(self, url: Url, listed: bool) -> Line:
        """A connection to the first address that takes one, each with its share of the time that is left."""
        found = self._addresses(url, listed)
        for number, address in enumerate(found, 1):
            now = time.monotonic()
            until = now + (self._deadline - now) / (len(found) - number + 1)
            try:
                line = dial(address, url.port, until, self._holder.ending)
                line.deadline = self._deadline
                return line
            except OSError as error:
                if number == len(found) or self._holder.ending():
                    raise http.meaning(error, f"{url.host}:{url.port}", 0, self._seconds, False) from error
        raise ToolFault(f"{url.host} has no address", "check the name, and the network")


def _has(grants: tuple[Grant, ...], root: str, asked: Asked, also: str = "") -> bool:
    """True when one of the grants is for the origin under `root`, with the verb of the request or with `also`."""
    verbs = (asked.verb, also)
    return any(one.verb in verbs and (one.root, one.path) == (root, asked.url.origin) for one in grants)


def _readable(url: Url) -> None:
    if url.kind == "bad":
        raise ToolFault(f"{url.shown or 'the URL'} {url.why}")


def _leads_on(answer: Answer) -> bool:
    return answer.status in _LEADS_ON and bool(answer.headers.get("location"))


def redirected(asked: Asked, answer: Answer) -> Asked:
    """What to ask next (rule 3). ToolFault for a place that cannot be read, Refused for a downgrade."""
    place = answer.headers["location"].encode("latin-1", "replace").decode("utf-8", "replace")
    url = urls.read(urls.joined(asked.url, place))
    if url.kind == "bad":
        raise ToolFault(f"{asked.url.host} leads on to {url.shown}, which {url.why}")
    if asked.url.scheme == "https" and url.scheme == "http":
        raise Refused(
            f"{asked.url.host} leads from https to {url.shown}", "net.downgrade", "ask for it by its own name"
        )
    method, headers, body = asked.method, dict(asked.headers), asked.body
    if answer.status in _BECOMES_GET and method not in ("GET", "HEAD") and (answer.status == 303 or method == "POST"):
        method, body = "GET", b""
        headers = {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
    if url.origin != asked.url.origin:
        headers = fields.without_credentials(headers)
    return Asked(method, url, headers, body)
