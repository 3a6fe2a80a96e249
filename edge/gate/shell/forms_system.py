"""Programs about the system and the board whose words need a look of their own. Pure.

Rules:
1. What is not known to only read is unknown, like in the table.
2. A port, a bus and a table of commands are looked at by their own tools; here only what lists them is low.
"""

from __future__ import annotations

from edge.gate.shell import programs
from edge.gate.shell.marks import known, names, shown
from edge.gate.shell.options import has, options, value
from edge.gate.shell.programs import endless
from edge.gate.shell.streams import Stream
from edge.gate.shell.table_system import SUBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.walk import Walk

    Form = Callable[[Walk, str, tuple[str, ...]], Stream]


_IP_OBJECTS = (
    "address addr a route r link l neigh neighbour neighbor n rule ru maddress maddr mroute tunnel netns netconf "
    "ntable "
    "tcp_metrics token vrf xfrm macsec monitor"
)


_IP_FLAGS = (
    "-4 -6 -0 -br -brief -s -stats -statistics -d -details -o -oneline -j -json -p -pretty -c -color -h -human -iec -t "
    "-timestamp -r -ts -N -a -all"
)


_IP_VERBS = names("show list ls lst get sh l g sho lis save help")


_IW_LOUD = names(
    "set connect disconnect del add scan ibss mesh ocb auth roc mgmt switch offchannel wowlan coalesce vendor "
    "ftm measurement cqm interface hwsim nan trigger start stop dump_survey"
)


_NM_LOUD = names(
    "up down add edit delete modify clone reload load import export migrate connect disconnect reapply set "
    "wifi-hotspot hotspot rescan on off monitor checkpoint hostname permissions-set logging-set secret polkit "
    "all"
)


_TOP = names("-b -n -d -o -p -u -c -H -w -1 -i -E -e")


def sub(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """A program whose first operand says what it does."""
    verbs, flags, slots, needs = SUBS[name]
    verb = next((word for word in words if word in verbs.split()), "")
    first = next((word for word in words if word[:1] != "-" or word in verbs.split()), "")
    allowed = verbs.split()
    use = programs.Use(walk, name, (flags, "d " + slots if slots else "d", needs))
    use.words(words)
    use.apply()
    programs.need(walk, needs)
    leading = use.operands[0] if use.operands else first
    bare = ("systemctl", "timedatectl", "hostnamectl", "localectl", "loginctl", "networkctl", "resolvectl", "nmcli")
    if not leading and name in (*bare, "systemd-analyze"):
        verb = leading = "status"
    elif (leading or verb) not in allowed or not verb:
        walk.sink.unknown(f"program:{name}", f"{name} {shown(leading)} may change something")
    _loud(walk, name, use.operands)
    if name == "hostnamectl" and len(use.operands) > 1:
        walk.sink.unknown("program:hostnamectl", "it may change the name of the board")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def _loud(walk: Walk, name: str, operands: list[str]) -> None:
    """Words of iw and nmcli that change something, wherever they stand."""
    loud = {"iw": _IW_LOUD, "nmcli": _NM_LOUD}.get(name)
    if loud is None:
        return
    for word in operands:
        if word in loud or not known(word):
            walk.sink.unknown(f"program:{name}", f"{name} {shown(word)} may change something")
    if "event" in operands[:1]:
        endless(walk, name, "it never ends")


def ip(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """ip, bridge, tc: only what shows."""
    rest = list(words)
    while rest and rest[0][:1] == "-":
        flag = rest.pop(0)
        if flag not in _IP_FLAGS.split() and flag not in ("-f", "-family", "-n", "-netns"):
            walk.sink.unknown(f"program:{name}", f"{shown(flag)} is not known to only read")
        elif flag in ("-f", "-family", "-n", "-netns") and rest:
            rest.pop(0)
    thing = rest[0] if rest else "address"
    objects = _IP_OBJECTS.split() if name == "ip" else names("link fdb mdb vlan qdisc class filter chain action")
    verb = rest[1] if len(rest) > 1 else "show"
    if thing not in objects or verb not in _IP_VERBS or thing == "xfrm" or any(not known(word) for word in rest):
        walk.sink.unknown(f"program:{name}", f"{name} {shown(' '.join(rest[:2]))} may change something")
    if thing == "monitor":
        endless(walk, name, "it never ends")
    walk.sink.add("run", f"program:{name}")
    programs.need(walk, "s:netlink R:run/netns")
    return Stream()


def top(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words, "ndopuUEwe")
    count = value(found, "-n")
    if any(option not in _TOP for option, _ in found):
        walk.sink.unknown(f"program:{name}", "an option that is not known to only read")
    if operands:
        walk.sink.unknown(f"program:{name}", f"{shown(operands[0])} is not known to only read")
    if not count or not has(found, "-b"):
        endless(walk, name, "it never ends")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def bare(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """mount, lastb, env without words: only without operands do they only tell."""
    found, operands = options(words, "tO", ("types",))
    if operands or any(option not in ("-l", "-t", "--types", "--show-labels", "-v") for option, _ in found):
        walk.sink.unknown(f"program:{name}", f"{name} changes something")
    programs.need(walk, "r:run/mount")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def crontab(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """crontab -l; what replaces the table is destructive and was judged before."""
    found, _ = options(words, "u")
    if not has(found, "-l"):
        walk.sink.unknown("program:crontab", "it changes the table of scheduled commands")
    walk.sink.remark("crontab gains no rights behind the wall: it may not be able to read the table")
    programs.need(walk, "R:var/spool/cron")
    walk.sink.add("run", "program:crontab")
    return Stream()


def i2cdetect(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    if words not in (("-l",), ("-V",)):
        walk.sink.unknown("program:i2cdetect", "asking every address may disturb what is attached")
    programs.need(walk, "L:dev")
    walk.sink.add("run", "program:i2cdetect")
    return Stream()


def stty(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """stty: settings of a port go through the hardware tools."""
    found, operands = options(words, "F", ("file",))
    device = value(found, "-F", "--file")
    shows = not operands and not [
        name for name, _ in found if name not in ("-F", "--file", "-a", "-g", "--all", "--save")
    ]
    if shows or operands in (["size"], ["speed"]):
        if device:
            walk.sink.path("read", device, walk.state)
        walk.sink.add("run", "program:stty")
    elif device:
        walk.sink.path("write", device, walk.state)
        walk.sink.unknown("program:stty", "it changes the settings of a port")
    else:
        walk.sink.unknown("program:stty", "it changes the settings of a terminal")
    return Stream()


def sleep(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    total = 0.0
    for word in words:
        text, unit = (word[:-1], units[word[-1]]) if word[-1:] in units else (word, 1.0)
        certain = known(text) and text.replace(".", "", 1).isdigit() and len(text) < 12
        total += float(text) * unit if certain else 0.0 if not known(text) else 1e9
    if total > 600:
        endless(walk, "sleep", "it sleeps for more than ten minutes")
    walk.sink.add("run", "program:sleep")
    return Stream(("",))


def dpkg(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    quiet = "-l -s -L -S -p --list --status --listfiles --search --get-selections --print-architecture -I --info -c "
    flags = (
        quiet
        + "--contents --print-avail --audit -C --verify -V --compare-versions --print-foreign-architectures --no-pager"
    )
    files = "r*" if {"-I", "--info", "-c", "--contents"} & set(words) else "d*"
    use = programs.apply(walk, name, (flags, files, "R:var/lib/dpkg"), words)
    if not use.seen:
        walk.sink.unknown("program:dpkg", "it may change something")
    return Stream()


FORMS: dict[str, Form] = {
    **dict.fromkeys(SUBS, sub),
    "ip": ip,
    "bridge": ip,
    "tc": ip,
    "top": top,
    "mount": bare,
    "crontab": crontab,
    "i2cdetect": i2cdetect,
    "stty": stty,
    "sleep": sleep,
    "dpkg": dpkg,
}
