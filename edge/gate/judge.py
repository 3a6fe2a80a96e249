"""What each declared effect is, which row of the table judges it, and what it would be granted. Pure.

Rules:
1. An effect becomes one finding or, for shell text, one for each thing the reader found in it. The order is kept.
2. Paths are judged by where they lead (paths.py). What the operator forbids is closed, whatever else it is; then the
   agent's own, secrets, and so on. A change of a whole folder is a change of all that lies in it.
3. A host is listed, listed as internal, unlisted, internal or unreadable (hosts.py, urls.py). A `fetch` that is not
   GET, HEAD or OPTIONS is a `send`.
4. A line of a chip is free to look at, a lab line or neither (lines.py). A serial port is declared or not.
5. What the table does not know is denied: the row NO_RULE.
"""

from __future__ import annotations

from edge.call import Effect, Grant
from edge.gate import rules
from edge.gate.paths import inside, place
from edge.gate.rules_run import EMPTY, MANY_COMMANDS
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene
    from edge.gate.policy import Policy
    from edge.gate.row import Row
    from edge.gate.shell import Script

COMMANDS = 50  # simple commands in one text that nobody needs to look at only because of their number
_SHOWN = 12  # names of what a board declares, in a sentence
NO_GRANT = Grant("unknown", "none")
# Paths that lead to no place at all, whatever would be done there.
_NOWHERE = {"odd": rules.ODD_PATH, "adrift": rules.ADRIFT}
_READS = rules.RULES["run", "program", "reads"]
_ENDS = (rules.RULES["write", "memory", "jobs"], rules.RULES["write", "memory", "ports"])
_LOOKS = frozenset(("GET", "HEAD", "OPTIONS", ""))


class Finding(Record):
    """One thing that was found. `what` is the thing in words; `shell`: it stands in a shell text.

    `looks`: it provably changes nothing and sends nothing, or only ends what was let run or open.
    """

    effect: Effect
    row: Row
    grant: Grant
    what: str
    shell: bool = False

    @property
    def looks(self) -> bool:
        return self.effect.observes or self.row in (_READS, *_ENDS, EMPTY, MANY_COMMANDS)

    @property
    def sentence(self) -> str:
        return self.row.sentence.format(what=self.what)


class Survey(Record):
    """All findings of a call, and the scripts of its shell texts (None where the text was not read)."""

    findings: tuple[Finding, ...]
    scripts: tuple[Script, ...] = ()
    shell: bool = False

    @property
    def reads_only(self) -> bool:
        """True when every shell text provably only reads files and runs programs that only read."""
        return all(
            finding.row in (_READS, EMPTY, MANY_COMMANDS)
            or (finding.effect.verb in ("list", "read") and finding.effect.on.startswith("file:"))
            for finding in self.findings
            if finding.shell
        )


def survey(effects: tuple[Effect, ...], policy: Policy, scene: Scene, shell: bool = True) -> Survey:
    """The findings of these effects; with `shell` False a shell text is not read (rule 2 of rules_run.py)."""
    found: list[Finding] = []
    scripts: list[Script] = []
    texts = 0
    for effect in effects:
        if effect.verb != "run" or not effect.on.startswith("shell:"):
            found.append(finding(effect, policy, scene))
            continue
        texts += 1
        if shell:
            from edge.gate.shell import read

            script = read(effect.detail, scene, effect.on)
            scripts.append(script)
            found += _text(effect, script, policy, scene)
    return Survey(tuple(found), tuple(scripts), texts > 0)


def _text(effect: Effect, script: Script, policy: Policy, scene: Scene) -> list[Finding]:
    """The findings of one shell text."""
    found = [_in_shell(inner, policy, scene) for inner in script.effects]
    if script.commands > COMMANDS:
        found.append(Finding(effect, MANY_COMMANDS, NO_GRANT, str(script.commands), True))
    return found or [Finding(effect, EMPTY, NO_GRANT, "", True)]


def _in_shell(effect: Effect, policy: Policy, scene: Scene) -> Finding:
    kind, _, name = effect.on.partition(":")
    if kind in ("url", "host"):
        return _network(effect, kind, name)
    if kind not in ("program", "helper", "ruin", "disk", "shell"):
        return replace(finding(effect, policy, scene), shell=True)
    place = "reads" if (effect.verb, kind) == ("run", "program") else "any"
    if (effect.verb, kind) == ("unknown", "program") and name in policy.programs:
        place = "listed"
    row = rules.RULES.get((effect.verb, kind, place), rules.NO_RULE)
    what = f"{name} ({effect.detail})" if effect.detail else name
    return Finding(effect, row, NO_GRANT, what, True)


def _network(effect: Effect, kind: str, name: str) -> Finding:
    """Network of a shell text: the child gets a socket, so what counts is whether it may lead inside."""
    from edge.gate.urls import read

    url = read(name if kind == "url" else f"http://{name}/")
    inner = url.kind in ("internal", "bad")
    row = rules.RULES.get((effect.verb, "net", "internal" if inner else "outside"), rules.NO_RULE)
    what = f"{url.shown} {url.why}" if url.kind == "bad" and kind == "url" else name
    return Finding(effect, row, Grant("call", "socket", "inet"), what, True)


def finding(effect: Effect, policy: Policy, scene: Scene) -> Finding:
    """The row for one effect that is no shell text, the grant it would get, and what to call the thing."""
    kind, _, name = effect.on.partition(":")
    if kind == "file":
        return _file(effect, name, policy, scene)
    if kind == "url":
        return _url(effect, name, policy)
    if kind == "repo":
        return _repo(effect, name, policy, scene)
    grant = Grant(effect.verb, kind, name, effect.deep)
    if kind == "output" and effect.verb == "actuate":
        for output in scene.outputs:
            if output.name == name:
                row = rules.RULES.get(("actuate", "output", output.risk), rules.NO_RULE)
                return Finding(effect, row, grant, f"{output.label} {effect.detail}".rstrip())
        return Finding(effect, rules.NOT_DECLARED, grant, _undeclared("output", name, [o.name for o in scene.outputs]))
    if kind == "sensor" and effect.verb == "sense":
        names = [sensor.name for sensor in scene.sensors]
        known = name in names
        row = rules.RULES["sense", "sensor", "declared"] if known else rules.NOT_DECLARED
        return Finding(effect, row, grant, name if known else _undeclared("sensor", name, names))
    if kind == "line":
        return _line(effect, name, scene)
    if kind == "serial":
        return _port(effect, name, scene)
    return Finding(
        effect, rules.RULES.get((effect.verb, kind, name), rules.NO_RULE), grant, f"{effect.verb} {effect.on}"
    )


def _line(effect: Effect, name: str, scene: Scene) -> Finding:
    """A line of a chip; what is granted of a lab line is the output of its name, which the guard holds."""
    from edge.gate.lines import called, readable, resolve

    gpio = scene.gpio
    grant = Grant(effect.verb, "line", name, effect.deep)
    what = f"{called(name, scene)} {effect.detail}".rstrip()
    if gpio is None:
        place = "none"
    elif effect.verb == "actuate":
        place = "lab" if name in gpio.lab else "own"
        if place == "own":
            kind, of = resolve(name, scene)
            what = called(name, scene) + (f", the line of the {kind} {of}," if kind != "line" and of != name else "")
        grant = Grant("actuate", "output", name)
    else:
        place = "free" if readable(name, gpio) else "own"
    return Finding(effect, rules.RULES.get((effect.verb, "line", place), rules.NO_RULE), grant, what)


def _port(effect: Effect, name: str, scene: Scene) -> Finding:
    """A declared serial port; what is sent there is as risky as the settings say (rules_ports.py)."""
    grant = Grant(effect.verb, "serial", name)
    port = next((one for one in scene.ports if one.name == name), None)
    if port is None:
        names = [one.name for one in scene.ports]
        return Finding(effect, rules.NOT_DECLARED, grant, _undeclared("serial port", name, names))
    place = port.risk if effect.verb == "send" else "any"
    what = f"{name} ({port.label}, {port.device})" + (f": {effect.detail}" if effect.detail else "")
    return Finding(effect, rules.RULES.get((effect.verb, "serial", place), rules.NO_RULE), grant, what)


def _undeclared(kind: str, name: str, names: list[str]) -> str:
    """What the board has not, and what it has: a slip is seen at once."""
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{kind} {name!r}; it has {', '.join(names[:_SHOWN]) or 'none'}{more}"


def _file(effect: Effect, path: str, policy: Policy, scene: Scene) -> Finding:
    spot = place(path, scene)
    kind = spot.kind if effect.observes else spot.change
    grant = Grant(effect.verb, spot.root, spot.path, effect.deep)
    if kind in _NOWHERE:
        return Finding(effect, _NOWHERE[kind], grant, spot.full)
    deep = effect.deep and not effect.observes
    if policy.forbidden_paths and _closed(spot.full.lower(), _lower(policy.forbidden_paths), deep):
        kind = "forbidden"  # whatever the case: on the boot partition it does not count
    elif deep and _closed(spot.full, ((scene.state,) if scene.state else ()) + scene.own, True):
        kind = "own"
    elif deep and _closed(spot.full, scene.settings, True):
        kind = "settings"
    elif kind in ("system", "readable"):
        kind = _special(spot.full, kind, effect.observes)
    row = rules.RULES.get((effect.verb, "file", kind), rules.NO_RULE)
    return Finding(effect, row, grant, spot.full)


def _repo(effect: Effect, path: str, policy: Policy, scene: Scene) -> Finding:
    """The repository in a folder: what the place is says whether it may be changed."""
    spot = place(path, scene)
    grant = Grant(effect.verb, "repo", spot.full)
    if spot.kind in _NOWHERE:
        return Finding(effect, _NOWHERE[spot.kind], grant, spot.full)
    kind = spot.change
    if policy.forbidden_paths and _closed(f"{spot.full}/.git".lower(), _lower(policy.forbidden_paths), True):
        kind = "forbidden"
    return Finding(effect, rules.RULES.get((effect.verb, "repo", kind), rules.NO_RULE), grant, spot.full)


def _lower(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([path.lower() for path in paths])


def _closed(full: str, paths: tuple[str, ...], deep: bool) -> bool:
    """True when `full` is one of `paths` or below it; with `deep` also when one of them is below `full`."""
    return any(inside(full, path) or (deep and inside(path, full)) for path in paths)


def _special(full: str, kind: str, observes: bool) -> str:
    """Device files, and what sets the kernel or hardware, among the system's places."""
    if inside(full, "/dev"):
        return "device"
    return "knob" if not observes and (inside(full, "/sys") or inside(full, "/proc")) else kind


def _url(effect: Effect, text: str, policy: Policy) -> Finding:
    from edge.gate.hosts import listed
    from edge.gate.urls import read

    url = read(text)
    verb = "send" if effect.verb == "fetch" and effect.detail.upper() not in _LOOKS else effect.verb
    what, root, kind = url.shown, "host", url.kind
    if kind == "bad":
        what = f"{url.shown} {url.why}"
    elif listed(url.host, url.port, policy.internal_hosts):
        root, kind = "internal", "listed"
    elif kind == "internal":
        what, root, kind = url.why, "internal", "internal" if policy.block_internal else "open"
    else:
        kind = "listed" if listed(url.host, url.port, policy.hosts) else "unlisted"
    row = rules.RULES.get((verb, "url", kind), rules.NO_RULE)
    meant = effect if verb == effect.verb else replace(effect, verb=verb)
    return Finding(meant, row, Grant(verb, root, url.origin), what)
