"""Programs about the system and the board whose words need a look of their own. Pure.

Rules:
1. What is not known to only read is unknown, like in the table.
2. A port, a bus and a table of commands are looked at by their own tools; here only what lists them is low.
"""

from __future__ import annotations

from edge.gate.shell import programs
from edge.gate.shell.marks import SPLIT, known, names, shown
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


_IP_VERBS = names("show list ls lst get sh s l g sho lis save help")


_IW = ("", "dev", "dev link", "dev info", "list", "reg get", "features", "dev channels")
# The questions of raspi-config that only look at files, units and the firmware.
_ASKED = names(
    "get_i2c get_spi get_ssh get_vnc get_camera get_legacy get_serial get_serial_hw get_serial_cons get_onewire "
    "get_rgpio get_hostname get_overscan get_boot_cli get_boot_wait get_boot_splash get_autologin get_wifi_country "
    "get_overlay_conf get_overlay_now get_bootro_conf get_bootro_now get_can_expand get_pi_type"
)
_VCIO = "w:dev/vcio"
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
    bare = ("systemctl", "timedatectl", "hostnamectl", "localectl", "loginctl", "networkctl", "resolvectl", "rfkill")
    if not leading and name in (*bare, "systemd-analyze"):
        verb = leading = "status"
    elif (leading or verb) not in allowed or not verb:
        walk.sink.unknown(f"program:{name}", f"{name} {shown(leading)} may change something")
        if name != "rfkill":
            walk.sink.remark(f"{name} reaches its service over a socket that is closed behind the wall: this will fail")
    if name == "hostnamectl" and len(use.operands) > 1:
        walk.sink.unknown("program:hostnamectl", "it may change the name of the board")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def iw(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """iw: what it shows of links, stations and what was heard before; a scan sends."""
    rest = [word for word in words if word != "-h"]
    if rest[:1] in (["dev"], ["phy"]):
        rest = ["dev", *rest[2:]]
    dumps = rest[:1] == ["dev"] and rest[2:3] == ["dump"] and rest[1] in ("station", "survey", "scan", "mpath")
    gets = rest[:2] == ["dev", "get"] or rest[:3] == ["dev", "station", "get"]
    if not (" ".join(rest) in _IW or dumps or gets) or any(SPLIT in word for word in words):
        walk.sink.unknown(f"program:{name}", f"iw {shown(' '.join(rest))} may change something")
    walk.sink.add("run", f"program:{name}")
    programs.need(walk, "s:netlink")
    return Stream()


def nmcli(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """nmcli: objects and what shows them, written out or as their first letter."""
    flags = (
        "-tafpgmec -f: -m: -g: -c: -e: --terse --fields: --mode: --get-values: --colors: --escape: --pretty --active"
    )
    use = programs.apply(
        walk, name, (flags + " --overview --order:", "d*", "s:unix R:run/dbus R:run/NetworkManager"), words
    )
    operands = use.operands or ["general"]
    thing, verb, rest = operands[0], "".join(operands[1:2]), operands[2:]
    shows = {
        "general": ("", "status", "permissions", "logging"),
        "connection": ("", "show"),
        "con": ("", "show"),
        "c": ("", "show", "s"),
        "device": ("", "status", "show", "wifi", "lldp"),
        "dev": ("", "status", "show", "wifi"),
        "d": ("", "status", "show"),
        "radio": ("", "wifi", "wwan", "all"),
        "networking": ("", "connectivity"),
    }
    quiet = not rest or verb in ("show", "s") or (verb == "wifi" and rest == ["list"] and thing != "radio")
    if verb not in shows.get(thing, ()) or not quiet:
        walk.sink.unknown(f"program:{name}", f"nmcli {shown(' '.join(operands))} may change something")
    return Stream()


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
    if (
        thing not in objects
        or verb not in _IP_VERBS
        or thing == "xfrm"
        or (verb == "s" and thing[:1] == "l")
        or any(not known(word) for word in rest)
    ):
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
    split = any(SPLIT in word for word in words)
    if operands or split or any(option not in ("-l", "-t", "--types", "--show-labels", "-v") for option, _ in found):
        walk.sink.unknown(f"program:{name}", f"{name} changes something")
    programs.need(walk, "r:run/mount")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def crontab(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """crontab -l; what replaces the table is destructive and was judged before."""
    found, _ = options(words, "u")
    if not has(found, "-l") or any(SPLIT in word for word in words):
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
    if {"-i", "-r", "-P", "--install", "--remove", "--purge", "--configure", "--unpack"} & set(words):
        walk.sink.remark("dpkg changes folders of the system, which are closed behind the wall: this will fail")
    use = programs.apply(walk, name, (flags, files, "R:var/lib/dpkg"), words)
    if not use.seen:
        walk.sink.unknown("program:dpkg", "it may change something")
    return Stream()


def raspi_config(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """raspi-config: what its questions of one word tell."""
    if len(words) != 2 or words[0] != "nonint" or words[1] not in _ASKED:
        walk.sink.unknown(f"program:{name}", "it changes the configuration of the board, or may")
    programs.need(walk, _VCIO)
    walk.sink.add("run", f"program:{name}")
    return Stream()


FORMS: dict[str, Form] = {
    "raspi-config": raspi_config,
    **dict.fromkeys(SUBS, sub),
    "ip": ip,
    "iw": iw,
    "nmcli": nmcli,
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
