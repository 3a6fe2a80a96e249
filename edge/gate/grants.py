"""What an operator approves beforehand at the command line: `--grant 'output_set fan <=10m'`. Pure.

Rules:
1. A grant names a tool and a target, and may bound it: `<=TIME` (how long an output stays on, or away from what is
   safe), `xN` (how often),
   `for TIME` or `until HH:MM` (how long the grant holds). Quotation marks make one word of several.
2. It answers what the gate asks. It is never looked at for what the gate denies.
3. It fits a call only if it covers every effect of it. What it does not name it does not cover.
4. Targets: files by path, relative to the folder of the start, `*` within one part of a path and never a leading dot,
   `**` any parts; hosts by METHOD and URL, `*` in path and query, `*.DOMAIN` as host; without a METHOD only what looks;
   shell text whole, `*` for anything without an operator, quotation or expansion of the shell; an output by name and,
   if wanted, `on` or `off`; a lab line by its name; anything else by its name. All pulses of a call count as one time.
5. `?` is one such letter. Nothing else is wild.
"""

from __future__ import annotations

from edge.faults import ConfigFault, UsageFault
from edge.gate.hosts import checked, listed
from edge.gate.names import KNOWN, canonical
from edge.gate.paths import absolute, place
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Call, Effect, Scene

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_FETCHING = ("http_request", "web_fetch")
_SHELL = frozenset(";&|<>()$`\\\"'\n\r{}#")
_MOST = 10_000
_FORM = "for example --grant 'output_set fan <=10m x3' or --grant 'file_write notes/* for 2h'"


class Spec(Record):
    """One grant. `target`: words as they were written. Seconds; None where nothing was said.

    `longest`: how long an output may stay on. `seconds`: how long the grant holds; `until`: to which second of the
    local day.
    """

    text: str
    tool: str
    target: tuple[str, ...]
    longest: float | None = None
    count: int | None = None
    seconds: float | None = None
    until: int | None = None


def parse(text: str) -> Spec:
    """The grant that `text` spells; UsageFault says what is wrong with it."""
    words = _words(text)
    if not words or words[0][1]:
        raise _wrong(text, "it begins with the name of a tool")
    tool = canonical(words[0][0])
    if tool not in KNOWN and "__" not in tool:
        raise _wrong(text, f"there is no tool {words[0][0][:40]!r}")
    bounds: dict[str, float | int] = {}
    target: list[str] = []
    rest = words[1:]
    while rest:
        word, quoted = rest.pop(0)
        bound = None if quoted else _bound(word, rest, text)
        if bound is None:
            if bounds:
                raise _wrong(text, f"{word[:40]!r} stands behind the bounds; quote a target of several words")
            target.append(word)
        elif bound[0] in bounds:
            raise _wrong(text, f"it has two bounds of one kind, the second is {word[:40]!r}")
        else:
            bounds[bound[0]] = bound[1]
    _check(text, tool, target, bounds)
    return Spec(text.strip(), tool, tuple(target), **bounds)  # type: ignore[arg-type]


def _wrong(text: str, why: str) -> UsageFault:
    return UsageFault(f"the grant {text[:80]!r} cannot be read: {why}", _FORM)


def _words(text: str) -> list[tuple[str, bool]]:
    """The words of a grant, each with whether it was quoted."""
    found: list[tuple[str, bool]] = []
    rest = text.strip()
    while rest:
        if rest[0] in "\"'":
            word, closed, rest = rest[1:].partition(rest[0])
            if not closed or (rest and not rest[0].isspace()):
                raise _wrong(text, "a quotation is not closed before a blank or the end")
            found.append((word, True))
        else:
            word = rest.split(None, 1)[0]
            rest = rest[len(word) :]
            found.append((word, False))
        rest = rest.lstrip()
    return found


def _bound(word: str, rest: list[tuple[str, bool]], text: str) -> tuple[str, float | int] | None:
    """(field, value) when a bound begins with `word`, whose value may be the next word; None when none does."""
    if word.startswith("<="):
        return "longest", _time(word[2:] or _next(word, rest, text), text)
    if word[0] in "xX" and word[1:].isascii() and word[1:].isdigit():
        if not 0 < int(word[1:][:9]) <= _MOST:
            raise _wrong(text, f"a count is from 1 to {_MOST}")
        return "count", int(word[1:])
    if word == "for":
        return "seconds", _time(_next(word, rest, text), text)
    if word == "until":
        return "until", _clock(_next(word, rest, text), text)
    return None


def _next(word: str, rest: list[tuple[str, bool]], text: str) -> str:
    if not rest:
        raise _wrong(text, f"{word} needs a value")
    return rest.pop(0)[0]


def _time(text: str, whole: str) -> float:
    """Seconds that `90`, `90s`, `2m` or `1h30m` spell; a number without a unit is seconds and stands alone."""
    total, rest, wrong = 0, text, not text
    while rest and not wrong:
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        rest = rest[len(digits) :]
        unit = rest[: len(rest) - len(rest.lstrip("abcdefghijklmnopqrstuvwxyz"))]
        rest = rest[len(unit) :]
        wrong = not 0 < len(digits) < 10 or (unit not in _UNITS and (unit != "" or digits != text))
        total += 0 if wrong else int(digits) * _UNITS.get(unit, 1)
    if wrong or not 0 < total <= 365 * 86_400:
        raise _wrong(whole, f"{text[:20]!r} is no time such as 90s, 10m or 1h30m")
    return float(total)


def _clock(text: str, whole: str) -> int:
    """The second of the day at `18:00`."""
    hours, colon, minutes = text.partition(":")
    digits = hours + minutes
    if colon and len(minutes) == 2 and 0 < len(hours) < 3 and digits.isascii() and digits.isdigit():
        seconds = int(hours) * 3600 + int(minutes) * 60
        if int(minutes) < 60 and seconds < 86_400:
            return seconds
    raise _wrong(whole, f"{text[:20]!r} is no time of the day such as 18:00")


def _check(text: str, tool: str, target: list[str], bounds: dict[str, float | int]) -> None:
    """What a grant for this tool must and must not say."""
    if not target:
        raise _wrong(text, "it names no target; a grant is for something")
    if "seconds" in bounds and "until" in bounds:
        raise _wrong(text, "it holds for a time and until a time; keep one of them")
    output = tool.startswith("output") or tool == "gpio_write"
    if "longest" in bounds and not output:
        raise _wrong(text, "<= bounds how long an output stays on, and this is no output")
    method = tool == "http_request" and len(target) == 2 and target[0].upper() in _METHODS
    state = output and len(target) == 2 and target[1].lower() in ("on", "off")
    if len(target) > 1 and not (method or state):
        raise _wrong(text, "it has several targets; quote one of several words, give a second grant for a second one")
    if tool in _FETCHING:
        _check_url(text, target[-1])
    if output and not {"*", "?"}.isdisjoint(target[0]):
        raise _wrong(text, "an output is named, without * and ?; give a grant for each")


def _check_url(text: str, pattern: str) -> None:
    """A pattern that no URL could ever fit would only seem to be a grant."""
    scheme, found, rest = pattern.partition("://")
    authority = rest.partition("/")[0]
    if not found or scheme.lower() not in ("http", "https"):
        raise _wrong(text, "its target is a URL that begins with http:// or https://")
    try:
        checked(authority, False)
    except ConfigFault as fault:
        try:
            checked(authority, True)
        except ConfigFault:
            raise _wrong(text, fault.sentence) from None


def match(spec: Spec, call: Call, effects: tuple[Effect, ...], scene: Scene, used: int, age: float) -> str:
    """Why the grant does not fit this call, "" when it does. `used`: how often it was; `age`: its seconds."""
    if spec.tool != canonical(call.tool):
        return f"it is for {spec.tool}"
    if spec.count is not None and used >= spec.count:
        return f"it was used {used} times"
    if spec.seconds is not None and age >= spec.seconds:
        return "its time is over"
    if not effects:
        return "the call declares nothing"
    for effect in effects:
        why = _covers(spec, call, effect, scene)
        if why:
            return why
    return ""


def _covers(spec: Spec, call: Call, effect: Effect, scene: Scene) -> str:
    """Why this effect is not covered, "" when it is."""
    kind, _, name = effect.on.partition(":")
    if kind == "output" or (kind == "line" and effect.verb == "actuate"):
        return _output(spec, call, name, scene)
    if kind == "file":
        pattern = spec.target[0]
        if pattern.startswith("~/") and scene.home:
            pattern = scene.home + pattern[1:]
        fits = bool(scene.cwd or pattern.startswith("/")) and _path(
            absolute(pattern, scene.cwd).split("/"), place(name, scene).full.split("/")
        )
        return "" if fits and not effect.deep else f"it does not cover {name}"
    if kind == "url":
        return "" if _address(spec.target, effect, name) else f"it does not cover {effect.detail} {name}"
    if kind == "shell":
        if call.args.get("cwd") or call.args.get("background"):
            return "the command wants another folder, or to go on in the background"
        return "" if _pieces(spec.target[0], effect.detail, _SHELL) else "it is for another command"
    return "" if _letters(spec.target[0], name) else f"it does not cover {name}"


def _output(spec: Spec, call: Call, name: str, scene: Scene) -> str:
    if spec.target[0] != name:
        return f"it is for {spec.target[0]}"
    safe = float(any(output.safe for output in scene.outputs if output.name == name))
    level, seconds = _asked(call.args, safe)
    if len(spec.target) == 2 and (spec.target[1].lower() == "on") != (level > 0):
        return f"it is for switching {spec.target[1].lower()}"
    if level != safe and spec.longest is not None:
        if seconds is None:
            return "the call names no time, and the grant bounds it"
        if not seconds <= spec.longest:
            return f"{seconds:g} s are longer than it says"
    return ""


def _asked(args: Args, safe: float) -> tuple[float, float | None]:
    """The level, 0 to 1, that a call wants of an output or a lab line, and the seconds in all; None: it says none."""
    if "seconds" in args:  # pulses, which lead away from safe
        return 1.0 - safe, args["seconds"] * args.get("times", 1)
    level = args["level"] if "level" in args else args.get("percent", 0) / 100
    return float(args.get("state") or args.get("value") or level), args.get("for_seconds")


def _address(target: tuple[str, ...], effect: Effect, text: str) -> bool:
    from edge.gate.urls import read

    method = target[0].upper() if len(target) == 2 else ""
    looked = effect.verb == "fetch" and effect.detail.upper() in ("GET", "HEAD", "OPTIONS", "")
    if (method and method != effect.detail.upper()) or (not method and not looked):
        return False
    url = read(text)
    scheme, found, rest = target[-1].partition("://")
    authority, slash, path = rest.partition("/")
    if url.kind == "bad" or not found or scheme.lower() != url.scheme:
        return False
    way = url.target.partition("?")[0].lower()
    if any(part in (".", "..") for part in way.split("/")) or any(code in way for code in ("%2e", "%2f", "%5c")):
        return False  # a server may read another path than the pattern does
    port = "" if _has_port(authority) else ":443" if url.scheme == "https" else ":80"
    return bool(listed(url.host, url.port, (authority.lower() + port,))) and _letters(slash + path or "/", url.target)


def _has_port(authority: str) -> bool:
    host, colon, port = authority.rpartition(":")
    return bool(colon) and port.isdigit() and (":" not in host or host.endswith("]"))


def _path(pattern: list[str], parts: list[str]) -> bool:
    """Rule 4 for files, part by part; `**` is any number of parts."""
    here = there = 0
    star = mark = -1
    while there < len(parts):
        if here < len(pattern) and pattern[here] == "**":
            star, mark, here = here, there, here + 1
        elif here < len(pattern) and _part(pattern[here], parts[there]):
            here, there = here + 1, there + 1
        elif star >= 0 and not parts[mark].startswith("."):
            mark += 1
            here, there = star + 1, mark
        else:
            return False
    return all(part == "**" for part in pattern[here:])


def _part(pattern: str, part: str) -> bool:
    if part.startswith(".") and not pattern.startswith("."):
        return False
    return _letters(pattern, part)


def _pieces(pattern: str, text: str, stops: frozenset[str]) -> bool:
    """True when `pattern` fits `text` and no `*` or `?` stands for one of `stops`.

    As no star takes a stop, the stops of both must be the same, one by one; what lies between fits piece by piece.
    """
    wanted, found = _between(pattern, stops), _between(text, stops)
    return len(wanted) == len(found) and all(
        one[0] == other[0] and _letters(one[1], other[1]) for one, other in zip(wanted, found)
    )


def _between(text: str, stops: frozenset[str]) -> list[tuple[str, str]]:
    """(the stop before it, "" at the beginning; what stands between) for each piece."""
    found = []
    stop, start = "", 0
    for at, letter in enumerate(text):
        if letter in stops:
            found.append((stop, text[start:at]))
            stop, start = letter, at + 1
    return [*found, (stop, text[start:])]


def _letters(pattern: str, text: str) -> bool:
    """True when `pattern`, with `*` for any letters and `?` for one, is the whole of `text`."""
    here = there = 0
    star = mark = -1
    while there < len(text):
        if here < len(pattern) and pattern[here] == "*":
            star, mark, here = here, there, here + 1
        elif here < len(pattern) and pattern[here] in ("?", text[there]):
            here, there = here + 1, there + 1
        elif star >= 0:
            mark += 1
            here, there = star + 1, mark
        else:
            return False
    return not pattern[here:].strip("*")
